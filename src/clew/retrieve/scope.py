"""What lies in the scope of a query's filter, for stages that read single edges and names.

Searches and expansions filter inside the stores, before they limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.core.arrays import NO_CHUNK, Booleans, EdgeLabels, Ids
from clew.core.knowledge import Edge
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import Filter, Query


def in_scope(ids: Ids, query: Query, chunks: ChunkStore) -> Booleans:
    """Return which chunks pass the filter, shape (n,)."""
    if query.filter.is_empty():
        return np.ones(len(ids), np.bool_)
    return chunks.in_scope(query.collection, ids, filter=query.filter, principal=query.principal)


def document_scope(query: Query) -> Filter:
    """Return the filter on documents alone: things of any label may stand on a path."""
    return replace(query.filter, labels=frozenset())


def labels_in_scope(ids: Ids, query: Query, *, graph: GraphStore, chunks: ChunkStore) -> EdgeLabels:
    """Return the labels of edges; under a filter from evidence that is in scope alone."""
    if query.filter.is_empty():
        return graph.edge_labels(query.collection, ids, principal=query.principal)
    held = {
        edge.id: edge for edge in edges_in_scope(ids.tolist(), query, graph=graph, chunks=chunks)
    }
    found = [held.get(identifier) for identifier in ids.tolist()]
    return EdgeLabels(
        np.array([edge is not None for edge in found], np.bool_),
        tuple("" if edge is None else edge.relation for edge in found),
        np.array(
            [edge.evidence[0].chunk if edge and edge.evidence else NO_CHUNK for edge in found],
            np.int64,
        ),
    )


def edges_in_scope(
    ids: Sequence[int], query: Query, *, graph: GraphStore, chunks: ChunkStore
) -> list[Edge]:
    """Return edges with the evidence that is in scope; under a filter those without any are out."""
    edges = graph.edges(query.collection, ids, principal=query.principal)
    if query.filter.is_empty():
        return edges
    stating = np.unique(
        np.fromiter((row.chunk for edge in edges for row in edge.evidence), np.int64)
    )
    allowed = set(stating[in_scope(stating, query, chunks)].tolist())
    cut = [
        replace(edge, evidence=tuple(row for row in edge.evidence if row.chunk in allowed))
        for edge in edges
    ]
    return [edge for edge in cut if edge.evidence]
