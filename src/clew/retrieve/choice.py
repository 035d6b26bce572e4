"""Passages chosen one after another: what fits next depends on what was chosen before.

A linear model scores every passage that is left, the best is taken, and the scores of the others
change with it. Trained as a sequence of multinomial choices (McFadden 1974) by
`python -m benchmarks.train_ordering`: at each step the probability of a passage is
exp(score) / sum of exp(score) over those left.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Floats

Scores = NDArray[np.float64]

_LEAST_WALK = 1e-4


@dataclass(frozen=True, slots=True)
class ChoiceWeights:
    """Weights of what is known of a passage, each in 0..1.

    `walk`: 1 + log10(score / best score) / 4, at least 0; `similarity`: calibrated cosine over the
    best passage's; `terms`: share of the question's terms that it holds, by weight; `new_terms`:
    the same of those that no chosen passage holds; `link`: its strongest name in common with a
    chosen passage; `page`: how clearly a chosen passage names what this one is the page of.
    """

    walk: float
    similarity: float
    terms: float
    new_terms: float
    link: float
    page: float


TRAINED = ChoiceWeights(
    walk=5.12, similarity=5.78, terms=-6.22, new_terms=14.09, link=8.41, page=3.96
)
"""Trained on hotpotqa-train100 and musique-train100-openie."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is known of n passages: `walk` and `similarity` (n,), `presence` (n, terms) of the
    question's terms, `links` and `pages` (n, n) in 0..1, from a chosen passage (row) to another.
    """

    walk: Floats
    similarity: Floats
    presence: Booleans
    links: Floats
    pages: Floats

    def __len__(self) -> int:
        return len(self.walk)


class Choosing:
    """A choice under way; `features` holds what the weights apply to, shape (n, 6)."""

    def __init__(self, candidates: Candidates) -> None:
        count = len(candidates)
        presence = candidates.presence
        rarity = np.log1p(count / (1.0 + presence.sum(axis=0)))
        self._gains = presence * (rarity / max(float(rarity.sum()), 1e-9))
        self._lacking = np.ones(presence.shape[1], np.bool_)
        self._candidates = candidates
        held = self._gains.sum(axis=1)
        nothing = np.zeros(count)
        self.features = np.column_stack(
            [
                _walk_feature(candidates.walk),
                np.maximum(candidates.similarity, 0.0),
                held,
                held,
                nothing,
                nothing,
            ]
        ).astype(np.float64)
        self.left = np.ones(count, np.bool_)

    def take(self, row: int) -> None:
        """Choose a passage."""
        self.left[row] = False
        self._lacking &= ~self._candidates.presence[row]
        self.features[:, 3] = self._gains @ self._lacking
        for column, pairs in ((4, self._candidates.links), (5, self._candidates.pages)):
            np.maximum(self.features[:, column], pairs[row], out=self.features[:, column])


def choose(candidates: Candidates, weights: ChoiceWeights) -> tuple[list[int], Scores]:
    """Return the rows in the order in which they are chosen, and the score of each choice.

    Of equal scores the first row is taken.
    """
    choosing, weight = Choosing(candidates), np.array(astuple(weights))
    order: list[int] = []
    scores = np.empty(len(candidates))
    for step in range(len(candidates)):
        score = np.where(choosing.left, choosing.features @ weight, -np.inf)
        best = int(np.argmax(score))
        order.append(best)
        scores[step] = score[best]
        choosing.take(best)
    return order, scores


def _walk_feature(walk: Floats) -> Scores:
    share = walk.astype(np.float64) / max(float(walk.max(initial=0.0)), 1e-12)
    return np.asarray(1.0 - np.log(np.maximum(share, _LEAST_WALK)) / np.log(_LEAST_WALK))
