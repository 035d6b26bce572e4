"""How likely an answer is right: a logistic model over a few signals of its evidence.

Fitted by `python -m benchmarks.answer_confidence --data DIR [DIR ...]`, which also reports its
reliability on questions that the fit has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Booleans, Floats, Ids


@dataclass(frozen=True, slots=True)
class AnswerSignals:
    """What is known of an answer before anybody judges it, each in 0..1.

    `similarity`: calibrated cosine of the nearest chosen sentence; `coverage`: weight of the
    question's terms that the chosen sentences hold; `agreement`: share of their passages that two
    or more signals of retrieval found; `linked`: the strongest bridge between two chosen sentences,
    1 where all stand in one document. (The margin over the best sentence that is not quoted, and
    whether the kind of thing asked for is named, were tried as well and foretold nothing.)
    """

    similarity: float
    coverage: float
    agreement: float
    linked: float

    @property
    def support(self) -> float:
        """Return the mean of similarity and coverage: what abstention is decided by.

        Either alone misleads: a text on the subject is similar without an answer, and common words
        are covered anywhere.
        """
        return (self.similarity + self.coverage) / 2.0


NO_SIGNALS = AnswerSignals(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """Coefficients of the log odds that an answer is right, by signal."""

    intercept: float
    similarity: float
    coverage: float
    agreement: float
    linked: float

    def probability(self, signals: AnswerSignals) -> float:
        """Return 1 / (1 + exp(-(intercept + sum of coefficient * signal)))."""
        odds = (
            self.intercept
            + self.similarity * signals.similarity
            + self.coverage * signals.coverage
            + self.agreement * signals.agreement
            + self.linked * signals.linked
        )
        return 1.0 / (1.0 + math.exp(-odds))


FITTED = ConfidenceModel(
    intercept=-2.93,
    similarity=0.18,
    coverage=2.24,
    agreement=1.57,
    linked=0.50,
)
"""Fitted on the 200 questions of hotpotqa-train100 and musique-train100-openie, of which 60% were
answered rightly. On held-out folds: Brier score .210 (.241 for the base rate alone), expected
calibration error .064."""


@dataclass(frozen=True, slots=True)
class SentenceColumns:
    """What `answer_signals` needs of all n candidates: `similarity` (n,), `coverage` of
    the question's terms (n, terms), `bridges` (n, n), rows of their `passages` and `documents`."""

    similarity: Floats
    coverage: Booleans
    bridges: Floats
    passages: Ids
    documents: Ids


def answer_signals(
    columns: SentenceColumns,
    chosen: Sequence[int],
    *,
    term_weights: Floats,
    found_by: Sequence[tuple[str, ...]],
) -> AnswerSignals:
    """Return the signals of the `chosen` rows; `found_by` names by passage the signals of
    retrieval that found it."""
    if not chosen:
        return NO_SIGNALS
    rows = np.array(chosen, np.int64)
    quoted = np.unique(columns.passages[rows]).tolist()
    alone = len(np.unique(columns.documents[rows])) == 1
    return AnswerSignals(
        similarity=_share(columns.similarity[rows].max()),
        coverage=_share(term_weights[columns.coverage[rows].any(axis=0)].sum()),
        agreement=sum(len(set(found_by[passage])) > 1 for passage in quoted) / len(quoted),
        linked=1.0 if alone else _share(columns.bridges[np.ix_(rows, rows)].max()),
    )


def _share(value: float | np.float32) -> float:
    return min(1.0, max(0.0, float(value)))
