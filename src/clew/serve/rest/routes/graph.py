"""The graph of a collection: nodes, paths between two things, communities."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import AwareDatetime

from clew.core.ids import parse_id
from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from clew.serve.rest.caller import caller_at
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_questions import KnowledgeKind, Words
from clew.serve.rest.services import services_of

router = APIRouter(prefix="/v1/{collection}", tags=["graph"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]
Thing = Annotated[str, Query(min_length=1, max_length=1000, description="A name or an id.")]


@router.get("/nodes", summary="Find a thing by its name")
def node_by_name(request: Request, collection: Collection, name: Thing) -> JsonObject:
    """Return the thing that a name or an id stands for, the most mentioned one."""
    caller = caller_at(request, collection, Right.READ)
    return {"node": to_json(caller.clew.node(name, principal=caller.principal))}


@router.get("/nodes/{node}", summary="Look at a thing by its id")
def node_by_id(
    request: Request,
    collection: Collection,
    node: Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")],
) -> JsonObject:
    """Return the thing with an id."""
    caller = caller_at(request, collection, Right.READ)
    return {"node": to_json(caller.clew.node(parse_id(node), principal=caller.principal))}


@router.get("/neighbours", summary="Show what a thing is joined to")
def neighbours(
    request: Request,
    collection: Collection,
    name: Thing,
    limit: Annotated[int, Query(ge=1, le=1000)] = 20,
    kind: Annotated[list[KnowledgeKind], Query(description="Repeatable; none: all.")] = [],  # noqa: B006
    temporal_at: AwareDatetime | None = None,
    known_as_of: AwareDatetime | None = None,
) -> JsonObject:
    """Return the thing, its neighbours with what states each edge, surest first, and its degree."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.graph.neighbours(
        name,
        limit=limit,
        kinds=kind,
        temporal_at=temporal_at,
        known_as_of=known_as_of,
        principal=caller.principal,
    )
    return {
        "node": to_json(found.node),
        "neighbours": to_json(found.neighbours),
        "degree": found.degree,
    }


@router.get("/edges/{edge}", summary="Look at an edge by its id")
def edge(
    request: Request,
    collection: Collection,
    edge: Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")],
    known_as_of: AwareDatetime | None = None,
) -> JsonObject:
    """Return an edge, also a retired one, with each passage that states it."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.graph.edge(
        parse_id(edge), known_as_of=known_as_of, principal=caller.principal
    )
    return {
        "edge": to_json(found.edge),
        "source_name": found.source_name,
        "target_name": found.target_name,
        "statements": to_json(found.statements),
    }


@router.get("/timeline", summary="Show what was when")
def timeline(
    request: Request,
    collection: Collection,
    name: Annotated[Words | None, Query(description="A name or an id; none: all.")] = None,
    start: AwareDatetime | None = None,
    end: AwareDatetime | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    known_as_of: AwareDatetime | None = None,
) -> JsonObject:
    """Return dated edges and claims of a thing, or dated edges of all, earliest first."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.graph.timeline(
        name,
        start=start,
        end=end,
        limit=limit,
        known_as_of=known_as_of,
        principal=caller.principal,
    )
    return {"timeline": to_json(found)}


@router.get("/paths", summary="Show how two things are connected")
def paths(
    request: Request,
    collection: Collection,
    first: Thing,
    second: Thing,
    max_hops: Annotated[int, Query(ge=1, le=8)] = 4,
    temporal_at: AwareDatetime | None = None,
    known_as_of: AwareDatetime | None = None,
) -> JsonObject:
    """Return the shortest paths, surest first; none is an empty list."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.path(
        first,
        second,
        max_hops=max_hops,
        temporal_at=temporal_at,
        known_as_of=known_as_of,
        principal=caller.principal,
    )
    return {"paths": to_json(found)}


@router.get("/communities", summary="List communities")
def communities(
    request: Request,
    collection: Collection,
    level: Annotated[int | None, Query(ge=0, le=9)] = None,
) -> JsonObject:
    """Return the communities as they were built last, with their summaries."""
    caller = caller_at(request, collection, Right.READ)
    return {
        "communities": to_json(caller.clew.communities(level=level, principal=caller.principal))
    }


@router.post("/communities", summary="Build communities")
def build_communities(
    request: Request,
    collection: Collection,
    afresh: bool = False,  # noqa: FBT001 - a query field
) -> JsonObject:
    """Find and summarise the communities; what did not change is kept."""
    caller = caller_at(request, collection, Right.WRITE)
    with services_of(request).writing.turn():
        return {"report": to_json(caller.clew.build_communities(afresh=afresh))}
