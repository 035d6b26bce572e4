"""Who asks: the key of a request, turned into rights and a principal."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from clew.core.query import Principal
from clew.engine.clew import Clew
from clew.serve.access.api_key import ApiKey, Right
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import services_of


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller at a collection, whose right to it has been checked."""

    clew: Clew
    collection: str
    principal: Principal


def key_of(request: Request) -> ApiKey | None:
    """Return the key of a request, None where the server needs none."""
    key: ApiKey | None = request.state.api_key
    return key


def require(request: Request, right: Right, collection: str | None = None) -> None:
    """Check a right in a collection; None: in the store as a whole.

    Raises:
        Problem: the key does not have it; whether the collection exists is not told.
    """
    key = key_of(request)
    if key is not None and not key.may(right, collection):
        place = "the whole store" if collection is None else f"the collection {collection!r}"
        raise Problem(403, f"This key does not have the right {right.value!r} to {place}.")


def caller_at(request: Request, collection: str, right: Right) -> Caller:
    """Return the caller with the facade of a collection.

    Raises:
        Problem: the key does not have the right.
        NotFoundError: there is no such collection.
    """
    require(request, right, collection)
    key = key_of(request)
    principal = Principal() if key is None else key.principal
    return Caller(services_of(request).library.collection(collection), collection, principal)
