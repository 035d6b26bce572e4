"""The last ordering: passages are taken as a set that together covers the question.

A passage that holds what the chosen ones lack comes before one that repeats them. In the way of
maximum coverage by greedy choice (Nemhauser, Wolsey, Fisher 1978): at each step the passage of
highest sqrt(walk) + SIMILARITY * similarity + COVERAGE * new terms, each in 0..1.
"""

from __future__ import annotations

import numpy as np

from clew.core.arrays import Booleans, Floats, Hits
from clew.core.calibration import Calibration, PairKind
from clew.core.ports import ChunkStore
from clew.retrieve.question import Question

POOL = 25
"""Passages that are put in order; those behind keep their places."""

SIMILARITY = 0.15
COVERAGE = 0.2
"""Chosen on hotpotqa-train100 and musique-train100-openie. Similarity .12 to .18 and coverage .2 to
.3 all lie within one point of recall@5 there."""


def covered(
    question: Question, ranked: Hits, *, chunks: ChunkStore, calibration: Calibration
) -> Hits:
    """Return the ranking with its first passages put in order by `cover`."""
    collection, pool = question.query.collection, ranked.ids[:POOL]
    vectors = chunks.vectors(collection, pool)
    similarity = np.zeros(len(pool), np.float32)
    if vectors.shape[1]:
        cosine = np.asarray(vectors @ question.vector, np.float32)
        similarity = calibration.apply(cosine, PairKind.QUESTION_PASSAGE)
    return cover(ranked, similarity, chunks.term_presence(collection, pool, question.terms))


def cover(ranked: Hits, similarity: Floats, presence: Booleans) -> Hits:
    """Return the hits with the first POOL put in order; scores never rise.

    `similarity` (n,) is the calibrated cosine of question and passage, `presence` (n, terms) tells
    which of the question's terms a passage holds, both of the first n = min(POOL, len(ranked)). A
    term counts by ln(1 + n / (1 + passages that hold it)).
    """
    count = min(POOL, len(ranked.ids))
    if not count:
        return ranked
    weights = np.log1p(count / (1.0 + presence.sum(axis=0)))
    gains = presence * (weights / max(float(weights.sum()), 1e-9))
    base = np.sqrt(_share(ranked.scores[:count])) + SIMILARITY * _share(similarity)
    order: list[int] = []
    worth: list[float] = []
    lacking = np.ones(presence.shape[1], np.bool_)
    left = np.ones(count, np.bool_)
    for _ in range(count):
        score = np.where(left, base + COVERAGE * (gains @ lacking), -np.inf)
        best = int(np.argmax(score))
        order.append(best)
        worth.append(float(score[best]))
        left[best] = False
        lacking &= ~presence[best]
    most = max(float(np.max(worth)), 1e-9)
    tail = ranked.scores[count:] * (worth[-1] / most) / max(float(ranked.scores[count - 1]), 1e-9)
    return Hits(
        np.concatenate([ranked.ids[order], ranked.ids[count:]]),
        np.concatenate([np.array(worth) / most, tail]).astype(np.float32),
    )


def _share(values: Floats) -> Floats:
    """Return values over the largest, negative ones as 0."""
    positive = np.maximum(values, 0.0)
    return np.asarray(positive / max(float(positive.max(initial=0.0)), 1e-9), np.float32)
