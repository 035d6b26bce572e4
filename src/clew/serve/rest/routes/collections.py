"""Collections: list, create, look at, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from clew.serve.rest.caller import caller_at, key_of, require
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_documents import RESERVED, CollectionName
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import services_of

router = APIRouter(prefix="/v1/collections", tags=["collections"])
Name = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", summary="List collections")
def list_collections(request: Request) -> JsonObject:
    """Return the collections that the key may read, by name."""
    key = key_of(request)
    names = services_of(request).library.names()
    return {"collections": [name for name in names if key is None or key.may(Right.READ, name)]}


@router.post("", status_code=201, summary="Create a collection")
def create(request: Request, body: CollectionName) -> JsonObject:
    """Make an empty collection; a key that is kept to some collections makes these alone."""
    require(request, Right.ADMIN, body.name)
    services = services_of(request)
    if body.name in RESERVED:
        raise Problem(409, f"The name {body.name!r} belongs to the server; choose another.")
    with services.writing.turn():
        if body.name in services.library.names():
            raise Problem(409, f"There is a collection {body.name!r} already.")
        services.library.create(body.name)
    return {"name": body.name}


@router.get("/{name}", summary="Count what a collection holds")
def status(request: Request, name: Name) -> JsonObject:
    """Return counts, unfinished work and the model; they count documents of every group."""
    caller = caller_at(request, name, Right.READ)
    if caller.principal.groups is not None:
        raise Problem(403, "Counts tell of all documents, and this key sees those of its groups.")
    return {"status": to_json(caller.clew.status())}


@router.delete("/{name}", summary="Delete a collection with all that is in it")
def delete(request: Request, name: Name) -> JsonObject:
    """Remove the collection; it cannot be brought back."""
    require(request, Right.ADMIN, name)
    services = services_of(request)
    with services.writing.turn():
        services.library.drop(name)
        services.spool.drop_collection(name)
    return {"deleted": name}
