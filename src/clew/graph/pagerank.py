"""PageRank and personalised PageRank by power iteration on a sparse matrix.

Source: Page, Brin, Motwani and Winograd, The PageRank Citation Ranking (1999); the walk starts
again at a given distribution instead of anywhere: Haveliwala, Topic-Sensitive PageRank (2002).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from clew.graph.edge_graph import EdgeGraph, Weights

DAMPING = 0.85
TOLERANCE = 1e-10
_MOST_STEPS = 10_000


def pagerank(
    graph: EdgeGraph,
    *,
    restart: Weights | None = None,
    damping: float = DAMPING,
    both_ways: bool = False,
    tolerance: float = TOLERANCE,
) -> Weights:
    """Return the stationary share of each row, shape (n,), with sum 1.

    p = damping (P^T p + d) + (1 - damping) restart, where P follows an edge with probability in
    proportion to its confidence and d is what stands on nodes that no edge leaves, spread by
    `restart` (None: evenly). `both_ways` walks edges against their direction, too. Iteration ends
    once p changes by less than `tolerance` in all; the error is then below
    tolerance x damping / (1 - damping).
    """
    size = len(graph.ids)
    if not size:
        return np.empty(0, np.float64)
    start = np.full(size, 1.0 / size) if restart is None else restart / restart.sum()
    walk = _transposed_walk(graph, both_ways=both_ways)
    leaving = np.asarray(walk.sum(axis=0)).ravel()
    stuck = leaving <= 0
    scale = np.divide(1.0, leaving, out=np.zeros(size), where=~stuck)
    share = start
    for _ in range(_MOST_STEPS):
        following = damping * (walk @ (share * scale) + share[stuck].sum() * start)
        following += (1.0 - damping) * start
        change = np.abs(following - share).sum()
        share = following
        if change < tolerance:
            break
    return np.asarray(share / share.sum(), np.float64)


def restart_at(graph: EdgeGraph, weights: dict[int, float]) -> Weights:
    """Return the restart distribution with the given weights by node id; all 0 if none is there."""
    start = np.zeros(len(graph.ids))
    for node, weight in weights.items():
        start[graph.rows(np.array([node], np.int64))] = weight
    total = start.sum()
    return start / total if total else start


def _transposed_walk(graph: EdgeGraph, *, both_ways: bool) -> sparse.csr_array:
    """Return the matrix whose entry (target, source) is the confidence of the edges between."""
    source, target, weight = graph.source, graph.target, graph.confidence
    if both_ways:
        apart = source != target
        source, target, weight = (
            np.concatenate([source, target[apart]]),
            np.concatenate([target, source[apart]]),
            np.concatenate([weight, weight[apart]]),
        )
    size = len(graph.ids)
    return sparse.csr_array((weight, (target, source)), shape=(size, size))
