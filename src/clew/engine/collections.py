"""Making and removing the collections of a store."""

from __future__ import annotations

from datetime import datetime

from clew.core.errors import NotFoundError, QueryError
from clew.engine.components import Components

CREATED_AT = "created_at"


def create_collection(components: Components, name: str, *, at: datetime) -> None:
    """Make an empty collection in the store of `components`.

    Raises:
        QueryError: the name is empty, or there is one of that name.
    """
    if not name.strip():
        raise QueryError("the collection's name is empty")
    with components.one_at_a_time():
        if name in components.store.collections():
            raise QueryError(f"there is a collection {name!r} already; choose another name")
        components.store.set_fact(name, CREATED_AT, at.isoformat())


def delete_collection(components: Components, name: str) -> None:
    """Remove a collection with all that is in it, its conversations and its models' answers.

    Raises:
        NotFoundError: there is none of that name.
    """
    with components.one_at_a_time():
        if name not in components.store.collections():
            raise NotFoundError(f"there is no collection {name!r} to delete")
        components.responses().drop(name)
        components.store.drop(name)
        components.chat_log().drop_chats(name)
