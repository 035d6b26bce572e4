"""What kind of thing a question asks for, and whether a sentence names a new one of that kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from clew.text.dates import find_periods
from clew.text.tokens import terms


class AnswerType(StrEnum):
    """Kinds that rules can tell; `OTHER` is every other question."""

    PERSON = "person"
    DATE = "date"
    NUMBER = "number"
    PLACE = "place"
    OTHER = "other"


_WHAT = r"\b(?:what|which|que|qual|quais|em que|in what|in which)\s+(?:is\s+the\s+|é\s+[oa]\s+|a\s+|o\s+)?"
_QUESTIONS: tuple[tuple[AnswerType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (AnswerType.DATE, rf"\b(?:when|quando)\b|{_WHAT}(?:year|date|day|month|decade|century|ano|data|dia|mês|década|século)\b"),
        (AnswerType.NUMBER, r"\bhow\s+(?:many|much|old|long|far|tall|large|big|high|deep|fast|often)\b|\bquant[oa]s?\b|\bwhat\s+(?:is\s+the\s+)?(?:number|population|percentage|amount)\b|\bqual\s+(?:é\s+)?[oa]\s+(?:número|população|percentagem|porcentagem|valor)\b"),
        (AnswerType.PLACE, rf"\b(?:where|onde)\b|{_WHAT}(?:city|country|state|place|county|town|village|region|province|continent|island|cidade|país|estado|lugar|região|província|continente|ilha)\b"),
        (AnswerType.PERSON, r"\b(?:who|whom|quem)\b"),
    )
)  # fmt: skip

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*"  # noqa: RUF001
_PARTICLE = r"(?:de|da|do|dos|das|van|von|der|den|del|della|di|la|le|el|al|bin|ibn|of|and|&)"
_PERSON_NAME = re.compile(rf"{_CAPITAL}(?:\s+(?:{_PARTICLE}\s+){{0,2}}{_CAPITAL})+")
_PLACE_NAME = re.compile(
    rf"\b(?:in|at|near|from|to|of|em|no|na|nos|nas|de|do|da)\s+(?:the\s+)?"
    rf"({_CAPITAL}(?:\s+(?:{_PARTICLE}\s+)?{_CAPITAL})*)"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|"
    r"fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|um|uma|dois|duas|"
    r"três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|vinte|trinta|cem|cento|mil|milhão|"
    r"milhões|bilhão|bilhões)\b",
    re.IGNORECASE,
)


def expected_answer(question: str) -> AnswerType:
    """Return the kind of thing that `question` asks for."""
    for kind, pattern in _QUESTIONS:
        if pattern.search(question):
            return kind
    return AnswerType.OTHER


def names_answer(sentence: str, kind: AnswerType, *, question: str) -> bool:
    """Return whether `sentence` names something of `kind` that `question` does not name itself."""
    if kind is AnswerType.DATE:
        asked = {period.text for period in find_periods(question)}
        return any(period.text not in asked for period in find_periods(sentence))
    if kind is AnswerType.NUMBER:
        return _NUMBER.search(_without_dates(sentence)) is not None
    if kind is AnswerType.PERSON:
        return _any_new((match.group() for match in _PERSON_NAME.finditer(sentence)), question)
    if kind is AnswerType.PLACE:
        dateless = _without_dates(sentence)
        return _any_new((match[1] for match in _PLACE_NAME.finditer(dateless)), question)
    return False


def _any_new(names: Iterable[str], question: str) -> bool:
    known = set(terms(question))
    return any(not known.issuperset(terms(name)) for name in names)


def _without_dates(sentence: str) -> str:
    """Return `sentence` with blanks where it states dates, which are no counts and no places."""
    for period in find_periods(sentence):
        width = period.span.end - period.span.start
        sentence = sentence[: period.span.start] + " " * width + sentence[period.span.end :]
    return sentence
