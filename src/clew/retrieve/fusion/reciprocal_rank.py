"""Weighted reciprocal rank fusion.

score(d) = sum over lists i of w_i / (k + rank_i(d)), ranks from 1. Source: Cormack, Clarke, Büttcher,
"Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009;
weighted as in the hybrid guide, stage 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Hits, Ids, empty_hits, top_hits

RANK_CONSTANT = 60


def reciprocal_rank(
    lists: Sequence[Hits],
    *,
    weights: Sequence[float],
    limit: int,
    k: int = RANK_CONSTANT,
) -> Hits:
    """Return the fusion of ranked lists, best first; an id counts once a list.

    Only the order of a list counts, not its scores. Fused scores are scaled by (k + 1) / sum(weights), so that what is first in every list has 1.
    """
    used = [
        (_distinct(hits.ids), weight)
        for hits, weight in zip(lists, weights, strict=True)
        if weight > 0
    ]
    total = sum(weight for _, weight in used)
    if not used or not any(len(ids) for ids, _ in used):
        return empty_hits()
    every = np.concatenate([ids for ids, _ in used])
    share = np.concatenate(
        [weight / (k + np.arange(1, len(ids) + 1, dtype=np.float64)) for ids, weight in used]
    )
    unique, row = np.unique(every, return_inverse=True)
    scores = np.bincount(row, weights=share) * (k + 1) / total
    return top_hits(unique, scores.astype(np.float32), limit)


def in_order(ids: Ids) -> Hits:
    """Return a ranking without scores of its own as hits: the first scores 1, the n-th 1 / n."""
    return Hits(ids, (1.0 / np.arange(1, len(ids) + 1)).astype(np.float32))


def _distinct(ids: Ids) -> Ids:
    """Return the ids in order of first appearance."""
    _, first = np.unique(ids, return_index=True)
    return ids[np.sort(first)]
