"""Statements of the graph that contradict what an answer cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from clew.core.contradictions import ContradictionKind
from clew.core.documents import Span
from clew.core.entities import Conflict, ConflictKind
from clew.core.knowledge import Edge
from clew.core.ports import Store
from clew.core.query import Query
from clew.graph.shortest_ways import KNOWLEDGE
from clew.knowledge.conflicts import find_conflicts

MOST_EDGES = 256
"""Edges of a thing that are looked at, surest first."""

_KINDS = {
    ConflictKind.DATE: ContradictionKind.DATE,
    ConflictKind.VALUE: ContradictionKind.VALUE,
    ConflictKind.DENIAL: ContradictionKind.DENIAL,
}


@dataclass(frozen=True, slots=True)
class Stated:
    """A value and the span of a passage that states it."""

    value: str
    chunk: int
    span: Span


@dataclass(frozen=True, slots=True)
class StatedClash:
    """Two values of one thing; `cited` is the one that the answer rests on."""

    kind: ContradictionKind
    subject: str
    relation: str | None
    cited: Stated
    other: Stated


def stated_clashes(
    store: Store,
    query: Query,
    cited: Mapping[int, Sequence[Span]],
    single_valued: frozenset[str],
) -> Iterator[StatedClash]:
    """Yield values that contradict one stated in a cited span, by chunk.

    Only edges in force count, at `temporal_at` where the query gives it.
    """
    nodes = _named_in(store, query, cited)
    if not nodes:
        return
    batch = store.expand(
        query.collection,
        np.array(nodes, np.int64),
        at=query.temporal_at,
        edge_filter=KNOWLEDGE,
        limit=MOST_EDGES,
        filter=query.filter,
        principal=query.principal,
    )
    edges = store.edges(
        query.collection, sorted(set(batch.edge.tolist())), principal=query.principal
    )
    ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
    names = {
        node.id: node.name
        for node in store.nodes(query.collection, ends, principal=query.principal)
    }
    subjects = sorted({edge.source for edge in edges if _is_cited(edge, cited)})
    for subject in subjects:
        own = [edge for edge in edges if edge.source == subject and edge.retired_at is None]
        for conflict in find_conflicts(subject, (), own, names, single_valued=single_valued):
            yield from _pairs(conflict, names.get(subject, ""), own, cited)


def _named_in(store: Store, query: Query, cited: Mapping[int, Sequence[Span]]) -> list[int]:
    return sorted(
        {
            mention.node
            for mention in store.mentions(query.collection, sorted(cited))
            if _meets(mention.span, cited[mention.chunk]) or mention.span.start == mention.span.end
        }
    )


def _pairs(
    conflict: Conflict, subject: str, edges: Sequence[Edge], cited: Mapping[int, Sequence[Span]]
) -> Iterator[StatedClash]:
    """Yield each cited value with each other one."""
    spans: dict[int, list[Span]] = {}
    for edge in edges:
        if conflict.relation is None or _relation_of(edge).startswith(conflict.relation):
            for found in edge.evidence:
                spans.setdefault(found.chunk, []).append(found.span)
    stated = [
        (place, Stated(value.value, chunk, span))
        for place, value in enumerate(conflict.values)
        for chunk in value.chunks
        for span in spans.get(chunk, ())[:1]
    ]
    for (first, one), (second, other) in product(stated, stated):
        if first == second or one.chunk == other.chunk or one.chunk not in cited:
            continue
        if _meets(one.span, cited[one.chunk]):
            yield StatedClash(_KINDS[conflict.kind], subject, conflict.relation, one, other)


def _relation_of(edge: Edge) -> str:
    return edge.relation.removeprefix("NOT_") if edge.negated else edge.relation


def _is_cited(edge: Edge, cited: Mapping[int, Sequence[Span]]) -> bool:
    return any(
        found.chunk in cited and _meets(found.span, cited[found.chunk]) for found in edge.evidence
    )


def _meets(span: Span, others: Sequence[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)
