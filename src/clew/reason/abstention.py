"""Saying that the collection does not answer, in the question's language."""

from __future__ import annotations

from clew.reason.confidence import AnswerSignals
from clew.reason.language import AnswerLanguage

SUPPORT_THRESHOLD = 0.35
"""Chosen on the training sets of `benchmarks.answer_confidence`: it keeps 98% of the right answers
and turns away 94% of the questions about another collection."""

ABSTAINED_CONFIDENCE = 0.15
"""The most confidence of an abstention: of the 11 questions there that the collection answers and
that fell below the threshold, 2 had the answer in what is shown as the nearest evidence."""

_NOT_ANSWERED = {
    AnswerLanguage.ENGLISH: "The collection does not answer this question.",
    AnswerLanguage.PORTUGUESE: "A coleção não responde a esta pergunta.",
}
_NEAREST = {
    AnswerLanguage.ENGLISH: "The nearest evidence is listed as sources.",
    AnswerLanguage.PORTUGUESE: "As evidências mais próximas estão nas fontes.",
}


def is_supported(signals: AnswerSignals, *, threshold: float) -> bool:
    """Return whether the evidence is strong enough to be shown as an answer."""
    return signals.support >= threshold


def abstention_text(language: AnswerLanguage, *, evidence: bool) -> str:
    """Return the words of an abstention; they point to the sources if there is `evidence`."""
    words = _NOT_ANSWERED[language]
    return f"{words} {_NEAREST[language]}" if evidence else words
