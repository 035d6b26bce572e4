"""The dates that a question names: written ones, loose ones, and those told from today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from clew.text.calendar_units import CalendarUnit, shifted, unit_start
from clew.text.relative_times import relative_times
from clew.text.time_units import TimeUnit, written_dates, year_start


@dataclass(frozen=True, slots=True)
class QuestionDate:
    """A half-open unit of time at `first:last`. `bare`: a number of four digits; `relative`: told
    from the reference date; `now`: the present itself; `span`: a decade or century."""

    start: datetime
    end: datetime
    first: int
    last: int
    bare: bool = False
    relative: bool = False
    now: bool = False
    span: bool = False


_LOOSE_ISO = re.compile(r"(?<![\d/-])(1\d{3}|20\d{2})-(\d{1,2})-(\d{1,2})(?![\d/-])")
_SEASON = re.compile(r"(?<![\d/.-])(1\d{3}|20\d{2})[-–/](\d{2})(?![\d/-])")  # noqa: RUF001
_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(1\d{3}|20\d{2})(?![\d/-])")
_CENTURY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)[\s-]+century\b(?!\s+b\.?c)", re.IGNORECASE)
_SECULO = re.compile(r"\bs[ée]culo\s+([ivx]+)\b(?!\s+a\.?\s?c\b)", re.IGNORECASE)
_SHORT_DECADE = re.compile(
    r"(?<!\w)(?:the\s+|os\s+)?(?:'|’)?(?:anos\s+)?([2-9]0)(?:'?s)\b|\banos\s+([2-9]0)\b",  # noqa: RUF001
    re.IGNORECASE,
)
_ERA = re.compile(r"\s*(?:b\.?c\.?(?:e\.?)?|a\.\s?c\.)(?!\w)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\s+(?:people|persons|men|women|soldiers|employees|miles|km|metres|meters|feet|dollars|euros"
    r"|points|goals|votes|copies|calories|mah|mhz|pessoas|metros|votos|reais)\b",
    re.IGNORECASE,
)
_LESS_OR_MORE = re.compile(r"(?:than|over|[$€£#]|mais de|menos de|number|id)\s*$", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10}


def question_dates(text: str, reference: datetime, *, day_first: bool) -> list[QuestionDate]:
    """Return the dates of a question in order, without overlaps.

    `day_first` says how 1/3/1935 is read where both ways make a date. Years before Christ and
    amounts ("more than 2000", "2000 people") are left out.
    """
    taken: list[QuestionDate] = []
    for date in _candidates(text, reference, day_first=day_first):
        free = all(date.last <= one.first or date.first >= one.last for one in taken)
        if free and _ERA.match(text, date.last) is None:
            taken.append(date)
    return sorted(taken, key=lambda date: date.first)


def _candidates(text: str, reference: datetime, *, day_first: bool) -> Iterator[QuestionDate]:
    """Yield what may be dates, the most exact forms first."""
    for match in _LOOSE_ISO.finditer(text):
        yield from _loose(match, int(match[1]), int(match[2]), int(match[3]))
    for match in _SLASHED.finditer(text):
        one, two, year = int(match[1]), int(match[3]), int(match[4])
        day, month = (one, two) if (day_first and two <= 12) or one > 12 else (two, one)
        yield from _loose(match, year, month, day)
    for match in _SEASON.finditer(text):
        yield from _season(match, int(match[1]), int(match[2]))
    for date in written_dates(text):
        if date.bare and _is_amount(text, date.first, date.last):
            continue
        decade = date.unit is TimeUnit.DECADE
        yield QuestionDate(date.start, date.end, date.first, date.last, bare=date.bare, span=decade)
    for time in relative_times(text, reference):
        yield QuestionDate(time.start, time.end, time.first, time.last, relative=True, now=time.now)
    for match in _CENTURY.finditer(text):
        yield from _century(match, int(match[1]))
    for match in _SECULO.finditer(text):
        yield from _century(match, _roman(match[1].casefold()))
    for match in _SHORT_DECADE.finditer(text):
        year = 1900 + int(match[1] or match[2])
        yield QuestionDate(
            year_start(year), year_start(year + 10), match.start(), match.end(), span=True
        )


def _is_amount(text: str, first: int, last: int) -> bool:
    return bool(_AMOUNT.match(text, last) or _LESS_OR_MORE.search(text[max(0, first - 12) : first]))


def _loose(match: re.Match[str], year: int, month: int, day: int) -> Iterator[QuestionDate]:
    """Yield the day; the month where the day is 0, the year where the month is 0 as well."""
    unit = CalendarUnit.DAY if day else CalendarUnit.MONTH if month else CalendarUnit.YEAR
    try:
        moment = datetime(year, month or 1, day or 1, tzinfo=UTC)
    except ValueError:
        return
    end = shifted(unit_start(moment, unit), unit, 1)
    if end is not None:
        yield QuestionDate(moment, end, match.start(), match.end())


def _season(match: re.Match[str], year: int, two_digits: int) -> Iterator[QuestionDate]:
    """Yield "2004-05" as two years, "2004-06" as a month and "1990-95" as years."""
    last = year // 100 * 100 + two_digits
    if last < year and year % 100 == 99:
        last += 100
    if last == year + 1 or (last > year and two_digits > 12):
        yield QuestionDate(
            year_start(year), year_start(last + 1), match.start(), match.end(), span=True
        )
    elif 1 <= two_digits <= 12:
        yield from _loose(match, year, two_digits, 0)


def _century(match: re.Match[str], number: int) -> Iterator[QuestionDate]:
    """Yield the hundred years that a century's number counts: the 19th starts at 1801."""
    if 1 <= number <= 21:
        start = year_start(100 * number - 99)
        yield QuestionDate(
            start, year_start(100 * number + 1), match.start(), match.end(), span=True
        )


def _roman(numeral: str) -> int:
    values = [_ROMAN[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
