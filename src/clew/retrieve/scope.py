"""What lies in the scope of a query's filter, for stages that walk the graph.

Searches filter inside the store; what a walk or an expansion meets is checked here. The principal is
applied by the graph store itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.core.arrays import Booleans, Ids
from clew.core.knowledge import Edge, EdgeType
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import EdgeFilter, Query

_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))


def in_scope(ids: Ids, query: Query, chunks: ChunkStore) -> Booleans:
    """Return which chunks pass the filter, shape (n,)."""
    if query.filter.is_empty():
        return np.ones(len(ids), np.bool_)
    return chunks.in_scope(query.collection, ids, filter=query.filter, principal=query.principal)


def nodes_in_scope(
    ids: Sequence[int], query: Query, *, graph: GraphStore, chunks: ChunkStore
) -> set[int]:
    """Return which nodes pass the filter: by their label, and by one passage that mentions them."""
    if query.filter.is_empty() or not ids:
        return set(ids)
    labels = query.filter.labels
    labelled = [
        node.id for node in graph.nodes(query.collection, ids) if not labels or node.label in labels
    ]
    mentions = graph.expand(
        query.collection,
        np.array(labelled, np.int64),
        edge_filter=_MENTIONS,
        principal=query.principal,
    )
    scope = replace(query, filter=replace(query.filter, labels=frozenset()))
    return set(mentions.source[in_scope(mentions.target, scope, chunks)].tolist())


def edges_in_scope(
    ids: Sequence[int], query: Query, *, graph: GraphStore, chunks: ChunkStore
) -> list[Edge]:
    """Return edges with the evidence that is in scope; those that had some and keep none are out."""
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
    return [
        kept for kept, edge in zip(cut, edges, strict=True) if kept.evidence or not edge.evidence
    ]
