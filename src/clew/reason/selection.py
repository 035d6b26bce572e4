"""Choosing sentences one by one: each for its own support and for what the chosen still lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Booleans, Floats, Ids


@dataclass(frozen=True, slots=True)
class SelectionWeights:
    """What a sentence adds besides its own score.

    `coverage`: for each share of the question's terms that no chosen sentence holds; `bridge`: for
    its strongest bridge to a chosen one; `repetition`: taken off for each chosen sentence of its
    passage. A sentence whose gain is under `least_gain` times the first one's is not taken.
    """

    coverage: float = 0.4
    bridge: float = 0.3
    repetition: float = 0.1
    least_gain: float = 0.5


def select_sentences(
    *,
    scores: Floats,
    coverage: Booleans,
    term_weights: Floats,
    bridges: Floats,
    passages: Ids,
    limit: int,
    weights: SelectionWeights,
    first: Sequence[int] = (),
) -> list[int]:
    """Return the rows chosen, in the order of choice, at most `limit`; ties go to the lower row.

    Rows in `first` are chosen before all others, in their order.

    Shapes for n sentences and t terms: scores (n,), coverage (n, t), term_weights (t,), bridges
    (n, n), passages (n,). Greedy maximal marginal coverage, after Carbonell and Goldstein, The Use
    of MMR, Diversity-Based Reranking (SIGIR 1998), with terms and bridges in place of similarity.
    """
    chosen: list[int] = []
    lacking = np.ones(len(term_weights), np.bool_)
    bridged = np.zeros(len(scores), np.float32)
    repeated = np.zeros(len(scores), np.float32)
    open_rows = np.ones(len(scores), np.bool_)
    first_gain = 0.0
    while len(chosen) < limit and open_rows.any():
        gains = (
            scores
            + weights.coverage * (coverage[:, lacking] @ term_weights[lacking])
            + weights.bridge * bridged
            - weights.repetition * repeated
        )
        given = len(chosen) < len(first)
        best = first[len(chosen)] if given else int(np.argmax(np.where(open_rows, gains, -np.inf)))
        if chosen and not given and gains[best] < weights.least_gain * first_gain:
            break
        first_gain = first_gain if chosen else float(gains[best])
        chosen.append(best)
        open_rows[best] = False
        lacking &= ~coverage[best]
        bridged = np.maximum(bridged, bridges[best])
        repeated += passages == passages[best]
    return chosen


def reasoning_order(
    chosen: list[int], *, bridges: Floats, passages: Ids, starts: Ids, path_places: Floats
) -> list[int]:
    """Return `chosen` in the order in which they are read: along the path, then over bridges.

    `path_places` (n,) is the step of the best path that rests on a sentence's passage, infinite
    where none does. The passage of the earliest step comes first (without any: that of the first
    choice), then always the one most strongly bridged to those that stand, ties by step and by
    choice. Sentences of one passage stay together in the text's order.
    """
    groups: dict[int, list[int]] = {}
    for row in chosen:
        groups.setdefault(int(passages[row]), []).append(row)
    waiting = list(groups)
    ordered: list[int] = []
    while waiting:
        best = min(
            range(len(waiting)),
            key=lambda place: (
                -_strongest(groups[waiting[place]], ordered, bridges),
                min(float(path_places[row]) for row in groups[waiting[place]]),
                place,
            ),
        )
        ordered += sorted(groups[waiting.pop(best)], key=lambda row: int(starts[row]))
    return ordered


def _strongest(rows: list[int], placed: list[int], bridges: Floats) -> float:
    return float(bridges[np.ix_(rows, placed)].max()) if placed else 0.0
