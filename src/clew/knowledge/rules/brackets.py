"""Brackets that would mislead a parser: dates, pronunciations and translations after a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.core.documents import Span
from clew.text.dates import find_periods

_BRACKETS = re.compile(r"(?<=[\w\"'”’.,]) ?\(([^()\n]{1,300})\)")  # noqa: RUF001
_ASIDE = re.compile(
    r"[\d;:\]\[‎]|\b(?:born|died|née|né|lit|pronounced|aka)\b|[^\x00-\u024f\u2010-\u2027]"
)
_BORN = re.compile(
    r"\b(?:born|b\.)\b[^;()]*?(?:\bin\s+|,\s*)(?P<place>[A-ZÀ-Þ][\w'’.-]+(?:\s+[A-ZÀ-Þ][\w'’.-]+)*)"  # noqa: RUF001
    r"(?P<more>(?:,\s*[A-ZÀ-Þ][\w'’. -]+)*)\s*(?:$|;|–|-)"  # noqa: RUF001
)
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)


@dataclass(frozen=True, slots=True)
class Birth:
    """A birth place in brackets: its name, and where bracket and name stand."""

    place: str
    span: Span
    bracket: Span


def asides(text: str) -> Iterator[Span]:
    """Yield the brackets, with their marks, that hold dates or other remarks on the name before.

    Abbreviations such as "(WHO)" and plain words are left to the parser.
    """
    for match in _BRACKETS.finditer(text):
        if _ASIDE.search(match.group(1)):
            start = text.index("(", match.start())
            yield Span(start, match.end())


def without_asides(text: str) -> str:
    """Return `text` with asides blanked: every other character keeps its place."""
    for span in asides(text):
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


def birth_places(text: str) -> Iterator[Birth]:
    """Yield the places of "(born 27 May 1943, Flint, Michigan)"."""
    for bracket in asides(text):
        match = _BORN.search(text, bracket.start + 1, bracket.end - 1)
        if match is None:
            continue
        place = match.group("place")
        if place.split()[0].lower() in _MONTHS or find_periods(f"in {place}"):
            more = match.group("more").split(",")
            place = more[1].strip() if len(more) > 1 else ""
        start = text.find(place, match.start()) if place else -1
        if start >= 0 and not any(char.isdigit() for char in place):
            yield Birth(place, Span(start, start + len(place)), bracket)
