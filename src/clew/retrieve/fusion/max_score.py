"""The highest score of each result (CombMAX), each list scaled to 0..1 by its best score.

score(d) = max_i (w_i / max_j w_j) * max(s_i(d), 0) / max_d s_i(d). Source: Fox, Shaw, "Combination
of multiple searches", TREC-2, 1994; weighted, so that `fusion_alpha` keeps its meaning: with equal
weights this is the plain maximum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Hits, top_hits
from clew.retrieve.fusion.scaled import scaled


def max_score(lists: Sequence[Hits], *, weights: Sequence[float], limit: int) -> Hits:
    """Return what any list ranks high, best first; scores lie in 0..1."""
    rows = scaled(lists, weights=weights)
    best = np.zeros(len(rows.unique))
    heaviest = max(weights, default=1.0)
    np.maximum.at(best, rows.row, rows.weight * rows.score / heaviest)
    return top_hits(rows.unique, best.astype(np.float32), limit)
