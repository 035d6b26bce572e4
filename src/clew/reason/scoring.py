"""How well each sentence by itself supports an answer: a weighted sum of five signals in 0..1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class SentenceSignals:
    """Parallel columns, shape (sentences,), each in 0..1.

    `similarity`: calibrated cosine to the question; `overlap`: weight of the question's terms held;
    `relevance`: of the passage, by rank; `edge`: relevance of the best path whose step the sentence
    states; `typed`: 1 where it names what the question asks for.
    """

    similarity: Floats
    overlap: Floats
    relevance: Floats
    edge: Floats
    typed: Floats


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """Weights of the signals; they sum to 1. Chosen on the training sets of the benchmark."""

    similarity: float = 0.45
    overlap: float = 0.20
    relevance: float = 0.10
    edge: float = 0.10
    typed: float = 0.15


def sentence_scores(signals: SentenceSignals, weights: SentenceWeights) -> Floats:
    """Return the weighted sum of `signals`, shape (sentences,)."""
    return np.asarray(
        weights.similarity * signals.similarity
        + weights.overlap * signals.overlap
        + weights.relevance * signals.relevance
        + weights.edge * signals.edge
        + weights.typed * signals.typed,
        np.float32,
    )
