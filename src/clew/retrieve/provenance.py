"""Stage 4 of the hybrid guide: why each node of the context is there."""

from __future__ import annotations

import numpy as np

from clew.core.ports import GraphStore
from clew.core.query import Query
from clew.core.results import Provenance
from clew.retrieve.expansion import Expansion
from clew.retrieve.scope import document_scope
from clew.retrieve.seeds import Seeds


def explain_nodes(
    query: Query, seeds: Seeds, expansion: Expansion, *, graph: GraphStore
) -> tuple[Provenance, ...]:
    """Return the context's nodes, at most `max_nodes`: seeds by rank, then by hop and similarity.

    `vector_score` is the calibrated cosine of question and node; hubs are the top tenth by degree.
    """
    distance: dict[int, int] = {}
    for traversal in expansion.traversals:
        for node, hop in traversal.distance.items():
            distance[node] = min(hop, distance.get(node, hop))
    rank = {node: place for place, node in enumerate(seeds.fused.ids.tolist(), start=1)}
    fused = dict(zip(seeds.fused.ids.tolist(), seeds.fused.scores.tolist(), strict=True))
    signals = dict(zip(seeds.fused.ids.tolist(), seeds.signals, strict=True))
    order = sorted(
        distance,
        key=lambda node: (
            distance[node],
            rank.get(node, len(rank) + 1),
            -expansion.similarity[node],
            node,
        ),
    )[: query.max_nodes]
    ids = np.array(order, np.int64)
    degrees = graph.degrees(query.collection, ids).tolist()
    hub_degree = graph.hub_degree(query.collection)
    names = graph.node_names(
        query.collection, ids, filter=document_scope(query), principal=query.principal
    )
    return tuple(
        Provenance(
            node=node,
            name=names[node],
            vector_score=expansion.similarity[node],
            graph_degree=degree,
            hub=degree >= hub_degree,
            hop_distance=distance[node],
            seed_rank=rank.get(node),
            fused_score=fused.get(node) or None,
            signals=signals.get(node, ("graph",)),
        )
        for node, degree in zip(order, degrees, strict=True)
        if node in names
    )
