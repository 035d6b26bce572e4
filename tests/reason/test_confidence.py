"""Confidence and abstention, computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clew.reason.abstention import abstention_text, is_supported
from clew.reason.confidence import (
    NO_SIGNALS,
    AnswerSignals,
    ConfidenceModel,
    SentenceColumns,
    answer_signals,
)
from clew.reason.language import AnswerLanguage


def columns() -> SentenceColumns:
    bridges = np.zeros((3, 3), np.float32)
    bridges[0, 2] = bridges[2, 0] = 0.25
    return SentenceColumns(
        similarity=np.array([0.5, 0.25, 1.0], np.float32),
        coverage=np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], np.bool_),
        bridges=bridges,
        passages=np.array([0, 0, 1]),
        documents=np.array([7, 7, 8]),
    )


TERMS = np.array([0.5, 0.25, 0.25], np.float32)
FOUND_BY = [("vector", "keyword"), ("vector",)]


def signals_of(*chosen: int) -> AnswerSignals:
    return answer_signals(columns(), chosen, term_weights=TERMS, found_by=FOUND_BY)


def test_signals():
    assert signals_of(0, 1) == AnswerSignals(
        similarity=0.5, coverage=0.75, agreement=1.0, linked=1.0
    )
    assert signals_of(0, 2) == AnswerSignals(
        similarity=1.0, coverage=0.75, agreement=0.5, linked=0.25
    )
    assert signals_of(1, 2).linked == 0.0
    assert signals_of(2) == AnswerSignals(similarity=1.0, coverage=0.25, agreement=0.0, linked=1.0)
    assert signals_of() == NO_SIGNALS


def test_probability_is_logistic():
    model = ConfidenceModel(-1.0, similarity=2.0, coverage=1.0, agreement=0.5, linked=4.0)  # fmt: skip
    signals = AnswerSignals(similarity=0.5, coverage=0.5, agreement=1.0, linked=0.25)
    # -1 + 1 + .5 + .5 + 1 = 2
    assert model.probability(signals) == pytest.approx(1 / (1 + math.exp(-2)))
    assert model.probability(NO_SIGNALS) == pytest.approx(1 / (1 + math.e))


def test_support_is_the_threshold_of_an_answer():
    signals = AnswerSignals(similarity=0.5, coverage=0.25, agreement=1, linked=1)
    assert signals.support == 0.375
    assert is_supported(signals, threshold=0.375)
    assert not is_supported(signals, threshold=0.376)


def test_abstention_speaks_the_language_of_the_question():
    english, portuguese = AnswerLanguage.ENGLISH, AnswerLanguage.PORTUGUESE
    assert (
        abstention_text(english, evidence=False) == "The collection does not answer this question."
    )
    assert abstention_text(portuguese, evidence=False) == "A coleção não responde a esta pergunta."
    assert "sources" in abstention_text(english, evidence=True)
    assert "fontes" in abstention_text(portuguese, evidence=True)
