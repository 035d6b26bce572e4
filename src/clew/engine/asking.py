"""What the facade asks of a collection's components: queries, names, and paths between things."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from clew.core.errors import QueryError
from clew.core.query import Principal, Query, RetrievalMode
from clew.core.results import Path, Retrieval
from clew.engine.community_building import USING_COMMUNITIES, notes_on
from clew.engine.components import Components
from clew.engine.naming import find_nodes
from clew.engine.path_finding import find_paths
from clew.engine.questions import QueryParameters, build_query

MAX_PATH_HOPS = 8


def query_of(
    components: Components,
    question: str,
    *,
    mode: RetrievalMode | str | None,
    top_k: int | None,
    principal: Principal,
    parameters: QueryParameters,
) -> Query:
    """Return a question to a collection; what is not given comes from its settings.

    Raises:
        QueryError: a parameter is unknown or out of range.
        UnsupportedModeError: the mode does not work yet.
    """
    query = build_query(
        question,
        collection=components.collection,
        settings=components.settings.retrieval,
        mode=mode,
        top_k=top_k,
        principal=principal,
        parameters=parameters,
    )
    if query.known_as_of is not None and query.mode in USING_COMMUNITIES:
        raise QueryError(
            f"mode {query.mode.value!r} reads the communities of the present: leave known_as_of "
            "out, or take another mode"
        )
    return query


def retrieve(components: Components, query: Query) -> Retrieval:
    """Return the evidence for a query, with what a reader must know of the communities in it."""
    retrieval = components.retriever().retrieve(query)
    notes = notes_on(components, retrieval.query)
    return replace(retrieval, notes=(*retrieval.notes, *notes)) if notes else retrieval


def nodes_named(
    components: Components, name: str | int, *, principal: Principal
) -> tuple[int, ...]:
    """Return the nodes that a name or an id stands for, most mentioned first.

    Raises:
        NotFoundError: there is none; the message gives names that come near.
    """
    return find_nodes(
        components.store,
        components.collection,
        name,
        principal=principal,
        embedder=components.embedder,
    )


def paths_between(
    components: Components,
    first: str | int,
    second: str | int,
    *,
    max_hops: int,
    at: datetime | None,
    principal: Principal,
) -> tuple[Path, ...]:
    """Return the best paths between two things.

    Raises:
        NotFoundError: a name is unknown; the message gives names that come near.
        QueryError: both are one thing, or `max_hops` is out of range.
    """
    if not 1 <= max_hops <= MAX_PATH_HOPS:
        raise QueryError(f"max_hops is {max_hops}; it must lie in 1..{MAX_PATH_HOPS}")
    starts, ends = (nodes_named(components, name, principal=principal) for name in (first, second))
    if set(starts) & set(ends):
        raise QueryError(f"{first!r} and {second!r} name the same thing; give two")
    return find_paths(
        components.store,
        components.collection,
        starts,
        ends,
        max_hops=max_hops,
        at=at,
        principal=principal,
    )
