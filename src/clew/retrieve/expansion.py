"""Stage 2 of the hybrid guide: breadth-first expansion from the seeds, guided by the question.

Each hop reads the edges of the whole frontier in one call. A neighbour whose calibrated cosine to
the question is below the threshold is left out, and each seed's traversal discovers at most
`max_nodes` nodes, itself included. The shortest ways to a node are kept, at most three.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Floats, Ids
from clew.core.calibration import Calibration, PairKind
from clew.core.ports import ChunkStore, GraphStore
from clew.graph.shortest_ways import KNOWLEDGE, Arc, read_arcs
from clew.retrieve.question import Question
from clew.retrieve.scope import edges_in_scope

WAYS_KEPT = 3
_FAN_OUT = 64


@dataclass(slots=True)
class Traversal:
    """What one seed reached: hop distance of each node and the last arcs to it."""

    seed: int
    distance: dict[int, int]
    arcs: dict[int, list[Arc]]


@dataclass(frozen=True, slots=True)
class Expansion:
    """Traversals in seed order, and the calibrated cosine of every node met."""

    traversals: tuple[Traversal, ...]
    similarity: dict[int, float]


NO_EXPANSION = Expansion((), {})


def expand_seeds(
    question: Question,
    seeds: Ids,
    *,
    graph: GraphStore,
    chunks: ChunkStore,
    calibration: Calibration,
) -> Expansion:
    """Return what is within `max_hops` of the seeds and near the question."""
    query = question.query
    similarity: dict[int, float] = {}
    _measure(seeds, question, similarity, graph, calibration)
    traversals = [Traversal(seed, {seed: 0}, {seed: []}) for seed in seeds.tolist()]
    for hop in range(1, query.max_hops + 1):
        frontier = np.array(
            sorted(
                {
                    node
                    for traversal in traversals
                    if len(traversal.distance) < query.max_nodes
                    for node, distance in traversal.distance.items()
                    if distance == hop - 1
                }
            ),
            np.int64,
        )
        if not len(frontier):
            break
        edges = graph.expand(
            query.collection,
            frontier,
            at=query.temporal_at,
            edge_filter=KNOWLEDGE,
            limit=_FAN_OUT,
            principal=query.principal,
        )
        _measure(np.unique(edges.target), question, similarity, graph, calibration)
        keep = _near(edges.target, question, similarity)
        keep &= _stated_in_scope(edges.edge, question, graph, chunks)
        arcs = _nearest_first(edges, keep, similarity)
        for traversal in traversals:
            _advance(traversal, hop, arcs, query.max_nodes)
    return Expansion(tuple(traversals), similarity)


def _measure(
    nodes: Ids,
    question: Question,
    similarity: dict[int, float],
    graph: GraphStore,
    calibration: Calibration,
) -> None:
    """Add the calibrated cosine of nodes not measured yet; a node without vector counts as 0."""
    new = np.array([node for node in nodes.tolist() if node not in similarity], np.int64)
    if not len(new):
        return
    vectors = graph.node_vectors(question.query.collection, new)
    if not vectors.shape[1]:
        similarity.update(dict.fromkeys(new.tolist(), 0.0))
        return
    cosine: Floats = np.asarray(vectors @ question.vector, np.float32)
    measured = calibration.apply(cosine, PairKind.QUESTION_NODE)
    measured = np.where(vectors.any(axis=1), measured, 0.0)
    similarity.update(zip(new.tolist(), measured.tolist(), strict=True))


def _near(nodes: Ids, question: Question, similarity: dict[int, float]) -> Booleans:
    if not question.query.vector_expansion:
        return np.ones(len(nodes), np.bool_)
    values: NDArray[np.float64] = np.array([similarity[node] for node in nodes.tolist()])
    return np.asarray(values >= question.query.vector_expansion_threshold, np.bool_)


def _stated_in_scope(
    edges: Ids, question: Question, graph: GraphStore, chunks: ChunkStore
) -> Booleans:
    """Return which edges some passage in the question's scope states, or none at all."""
    query = question.query
    if query.filter.is_empty():
        return np.ones(len(edges), np.bool_)
    rows = edges_in_scope(np.unique(edges).tolist(), query, graph=graph, chunks=chunks)
    return np.asarray(np.isin(edges, [edge.id for edge in rows]), np.bool_)


def _nearest_first(edges: EdgeBatch, keep: Booleans, similarity: dict[int, float]) -> list[Arc]:
    """Return the edges kept as arcs, those to the nearest neighbours first."""
    arcs = [arc for arc, kept in zip(read_arcs(edges), keep.tolist(), strict=True) if kept]
    return sorted(arcs, key=lambda arc: (-similarity[arc.target], -arc.confidence, arc.edge))


def _advance(traversal: Traversal, hop: int, arcs: list[Arc], max_nodes: int) -> None:
    """Take the traversal one hop on; where there is not room for all, the first arcs have it."""
    for arc in arcs:
        if traversal.distance.get(arc.source) != hop - 1:
            continue
        known = traversal.distance.get(arc.target)
        if known is None:
            if len(traversal.distance) >= max_nodes:
                continue
            traversal.distance[arc.target] = hop
            traversal.arcs[arc.target] = []
        elif known != hop:
            continue
        if len(traversal.arcs[arc.target]) < WAYS_KEPT:
            traversal.arcs[arc.target].append(arc)
