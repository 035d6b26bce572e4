"""Saying that the collection does not answer, in the question's language."""

from __future__ import annotations

from collections.abc import Sequence

from clew.reason.confidence import AnswerSignals
from clew.reason.language import AnswerLanguage
from clew.text.name_phrases import name_phrases
from clew.text.tokens import folded_words

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
_MISSING = {
    AnswerLanguage.ENGLISH: "The evidence found does not mention: {names}.",
    AnswerLanguage.PORTUGUESE: "As evidências encontradas não mencionam: {names}.",
}
_NEAREST = {
    AnswerLanguage.ENGLISH: "The nearest evidence is listed as sources.",
    AnswerLanguage.PORTUGUESE: "As evidências mais próximas estão nas fontes.",
}


def is_supported(signals: AnswerSignals, *, threshold: float) -> bool:
    """Return whether the evidence is strong enough to be shown as an answer."""
    return signals.support >= threshold


def missing_names(question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return what the question names and no text does: names of which a word stands nowhere.

    Without texts there is nothing to compare with, and nothing is named.
    """
    if not texts:
        return ()
    held = {word for text in texts for word in folded_words(text)}
    return tuple(name for name in name_phrases(question) if not held.issuperset(folded_words(name)))


def abstention_text(
    language: AnswerLanguage, *, evidence: bool, missing: Sequence[str] = ()
) -> str:
    """Return the words of an abstention: what is `missing`, and the sources if there is `evidence`."""
    words = [_NOT_ANSWERED[language]]
    if missing:
        words.append(_MISSING[language].format(names=", ".join(missing)))
    if evidence:
        words.append(_NEAREST[language])
    return " ".join(words)
