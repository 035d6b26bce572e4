"""Fusion with learned weights: a linear model over scaled scores and reciprocal ranks.

score(d) = sum_i w_i * (z_i(d) + r_i(d)) / 2, weights scaled to sum 1, where z_i is the score over
the list's best (0 where absent) and r_i = (k + 1) / (k + rank_i(d)), 0 where absent. Scores say how
much better, ranks are safe against a list whose best is an outlier; a learner that compares the
outcomes of both kinds of fusion therefore has something to gain from either. The weights come from
outcomes (guide, part 5.1) and are an argument: nothing is learned here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Hits, empty_hits, top_hits
from clew.core.errors import QueryError
from clew.retrieve.fusion.reciprocal_rank import reciprocal_rank
from clew.retrieve.fusion.weighted_average import weighted_average


def learned(lists: Sequence[Hits], *, weights: Sequence[float], limit: int) -> Hits:
    """Return the learned blend, best first; scores lie in 0..1.

    Raises:
        QueryError: a weight is negative or not finite, or all of them are 0.
    """
    if not all(np.isfinite(weight) and weight >= 0 for weight in weights) or (
        weights and not sum(weights)
    ):
        raise QueryError(
            f"learned fusion weights are {tuple(weights)}; they must be finite, 0 or more, and not "
            "all 0"
        )
    positive = [Hits(hits.ids[hits.scores > 0], hits.scores[hits.scores > 0]) for hits in lists]
    every = sum(len(hits.ids) for hits in positive)
    if not every:
        return empty_hits()
    by_score = weighted_average(positive, weights=weights, limit=every)
    by_rank = reciprocal_rank(positive, weights=weights, limit=every)
    unique, row = np.unique(np.concatenate([by_score.ids, by_rank.ids]), return_inverse=True)
    halves = np.concatenate([by_score.scores, by_rank.scores]) / 2
    return top_hits(unique, np.bincount(row, halves).astype(np.float32), limit)
