"""Is a question English or Portuguese? A count of words that only one of the two has."""

from __future__ import annotations

from enum import StrEnum

from clew.text.tokens import folded_words


class AnswerLanguage(StrEnum):
    """Languages in which Clew itself speaks, by ISO 639-1 code."""

    ENGLISH = "en"
    PORTUGUESE = "pt"


_ENGLISH = frozenset(
    "the of is was were are did does what who whom whose which when where why how many and in on "
    "to by with for from that this an have has had been be".split()
)
_PORTUGUESE = frozenset(
    "o os um uma de da dos das em na nos nas que qual quais quem quando onde quanto quantos "
    "quantas como e foi sao eram por para com pelo pela ao aos seu sua qualquer ele ela nao".split()
)
_ONLY_PORTUGUESE_LETTERS = frozenset("ãõç")


def question_language(question: str) -> AnswerLanguage:
    """Return the language whose function words prevail in `question`; English if neither's do."""
    words = folded_words(question)
    english = sum(word in _ENGLISH for word in words)
    portuguese = sum(word in _PORTUGUESE for word in words)
    portuguese += any(char in _ONLY_PORTUGUESE_LETTERS for char in question.casefold())
    return AnswerLanguage.PORTUGUESE if portuguese > english else AnswerLanguage.ENGLISH
