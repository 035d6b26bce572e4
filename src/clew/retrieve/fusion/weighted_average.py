"""Weighted average of scores, each list scaled to 0..1 by its best score (relative score fusion).

score(d) = sum_i w_i * max(s_i(d), 0) / max_d s_i(d), divided by the sum of the weights. Scores at or
below 0 say nothing for a passage and count as absent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Hits, top_hits
from clew.retrieve.fusion.scaled import scaled


def weighted_average(lists: Sequence[Hits], *, weights: Sequence[float], limit: int) -> Hits:
    """Return the blend of scored lists, best first; an id that a list lacks scores 0 there."""
    rows = scaled(lists, weights=weights)
    blended = np.bincount(rows.row, rows.weight * rows.score, minlength=len(rows.unique))
    total = sum(weights)
    scores = blended / total if total > 0 else blended
    return top_hits(rows.unique, scores.astype(np.float32), limit)
