"""One call of a tool or resource: who makes it, and how it is told of progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clew.core.jobs import Progress
from clew.core.query import Principal
from clew.serve.access.api_key import ApiKey, Right
from clew.serve.rest.caller import Caller
from clew.serve.rest.models_of_documents import RESERVED, CollectionName
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import Services


def _silent(_: Progress) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool works with. `key` None means that the server needs none: all rights."""

    services: Services
    key: ApiKey | None
    tell: Callable[[Progress], None] = _silent

    def may(self, right: Right, collection: str | None) -> bool:
        """Return whether the caller has a right in a collection."""
        return self.key is None or self.key.may(right, collection)

    def at(self, collection: str | None, right: Right) -> Caller:
        """Return the caller at a collection, None: the server's own.

        Raises:
            Problem: the key does not have the right.
            NotFoundError: there is no such collection.
        """
        name = collection or self.services.settings.collection
        if not self.may(right, name):
            raise Problem(403, f"This key does not have the right {right.value!r} to {name!r}.")
        principal = Principal() if self.key is None else self.key.principal
        return Caller(self.services.library.collection(name), name, principal)

    def make_if_allowed(self, collection: str | None) -> None:
        """Make a collection that is not there, if the caller has the right to.

        Raises:
            Problem: the name belongs to the server.
            ValidationError: the name cannot be one.
        """
        name, library = collection or self.services.settings.collection, self.services.library
        if not self.may(Right.ADMIN, name) or name in library.names():
            return
        if name in RESERVED:
            raise Problem(409, f"The name {name!r} belongs to the server; choose another.")
        with self.services.writing.turn():
            if name not in library.names():
                library.create(CollectionName(name=name).name)

    def readable(self) -> list[str]:
        """Return the collections that the caller may read, by name."""
        return [name for name in self.services.library.names() if self.may(Right.READ, name)]
