"""Graph algorithms over a collection; ids of what is found can be given as `seed_node_ids`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypedDict

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import AwareDatetime

from clew.core.query import Principal
from clew.engine.algorithms.algorithms import LONGEST_RING, MOST_HOPS, MOST_PATHS, Algorithms
from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from clew.serve.rest.caller import caller_at
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_questions import KnowledgeKind, Words

router = APIRouter(prefix="/v1/{collection}/algorithms", tags=["algorithms"])
Thing = Annotated[str, Query(min_length=1, max_length=1000, description="A name or an id.")]
Things = Annotated[
    list[Words], Query(min_length=1, max_length=100, description="Names or ids; repeatable.")
]
Labels = Annotated[list[Words], Query(max_length=100, description="Repeatable; none: all.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
PathLimit = Annotated[int, Query(ge=1, le=MOST_PATHS)]
Hops = Annotated[int, Query(ge=1, le=MOST_HOPS)]
RingSize = Annotated[int, Query(ge=2, le=LONGEST_RING)]
Damping = Annotated[float, Query(gt=0, lt=1, description="The chance to walk on.")]


class Given(TypedDict):
    """Which edges count, and for whom: what every algorithm takes."""

    kinds: Sequence[str]
    temporal_at: datetime | None
    principal: Principal


@dataclass(frozen=True, slots=True)
class Scope:
    """The algorithms of the caller's collection and what each of them is given."""

    algorithms: Algorithms
    given: Given


def scope_of(
    request: Request,
    collection: Annotated[str, Path(min_length=1, max_length=200)],
    kind: Annotated[list[KnowledgeKind], Query(description="Repeatable; none: all.")] = [],  # noqa: B006
    temporal_at: AwareDatetime | None = None,
) -> Scope:
    """Return the scope that every algorithm takes."""
    caller = caller_at(request, collection, Right.READ)
    given = Given(kinds=kind, temporal_at=temporal_at, principal=caller.principal)
    return Scope(caller.clew.algorithms, given)


InScope = Annotated[Scope, Depends(scope_of)]


@router.get("/pagerank", summary="Rank things by PageRank")
def pagerank(
    scope: InScope,
    limit: Limit = 20,
    label: Labels = [],  # noqa: B006
    damping: Damping = 0.85,
) -> JsonObject:
    """Return the things of highest PageRank, at a time if one is given."""
    found = scope.algorithms.pagerank(
        limit=limit,
        labels=label,
        damping=damping,
        **scope.given,
    )
    return {"nodes": to_json(found)}


@router.get("/personalised-pagerank", summary="Rank things by their nearness to others")
def personalised_pagerank(
    scope: InScope,
    name: Things,
    limit: Limit = 20,
    label: Labels = [],  # noqa: B006
    damping: Damping = 0.85,
) -> JsonObject:
    """Return the things that a walk from the named ones meets most."""
    found = scope.algorithms.personalised_pagerank(
        *name,
        limit=limit,
        labels=label,
        damping=damping,
        **scope.given,
    )
    return {"nodes": to_json(found)}


@router.get("/recommendations", summary="Recommend what is near and not yet joined")
def recommendations(
    scope: InScope,
    name: Things,
    limit: Limit = 10,
    label: Labels = [],  # noqa: B006
    damping: Damping = 0.85,
) -> JsonObject:
    """Return the nearest things that no edge joins to the named ones."""
    found = scope.algorithms.recommend(
        *name,
        limit=limit,
        labels=label,
        damping=damping,
        **scope.given,
    )
    return {"nodes": to_json(found)}


@router.get("/cheapest-paths", summary="Find the surest paths between two things")
def cheapest_paths(
    scope: InScope, first: Thing, second: Thing, limit: PathLimit = 3, max_hops: Hops = 6
) -> JsonObject:
    """Return paths by cost; an edge costs .1 less the logarithm of its confidence."""
    found = scope.algorithms.cheapest_paths(
        first,
        second,
        limit=limit,
        max_hops=max_hops,
        **scope.given,
    )
    return {"found": to_json(found)}


@router.get("/attack-paths", summary="Find the riskiest ways from entries to targets")
def attack_paths(
    scope: InScope, entry: Things, target: Things, limit: PathLimit = 5, max_hops: Hops = 6
) -> JsonObject:
    """Return directed paths, the most probable first."""
    found = scope.algorithms.attack_paths(
        entry,
        target,
        limit=limit,
        max_hops=max_hops,
        **scope.given,
    )
    return {"found": to_json(found)}


@router.get("/rings", summary="Find rings among things of a label")
def rings(
    scope: InScope,
    entity_type: Things,
    min_ring_size: RingSize = 3,
    max_ring_size: RingSize = 8,
    limit: Limit = 100,
) -> JsonObject:
    """Return directed cycles and dense groups; `min_ring_size` is at most `max_ring_size`."""
    found = scope.algorithms.fraud_ring_detection(
        entity_type,
        min_ring_size,
        max_ring_size=max_ring_size,
        limit=limit,
        **scope.given,
    )
    return {"found": to_json(found)}
