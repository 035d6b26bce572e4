"""Abbreviations that a text defines: "World Health Organization (WHO)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.core.documents import Span

_BRACKETED = re.compile(r"\(([^()\n]{2,60}?)\)")
_SHORT = re.compile(r"[A-Z0-9][A-Za-z0-9&.\-]{1,9}")
_WORD = re.compile(r"\w[\w&'’]*")  # noqa: RUF001 - both apostrophes occur in real text
_LEFT_OUT = frozenset("of the and for in on a an de da do dos das la le & to".split())


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form and the full name that the text gives it, each with its characters."""

    short: str
    short_span: Span
    full: str
    full_span: Span


def abbreviations(text: str) -> Iterator[Abbreviation]:
    """Yield abbreviations in brackets after their full name, or the other way round.

    The letters of the short form must be the initials of the full name's words; function words
    may be left out, and the first letters must agree.
    """
    for match in _BRACKETED.finditer(text):
        inner = match.group(1).strip()
        start = match.start(1) + len(match.group(1)) - len(match.group(1).lstrip())
        before = list(_WORD.finditer(text, max(0, match.start() - 150), match.start()))
        if not before or text[before[-1].end() : match.start()].strip(" \"'”’"):  # noqa: RUF001
            continue
        if _is_short(inner):
            full = _full_before(before, inner)
            if full is not None:
                span = Span(full, before[-1].end())
                short = Span(start, start + len(inner))
                yield Abbreviation(inner, short, text[span.start : span.end], span)
        elif _is_short(before[-1].group()) and _spells(
            before[-1].group(), [word.group() for word in _WORD.finditer(inner)]
        ):
            short = Span(before[-1].start(), before[-1].end())
            yield Abbreviation(before[-1].group(), short, inner, Span(start, start + len(inner)))


def _is_short(text: str) -> bool:
    return bool(_SHORT.fullmatch(text)) and sum(map(str.isupper, text)) >= 2


def _letters(short: str) -> str:
    return "".join(char for char in short.casefold() if char.isalnum())


def _full_before(before: list[re.Match[str]], short: str) -> int | None:
    """Return where the shortest run of words that spells the short form starts."""
    for first in range(len(before) - 2, max(-1, len(before) - 1 - 2 * len(short)), -1):
        if _spells(short, [word.group() for word in before[first:]]):
            return before[first].start()
    return None


def _spells(short: str, words: list[str]) -> bool:
    """Return whether the words' initials give the short form, function words optional."""
    letters = _letters(short)
    if len(words) < 2 or (not words[0][0].isupper() and words[0].casefold() not in letters):
        return False
    initials = [word[0].casefold() for word in words]
    needed = [
        initial
        for word, initial in zip(words, initials, strict=True)
        if word.casefold() not in _LEFT_OUT
    ]
    return letters in ("".join(initials), "".join(needed))
