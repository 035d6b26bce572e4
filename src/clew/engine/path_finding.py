"""Paths between two things as people read them: names, relations, and the passages behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

from clew.core.arrays import EdgeBatch, Ids
from clew.core.documents import Chunk, Document
from clew.core.ids import format_id
from clew.core.knowledge import Edge, EdgeType
from clew.core.ports import Store
from clew.core.query import ANY_EDGE, EdgeFilter, Principal
from clew.core.results import Path, PathStep
from clew.graph.shortest_ways import (
    KNOWLEDGE,
    Arc,
    Expand,
    Way,
    confidence,
    shortest_ways,
    way_rank,
)

MAX_PATHS = 10
_MENTIONS = "mentions"


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of nodes and passages, and the edges that a principal may see."""

    names: Mapping[int, str]
    edges: Mapping[int, Edge]

    def step(self, arc: Arc) -> PathStep:
        """Return an edge as a step in words, with the passage that states it best."""
        edge = self.edges.get(arc.edge)
        if edge is not None:
            chunk = edge.evidence[0].chunk if edge.evidence else None
        else:
            chunk = arc.source if arc.forward else arc.target
        return PathStep(
            source=arc.source,
            target=arc.target,
            source_name=self.names.get(arc.source, format_id(arc.source)),
            target_name=self.names.get(arc.target, format_id(arc.target)),
            edge=arc.edge,
            kind=arc.kind,
            relation=edge.relation if edge is not None else _MENTIONS,
            forward=arc.forward,
            confidence=arc.confidence,
            chunk=chunk,
        )


class ExpandAny(Protocol):
    """`GraphStore.expand`, bound to a collection, a moment and a principal."""

    def __call__(self, nodes: Ids, *, edge_filter: EdgeFilter, limit: int | None) -> EdgeBatch:
        """Return the edges of a frontier."""
        ...


def connecting_ways(
    expand: ExpandAny, starts: Sequence[int], ends: Sequence[int], *, max_hops: int, limit: int
) -> list[Way]:
    """Return at most `limit` ways from a start to an end, shortest first, then surest.

    All are as short as their kind allows: those over knowledge edges, and those that pass through
    passages too, where a passage that mentions two things joins them by two hops. At equal length
    knowledge comes first.
    """
    found: dict[tuple[int, ...], Way] = {}
    for edge_filter in (KNOWLEDGE, ANY_EDGE):
        follow: Expand = partial(expand, edge_filter=edge_filter)
        for way in shortest_ways(follow, starts, ends, max_hops=max_hops, limit=limit):
            found.setdefault(tuple(arc.edge for arc in way), way)
    return sorted(found.values(), key=way_rank)[:limit]


def find_paths(
    store: Store,
    collection: str,
    starts: Sequence[int],
    ends: Sequence[int],
    *,
    max_hops: int,
    at: datetime | None,
    principal: Principal,
) -> tuple[Path, ...]:
    """Return the best paths, at most ten, as `connecting_ways` orders them.

    `relevance_score` is the product of the edges' confidences: there is no question to score
    against. A passage on a path is called by its document's title and its page.
    """
    expand = partial(store.expand, collection, at=at, principal=principal)
    ways = connecting_ways(expand, starts, ends, max_hops=max_hops, limit=MAX_PATHS)
    labels = labels_of(store, collection, ways, principal)
    return tuple(
        Path(tuple(map(labels.step, way)), relevance_score=confidence(way)) for way in ways
    )


def labels_of(store: Store, collection: str, ways: Iterable[Way], principal: Principal) -> Labels:
    """Return what names the steps of ways."""
    arcs = [arc for way in ways for arc in way]
    touched = sorted({end for arc in arcs for end in (arc.source, arc.target)})
    edges = sorted({arc.edge for arc in arcs if arc.kind is not EdgeType.MENTIONS})
    names = {node.id: node.name for node in store.nodes(collection, touched, principal=principal)}
    passages = store.chunks(
        collection, [end for end in touched if end not in names], principal=principal
    )
    documents = {
        document.id: document
        for document in store.documents(
            collection, ids=sorted({chunk.document for chunk in passages}), principal=principal
        )
    }
    names |= {chunk.id: _passage_name(chunk, documents.get(chunk.document)) for chunk in passages}
    found = store.edges(collection, edges, principal=principal)
    return Labels(names, {edge.id: edge for edge in found})


def _passage_name(chunk: Chunk, document: Document | None) -> str:
    title = document.title if document is not None else format_id(chunk.document)
    place = f"page {chunk.page}" if chunk.page is not None else f"passage {chunk.ordinal + 1}"
    return f"[{title}, {place}]"
