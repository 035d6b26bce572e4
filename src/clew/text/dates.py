"""Points and periods of time that a sentence names, in English and Portuguese."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.core.documents import Span
from clew.core.knowledge import Period
from clew.text.time_units import TimeUnit, WrittenDate, written_dates, year_start


@dataclass(frozen=True, slots=True)
class FoundPeriod:
    """A point or period and the words that state it: `text` is the sentence at `span`."""

    period: Period
    span: Span
    text: str


_FROM = re.compile(
    r"\b(?:from|between|de|entre|desde)\s+(?:the\s+|o\s+|a\s+|early\s+|mid-?\s*|late\s+)?$", re.I
)
_SINCE = re.compile(r"\b(?:since|ever since|desde|starting in|beginning in|a partir de)\s+$", re.I)
_UNTIL = re.compile(r"\b(?:until|till|through|up to|até)\s+(?:o\s+|a\s+|the\s+)?$", re.I)
_BEFORE = re.compile(r"\b(?:before|prior to|antes de)\s+$", re.I)
_AFTER = re.compile(r"\b(?:after|depois de|após)\s+$", re.I)
_JOIN = re.compile(
    r"\s*(?:[-–—]|\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b|\ba\b|\be\b|\baté\b)"  # noqa: RUF001
    r"\s*(?:the\s+|o\s+|d\.\s*|died\s+|†\s*)?",
    re.I,
)
_DASHED = re.compile(r"^\s*[-–—]\s*(?:d\.\s*|died\s+|†\s*)?$", re.I)  # noqa: RUF001
_AND = re.compile(r"^\s*(?:and|e)\b", re.I)
_BETWEEN = re.compile(r"\b(?:between|entre)\b", re.I)
_PRESENT = re.compile(
    r"(?:\s*[-–—]\s*|\s+to\s+(?:the\s+)?|\s+until\s+(?:the\s+)?)(?:present|today|now|presente|hoje)\b",  # noqa: RUF001
    re.I,
)
_SHORT_YEAR = re.compile(r"\s*[-–/]\s*(\d{2})(?![\d-])")  # noqa: RUF001
_CONTEXT = re.compile(
    r"(?:\b(?:in|since|of|until|till|by|from|after|before|during|between|to|through|around|circa|c\."
    r"|about|late|early|mid|year|for|born|died|b\.|d\.|founded|established|est\.|released|published"
    r"|dated|em|de|desde|até|entre|após|ano|no ano de|por volta de)\s+"
    r"(?:the\s+year\s+)?|[(\[]\s*|\bsummer\s+|\bspring\s+|\bautumn\s+|\bfall\s+|\bwinter\s+)$",
    re.I,
)
_LIST_BEFORE = re.compile(r"\b(?:in|em|of)\s+(?:\d{4}\s*(?:,|and|or|e|ou)\s*)+$", re.I)
_CLOSES = re.compile(r"\s*(?:[)\],;]|$)")
_LEAD = 40


def find_periods(text: str) -> list[FoundPeriod]:
    """Return the points and periods that `text` names, in order, without overlaps.

    A date alone is a point: `occurred_at` is the start of its unit (1984: 1984-01-01 UTC). A
    period runs from the start of its first unit to the end of its last, half open: "from 1990 to
    1995" ends at 1996-01-01. A decade is a period. Bare years (1000 to 2100) count only where a
    preposition, a bracket, a range, an article ("a 2001 film") or the head of the sentence makes
    them one.
    """
    dates = written_dates(text)
    found: list[FoundPeriod] = []
    index = 0
    while index < len(dates):
        date = dates[index]
        following = dates[index + 1] if index + 1 < len(dates) else None
        period = _range(text, date, following)
        if period is not None:
            found.append(period)
            index += 2
            continue
        period = _to_present(text, date) or _short_range(text, date) or _single(text, date)
        if period is not None:
            found.append(period)
        index += 1
    return found


def _range(text: str, date: WrittenDate, following: WrittenDate | None) -> FoundPeriod | None:
    """Return "from A to B", "between A and B", "A-B" or "born A - died B"."""
    if following is None or following.start <= date.start:
        return None
    between = text[date.last : following.first]
    if _JOIN.fullmatch(between) is None:
        return None
    lead = _FROM.search(text[max(0, date.first - _LEAD) : date.first])
    if _DASHED.match(between) is None:
        if lead is None:
            return None
        if _AND.match(between) and not _BETWEEN.search(lead.group()):
            return None
    first = date.first - len(lead.group()) if lead is not None else date.first
    period = Period(valid_from=date.start, valid_to=following.end)
    return _stated(text, period, first, following.last)


def _to_present(text: str, date: WrittenDate) -> FoundPeriod | None:
    """Return "A - present"."""
    match = _PRESENT.match(text, date.last)
    if match is None:
        return None
    lead = _FROM.search(text[max(0, date.first - _LEAD) : date.first])
    first = date.first - len(lead.group()) if lead is not None else date.first
    return _stated(text, Period(valid_from=date.start), first, match.end())


def _short_range(text: str, date: WrittenDate) -> FoundPeriod | None:
    """Return "1990-95", whose end is in the century of its start."""
    match = _SHORT_YEAR.match(text, date.last) if date.bare else None
    if match is None:
        return None
    year = date.start.year // 100 * 100 + int(match[1])
    if year <= date.start.year:
        return None
    period = Period(valid_from=date.start, valid_to=year_start(year + 1))
    return _stated(text, period, date.first, match.end())


def _single(text: str, date: WrittenDate) -> FoundPeriod | None:
    """Return a date by itself, read by the words before it."""
    before = text[max(0, date.first - _LEAD) : date.first]
    for pattern, period in (
        (_SINCE, Period(valid_from=date.start)),
        (_UNTIL, Period(valid_to=date.end)),
        (_BEFORE, Period(valid_to=date.start)),
        (_AFTER, Period(valid_from=date.end)),
    ):
        lead = pattern.search(before)
        if lead is not None:
            return _stated(text, period, date.first - len(lead.group()), date.last)
    if date.bare and not _is_year_by_context(text, date, before):
        return None
    if date.unit is TimeUnit.DECADE:
        period = Period(valid_from=date.start, valid_to=date.end)
    else:
        period = Period(occurred_at=date.start)
    return _stated(text, period, date.first, date.last)


def _is_year_by_context(text: str, date: WrittenDate, before: str) -> bool:
    """Return whether a bare number of four digits is meant as a year."""
    lead = _CONTEXT.search(before)
    if lead is not None and lead.group().strip() not in ("(", "["):
        return not _counts_things(text, date)
    if lead is not None:
        return _CLOSES.match(text, date.last) is not None
    if _LIST_BEFORE.search(before):
        return True
    if _ARTICLE.search(before) and date.start.year >= _FIRST_ATTRIBUTIVE_YEAR:
        return _NOUN.match(text, date.last) is not None and not _counts_things(text, date)
    return not before.strip() and text[date.last : date.last + 1] == ","


_ARTICLE = re.compile(r"\b(?:a|an|the|its|his|her|their|um|uma|o)\s+$", re.I)
_NOUN = re.compile(r"\s+[^\W\d_]{3}")
_FIRST_ATTRIBUTIVE_YEAR = 1800
_COUNTED = re.compile(
    r"\s+(?:people|persons|men|women|children|soldiers|students|employees|members|miles|km|metres|"
    r"meters|feet|ft|dollars|euros|pounds|years|days|hours|votes|copies|seats|units|tons|tonnes|kg|"
    r"percent|million|billion|pessoas|anos|dias|metros|votos|reais)\b",
    re.I,
)


def _counts_things(text: str, date: WrittenDate) -> bool:
    return _COUNTED.match(text, date.last) is not None


def _stated(text: str, period: Period, first: int, last: int) -> FoundPeriod:
    return FoundPeriod(period, Span(first, last), text[first:last])
