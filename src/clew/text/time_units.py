"""Dates as they are written, in English and Portuguese, read as half-open units of time in UTC."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

MONTH_NAMES: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan janeiro",
            "february feb fevereiro fev",
            "march mar março marco",
            "april apr abril abr",
            "may maio mai",
            "june jun junho",
            "july jul julho",
            "august aug agosto ago",
            "september sept sep setembro set",
            "october oct outubro out",
            "november nov novembro",
            "december dec dezembro dez",
        ),
        start=1,
    )
    for name in names.split()
}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "primeiro": 1, "segundo": 2} | {
    "terceiro": 3,
    "quarto": 4,
}
_FIRST_YEAR, _LAST_YEAR = 1000, 2100

_MONTH = "(?:" + "|".join(sorted(MONTH_NAMES, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:1\d{3}|20\d{2}|2100)"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:st|nd|rd|th|º|ª)?"
_OF = r"(?:\s+(?:of|de))?"
_GAP = r"\s+"

_UNIT = "|".join(
    (
        rf"(?P<iso>{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)",
        rf"(?P<mdy>{_MONTH}{_GAP}{_DAY}{_ORDINAL},?{_GAP}{_YEAR})(?!\d)",
        rf"(?P<dmy>{_DAY}{_ORDINAL}{_OF}{_GAP}{_MONTH},?{_OF}{_GAP}{_YEAR})(?!\d)",
        rf"(?P<my>{_MONTH},?{_OF}{_GAP}{_YEAR})(?!\d)",
        (
            rf"(?P<quarter>Q[1-4](?:\s+of|\s+de)?[\s/-]*{_YEAR}|{_YEAR}[\s/-]?Q[1-4]"
            rf"|(?:{'|'.join(_ORDINALS)})\s+(?:quarter|trimestre)\s+(?:of|de)\s+{_YEAR})(?!\d)"
        ),
        rf"(?P<decade>(?:the\s+|(?:early|mid|late)[\s-]+)?{_YEAR}s|década\s+de\s+{_YEAR})\b",
        rf"(?P<year>(?<![\d.,/]){_YEAR})(?![\d%]|[.,]\d|-(?:0[1-9]|1[0-2])(?!\d)|/\d|s\b)",
    )
)
_DATE = re.compile(rf"(?<![\w$€£#])(?:{_UNIT})", re.IGNORECASE)


class TimeUnit(StrEnum):
    """How exact a date is."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date that stands at `first:last`: its half-open unit of time, and whether it is a bare
    number of four digits, which may be no year at all."""

    start: datetime
    end: datetime
    unit: TimeUnit
    first: int
    last: int
    bare: bool


def written_dates(text: str) -> list[WrittenDate]:
    """Return the dates in `text` in order; impossible ones (30 February) are left out."""
    dates: list[WrittenDate] = []
    for match in _DATE.finditer(text):
        kind = match.lastgroup or ""
        unit = _READERS[kind](match.group())
        if unit is not None:
            start, end, name = unit
            dates.append(WrittenDate(start, end, name, match.start(), match.end(), kind == "year"))
    return dates


_Reading = tuple[datetime, datetime, TimeUnit]
_NUMBER = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_FOUR_DIGITS = re.compile(r"\d{4}")


def year_start(year: int) -> datetime:
    """Return the first moment of a year."""
    return datetime(year, 1, 1, tzinfo=UTC)


def _month(year: int, month: int) -> datetime:
    """Return the start of a month; month 13 is January of the next year."""
    return datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1, tzinfo=UTC)


def _read_day(year: int, month: int, day: int) -> _Reading | None:
    """Return the day, or None where the calendar has none such."""
    first, following = _month(year, month), _month(year, month + 1)
    if day > (following - first).days:
        return None
    start = first.replace(day=day)
    end = following if day == (following - first).days else first.replace(day=day + 1)
    return start, end, TimeUnit.DAY


def _named_month(words: str) -> int:
    return next(
        MONTH_NAMES[word] for word in _LETTERS.findall(words.casefold()) if word in MONTH_NAMES
    )


def _read_iso(words: str) -> _Reading | None:
    year, month, day = (int(part) for part in words.split("-"))
    return _read_day(year, month, day)


def _read_dated(words: str) -> _Reading | None:
    day, year = (int(part) for part in _NUMBER.findall(words))
    return _read_day(year, _named_month(words), day)


def _read_month(words: str) -> _Reading | None:
    year, month = int(_NUMBER.findall(words)[-1]), _named_month(words)
    return _month(year, month), _month(year, month + 1), TimeUnit.MONTH


def _read_quarter(words: str) -> _Reading | None:
    year = int(_FOUR_DIGITS.findall(words)[0])
    short = re.search(r"Q([1-4])", words, re.I)
    quarter = int(short[1]) if short else _ORDINALS[words.split()[0].casefold()]
    month = 3 * quarter - 2
    return _month(year, month), _month(year, month + 3), TimeUnit.QUARTER


def _read_decade(words: str) -> _Reading | None:
    year = int(_FOUR_DIGITS.findall(words)[0])
    span = 100 if year % 100 == 0 and year < 2000 else 10
    return year_start(year), year_start(year + span), TimeUnit.DECADE


def _read_year(words: str) -> _Reading | None:
    year = int(words)
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    return year_start(year), year_start(year + 1), TimeUnit.YEAR


_READERS: dict[str, Callable[[str], _Reading | None]] = {
    "iso": _read_iso,
    "mdy": _read_dated,
    "dmy": _read_dated,
    "my": _read_month,
    "quarter": _read_quarter,
    "decade": _read_decade,
    "year": _read_year,
}
