"""Personalised PageRank: local push under an edge budget, and the exact solution to check it.

Source: Andersen, Chung, Lang, "Local graph partitioning using PageRank vectors", FOCS 2006; here
frontier-synchronous, so that each round is a few numpy calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Scores = NDArray[np.float64]


def transition_matrix(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: Scores, size: int
) -> sparse.csr_array:
    """Return the row-stochastic matrix of a weighted graph; rows without edges stay zero."""
    matrix = sparse.csr_array((weights, (rows, columns)), shape=(size, size))
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    scale = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ matrix)


def exact_pagerank(
    transition: sparse.csr_array,
    restart: Scores,
    *,
    damping: float = 0.5,
    tolerance: float = 1e-10,
    rounds: int = 200,
) -> Scores:
    """Return p with p = (1 - damping) restart + damping P'p by power iteration.

    `restart` sums to 1. Mass at nodes without edges is lost, as in the push form, so that both
    agree.
    """
    scores = np.zeros_like(restart)
    residual = (1.0 - damping) * restart
    backwards = transition.T.tocsr()
    for _ in range(rounds):
        scores += residual
        residual = damping * (backwards @ residual)
        if residual.sum() < tolerance:
            break
    return scores


def push_pagerank(
    transition: sparse.csr_array,
    restart: Scores,
    *,
    damping: float = 0.5,
    epsilon: float = 1e-6,
    edge_budget: int = 2_000_000,
) -> tuple[Scores, bool]:
    """Return (approximate scores, whether the budget sufficed).

    Each round pushes every node whose residual exceeds `epsilon`; the residual left over bounds
    the error: for each node 0 <= exact - approximate <= sum of residuals / (1 - damping).
    """
    scores = np.zeros_like(restart)
    residual = (1.0 - damping) * restart
    work = 0
    degrees = np.diff(transition.indptr)
    while True:
        active = np.flatnonzero(residual > epsilon)
        if not len(active):
            return scores, True
        work += int(degrees[active].sum())
        if work > edge_budget:
            return scores, False
        mass = residual[active]
        scores[active] += mass
        residual[active] = 0.0
        residual += damping * (transition[active].T @ mass)
