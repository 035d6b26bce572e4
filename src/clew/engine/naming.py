"""From what people type to the nodes that they mean: a name, or an id."""

from __future__ import annotations

from collections.abc import Callable

from clew.core.calibration import PairKind
from clew.core.errors import NotFoundError
from clew.core.ids import format_id, parse_id
from clew.core.ports import Embedder, Store
from clew.core.query import Principal
from clew.text.names import name_key

NEAR = 3
SIMILAR = 0.25
"""Calibrated cosine of two names from which one is worth naming in place of the other."""

_ID_LENGTH = 16


def find_nodes(
    store: Store,
    collection: str,
    name: str | int,
    *,
    principal: Principal,
    embedder: Callable[[], Embedder],
) -> tuple[int, ...]:
    """Return the visible nodes that `name` stands for, most mentioned first.

    An integer, or sixteen hexadecimal digits that are no name, is taken for a node's id. The
    embedder is asked for only where nothing is found.

    Raises:
        NotFoundError: there is none; the message gives the names that come nearest.
    """
    if isinstance(name, int):
        if store.nodes(collection, [name], principal=principal):
            return (name,)
        raise NotFoundError(f"the collection {collection!r} has no node {format_id(name)}")
    key = name_key(name)
    named = store.find_names(collection, [key], principal=principal).get(key, ()) if key else ()
    if named:
        return named
    identified = _by_id(store, collection, name, principal=principal)
    if identified is not None:
        return (identified,)
    near = _near(store, collection, name, principal=principal, embedder=embedder)
    hint = f"; near: {', '.join(near)}" if near else ""
    raise NotFoundError(f"nothing in the collection {collection!r} is named {name!r}{hint}")


def _by_id(store: Store, collection: str, text: str, *, principal: Principal) -> int | None:
    """Return the node whose public id `text` is, None where it is no such id."""
    if len(text) != _ID_LENGTH:
        return None
    try:
        node = parse_id(text)
    except NotFoundError:
        return None
    return node if store.nodes(collection, [node], principal=principal) else None


def _near(
    store: Store,
    collection: str,
    name: str,
    *,
    principal: Principal,
    embedder: Callable[[], Embedder],
) -> list[str]:
    if not name.strip() or not store.counts(collection)["nodes"]:
        return []
    model = embedder()
    vector = model.embed_questions([name])[0]
    hits = store.search_nodes(collection, vector, limit=NEAR, by_name=True, principal=principal)
    near = hits.ids[model.calibration.apply(hits.scores, PairKind.NAME_NAME) >= SIMILAR]
    return [repr(node.name) for node in store.nodes(collection, near.tolist(), principal=principal)]
