"""Weighted average of scores, each list scaled to 0..1 by its best score (relative score fusion).

score(d) = sum_i w_i * max(s_i(d), 0) / max_d s_i(d), divided by the sum of the weights. Scores at or
below 0 say nothing for a passage and count as absent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Hits, empty_hits, top_hits


def weighted_average(lists: Sequence[Hits], *, weights: Sequence[float], limit: int) -> Hits:
    """Return the blend of scored lists, best first; an id that a list lacks scores 0 there."""
    used = [
        (hits, weight)
        for hits, weight in zip(lists, weights, strict=True)
        if weight > 0 and len(hits.ids) and float(hits.scores.max()) > 0
    ]
    if not used:
        return empty_hits()
    every = np.concatenate([hits.ids for hits, _ in used])
    share = np.concatenate(
        [weight * np.maximum(hits.scores, 0) / float(hits.scores.max()) for hits, weight in used]
    )
    unique, row = np.unique(every, return_inverse=True)
    scores = np.bincount(row, weights=share) / sum(weights)
    positive = scores > 0
    return top_hits(unique[positive], scores[positive].astype(np.float32), limit)
