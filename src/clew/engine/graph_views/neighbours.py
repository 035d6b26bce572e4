"""The neighbours of a thing, with what the surest evidence of each edge says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np

from clew.core.graph_views import Neighbour, Neighbours
from clew.core.knowledge import Edge, EdgeType, Standing
from clew.core.ports import Store
from clew.core.query import EdgeFilter, Principal

KNOWLEDGE_KINDS = frozenset(EdgeType) - {EdgeType.MENTIONS}


def neighbours_of(
    store: Store,
    collection: str,
    node: int,
    *,
    limit: int,
    kinds: Iterable[EdgeType],
    at: datetime | None,
    principal: Principal,
) -> Neighbours:
    """Return a node with its first `limit` neighbours, edges of every standing among them."""
    wanted = frozenset(kinds) or KNOWLEDGE_KINDS
    found = store.expand(
        collection,
        np.array([node], np.int64),
        at=at,
        edge_filter=EdgeFilter(kinds=wanted, standings=frozenset(Standing)),
        principal=principal,
    )
    ids, ends = found.edge[:limit].tolist(), found.target[:limit].tolist()
    edges = {edge.id: edge for edge in store.edges(collection, ids, principal=principal)}
    nodes = {
        each.id: each
        for each in store.nodes(collection, sorted({node, *ends}), principal=principal)
    }
    quoted = quotations(store, collection, list(edges.values()), principal=principal)
    return Neighbours(
        nodes[node],
        tuple(
            Neighbour(nodes[end], edges[edge], bool(forward), quoted.get(edge))
            for edge, end, forward in zip(ids, ends, found.forward[:limit], strict=True)
            if edge in edges and end in nodes
        ),
        len(found.edge),
    )


def quotations(
    store: Store, collection: str, edges: Sequence[Edge], *, principal: Principal
) -> dict[int, str]:
    """Return the text of the surest evidence of each edge that has some."""
    surest = {edge.id: edge.evidence[0] for edge in edges if edge.evidence}
    ids = sorted({evidence.chunk for evidence in surest.values()})
    texts = {chunk.id: chunk.text for chunk in store.chunks(collection, ids, principal=principal)}
    return {
        edge: texts[evidence.chunk][evidence.span.start : evidence.span.end]
        for edge, evidence in surest.items()
        if evidence.chunk in texts
    }
