"""Scores of several lists on one scale: each list over its own best, what is not positive left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Hits, Ids


@dataclass(frozen=True, slots=True)
class Scaled:
    """One row for each (list, id) with a positive score, shape (n,) each: the row of the id in
    `unique`, its score over the list's best (in 0..1), and the list's weight."""

    unique: Ids
    row: NDArray[np.int64]
    score: NDArray[np.float64]
    weight: NDArray[np.float64]


def scaled(lists: Sequence[Hits], *, weights: Sequence[float]) -> Scaled:
    """Return every positive score over the best of its list, where the list's weight is positive.

    An id that a list names twice counts with its better score.
    """
    ids: list[Ids] = [np.empty(0, np.int64)]
    scores: list[NDArray[np.float64]] = [np.empty(0)]
    shares: list[NDArray[np.float64]] = [np.empty(0)]
    for hits, weight in zip(lists, weights, strict=True):
        positive = hits.scores > 0
        if weight <= 0 or not positive.any():
            continue
        known, score = _best_of_each(hits.ids[positive], hits.scores[positive].astype(np.float64))
        ids.append(known)
        scores.append(score / score.max())
        shares.append(np.full(len(known), float(weight)))
    unique, row = np.unique(np.concatenate(ids), return_inverse=True)
    return Scaled(unique, np.asarray(row, np.int64), np.concatenate(scores), np.concatenate(shares))


def _best_of_each(ids: Ids, scores: NDArray[np.float64]) -> tuple[Ids, NDArray[np.float64]]:
    order = np.lexsort((-scores, ids))
    known, first = np.unique(ids[order], return_index=True)
    return known, scores[order][first]
