"""Stage 2 of the hybrid guide: breadth-first expansion from the seeds, guided by the question.

Each hop reads the edges of the whole frontier in one call. A neighbour whose calibrated cosine to
the question is below the threshold is left out, and each seed's traversal discovers at most
`max_nodes` nodes, itself included. The shortest ways to a node are kept, at most three. Paths may be
pruned by their relevance besides. A work budget and the question's deadline end it early; what they
cut is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Ids
from clew.core.calibration import Calibration
from clew.core.ports import GraphStore
from clew.graph.shortest_ways import KNOWLEDGE, Arc, read_arcs
from clew.retrieve.path_pruner import IntelligentPathPruner, node_relevance
from clew.retrieve.question import Question

WAYS_KEPT = 3


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """Bounds of the work: `fan_out` edges are followed from one node, those to the neighbours
    nearest to the question; they are chosen among its `hub_edges` surest ones. `edge_budget` edges
    are read at most by one question."""

    fan_out: int = 64
    hub_edges: int = 64
    edge_budget: int = 100_000


@dataclass(slots=True)
class Traversal:
    """What one seed reached: hop distance of each node and the last arcs to it. `relevance` sums
    the similarities of the nodes on the first way to each."""

    seed: int
    distance: dict[int, int]
    arcs: dict[int, list[Arc]]
    relevance: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expansion:
    """Traversals in seed order, the calibrated cosine of every node met, and what was cut short."""

    traversals: tuple[Traversal, ...]
    similarity: dict[int, float]
    partial: tuple[str, ...] = ()


NO_EXPANSION = Expansion((), {})


def expand_seeds(
    question: Question,
    seeds: Ids,
    *,
    graph: GraphStore,
    calibration: Calibration,
    settings: ExpansionSettings | None = None,
    pruner: IntelligentPathPruner | None = None,
) -> Expansion:
    """Return what is within `max_hops` of the seeds and near the question."""
    query = question.query
    bounds = settings or ExpansionSettings()
    similarity: dict[int, float] = {}
    _measure(seeds, question, similarity, graph, calibration)
    traversals = [
        Traversal(seed, {seed: 0}, {seed: []}, {seed: similarity[seed]}) for seed in seeds.tolist()
    ]
    edges_left = bounds.edge_budget
    partial: list[str] = []
    for hop in range(1, query.max_hops + 1):
        frontier = _frontier(traversals, hop, query.max_nodes)
        if not len(frontier):
            break
        if question.deadline.passed:
            partial.append(
                f"the expansion ran out of time after {hop - 1} of {query.max_hops} hops"
            )
            break
        affordable = frontier
        if len(frontier) * bounds.hub_edges > edges_left:
            degrees = graph.degrees(query.collection, frontier)
            cost = np.minimum(degrees, bounds.hub_edges)
            affordable = _affordable(frontier, cost, similarity, edges_left)
        if len(affordable) < len(frontier):
            partial.append(f"the expansion reached its budget of {bounds.edge_budget} edges")
        if not len(affordable):
            break
        edges = graph.expand(
            query.collection,
            affordable,
            at=query.temporal_at,
            edge_filter=KNOWLEDGE,
            limit=bounds.hub_edges,
            filter=query.filter,
            principal=query.principal,
        )
        edges_left -= len(edges.edge)
        edges = question.gate.admit(edges, graph=graph)
        _measure(np.unique(edges.target), question, similarity, graph, calibration)
        keep = _near(edges.target, question, similarity)
        arcs = _nearest_first(edges, keep, similarity)
        if bounds.hub_edges > bounds.fan_out:
            arcs = _capped(arcs, bounds.fan_out)
        for traversal in traversals:
            _advance(traversal, hop, arcs, query.max_nodes, similarity, pruner)
    return Expansion(tuple(traversals), similarity, tuple(dict.fromkeys(partial)))


def _frontier(traversals: list[Traversal], hop: int, max_nodes: int) -> Ids:
    """Return the nodes reached by the last hop of any traversal that has room left, by id."""
    return np.array(
        sorted(
            {
                node
                for traversal in traversals
                if len(traversal.distance) < max_nodes
                for node, distance in traversal.distance.items()
                if distance == hop - 1
            }
        ),
        np.int64,
    )


def _affordable(
    nodes: Ids, cost: NDArray[np.int64], similarity: dict[int, float], edges_left: int
) -> Ids:
    """Return the nodes nearest to the question whose edges can all be read, by id."""
    near = np.array([similarity[node] for node in nodes.tolist()])
    order = np.lexsort((nodes, -near))
    return np.sort(nodes[order][np.cumsum(cost[order]) <= edges_left])


def _measure(
    nodes: Ids,
    question: Question,
    similarity: dict[int, float],
    graph: GraphStore,
    calibration: Calibration,
) -> None:
    """Add the calibrated cosine of nodes not measured yet; a node without vector counts as 0."""
    new = np.array([node for node in nodes.tolist() if node not in similarity], np.int64)
    if len(new):
        vectors = graph.node_vectors(question.query.collection, new)
        measured = node_relevance(vectors, question.vector, calibration)
        similarity.update(zip(new.tolist(), measured.tolist(), strict=True))


def _near(nodes: Ids, question: Question, similarity: dict[int, float]) -> Booleans:
    if not question.query.vector_expansion:
        return np.ones(len(nodes), np.bool_)
    values: NDArray[np.float64] = np.array([similarity[node] for node in nodes.tolist()])
    return np.asarray(values >= question.query.vector_expansion_threshold, np.bool_)


def _nearest_first(edges: EdgeBatch, keep: Booleans, similarity: dict[int, float]) -> list[Arc]:
    """Return the edges kept as arcs, those to the nearest neighbours first."""
    arcs = [arc for arc, kept in zip(read_arcs(edges), keep.tolist(), strict=True) if kept]
    return sorted(arcs, key=lambda arc: (-similarity[arc.target], -arc.confidence, arc.edge))


def _capped(arcs: list[Arc], fan_out: int) -> list[Arc]:
    """Return the first `fan_out` arcs of each node, in order."""
    taken: dict[int, int] = {}
    kept: list[Arc] = []
    for arc in arcs:
        taken[arc.source] = taken.get(arc.source, 0) + 1
        if taken[arc.source] <= fan_out:
            kept.append(arc)
    return kept


def _advance(
    traversal: Traversal,
    hop: int,
    arcs: list[Arc],
    max_nodes: int,
    similarity: dict[int, float],
    pruner: IntelligentPathPruner | None,
) -> None:
    """Take the traversal one hop on; where there is not room for all, the first arcs have it."""
    leaving = [arc for arc in arcs if traversal.distance.get(arc.source) == hop - 1]
    for arc in _unpruned(traversal, hop, leaving, similarity, pruner):
        known = traversal.distance.get(arc.target)
        if known is None:
            if len(traversal.distance) >= max_nodes:
                continue
            traversal.distance[arc.target] = hop
            traversal.arcs[arc.target] = []
            traversal.relevance[arc.target] = (
                traversal.relevance[arc.source] + similarity[arc.target]
            )
        elif known != hop:
            continue
        if len(traversal.arcs[arc.target]) < WAYS_KEPT:
            traversal.arcs[arc.target].append(arc)


def _unpruned(
    traversal: Traversal,
    hop: int,
    arcs: list[Arc],
    similarity: dict[int, float],
    pruner: IntelligentPathPruner | None,
) -> list[Arc]:
    """Return the arcs that the pruner lets the traversal's paths take; it sees all of them at once.

    Arcs back to a node of an earlier hop are no expansion and are left out of its counts.
    """
    if pruner is None or not arcs:
        return arcs
    onward = [arc for arc in arcs if traversal.distance.get(arc.target, hop) == hop]
    so_far = np.array([traversal.relevance[arc.source] for arc in onward])
    target = np.array([similarity[arc.target] for arc in onward])
    confidence = np.array([arc.confidence for arc in onward], np.float32)
    kept = pruner.keep(((so_far + target) / (hop + 1)).astype(np.float32), confidence)
    return [arc for arc, stays in zip(onward, kept.tolist(), strict=True) if stays]
