"""Times that are told from today: "yesterday", "last year", "nos últimos três meses"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from clew.text.calendar_units import CalendarUnit, shifted, unit_start
from clew.text.folding import aligned_letters
from clew.text.time_units import MONTH_NAMES


@dataclass(frozen=True, slots=True)
class RelativeTime:
    """An interval, half open, and the words `first:last` that say it; `now` is the present."""

    start: datetime
    end: datetime
    first: int
    last: int
    now: bool = False


_UNITS = {
    CalendarUnit.DAY: "days? dias?",
    CalendarUnit.WEEK: "weeks? semanas?",
    CalendarUnit.MONTH: "months? mes meses",
    CalendarUnit.QUARTER: "quarters? trimestres?",
    CalendarUnit.YEAR: "years? anos?",
    CalendarUnit.DECADE: "decades? decadas?",
    CalendarUnit.CENTURY: "century centuries seculos?",
}
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "a an one um uma",
            "two dois duas couple",
            "three tres",
            "four quatro",
            "five cinco",
            "six seis",
            "seven sete",
            "eight oito",
            "nine nove",
            "ten dez",
            "eleven onze",
            "twelve doze",
        ),
        start=1,
    )
    for word in words.split()
}
_UNIT = "(?P<unit>" + "|".join("|".join(words.split()) for words in _UNITS.values()) + ")"
_COUNT = rf"(?P<count>\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_FOLDED_MONTHS = {
    aligned_letters(name): number
    for name, number in MONTH_NAMES.items()
    if len(name) > 4 or name in ("may", "june", "july", "maio")
}
_MONTH = "(?P<month>" + "|".join(sorted(_FOLDED_MONTHS, key=len, reverse=True)) + ")"

_LAST_COUNT = re.compile(
    rf"\b(?:(?:in|over|during|within|for)\s+)?(?:the\s+)?(?:last|past|previous)\s+"
    rf"(?:couple\s+of\s+)?{_COUNT}\s+{_UNIT}\b"
)
_PAST = re.compile(
    r"\b(?:in|over|during|within)\s+the\s+past\s+(?P<unit>day|week|month|quarter|year|decade)\b"
)
_ULTIMOS = re.compile(rf"\b(?:n?[oa]s\s+)?ultim[oa]s\s+{_COUNT}\s+{_UNIT}\b")
_AGO = re.compile(rf"\b{_COUNT}\s+{_UNIT}\s+(?:ago|atras)\b")
_HA = re.compile(rf"\bha\s+{_COUNT}\s+{_UNIT}\b")
_STEP = re.compile(rf"\b(?P<step>last|past|previous|this|current|next)\s+{_UNIT}\b")
_PASSADO = re.compile(
    rf"\b{_UNIT}\s+(?P<step>passad[oa]|anterior|corrente|atual|que\s+vem|seguinte)\b"
)
_ESTE = re.compile(rf"\b(?P<step>[nd]?est[ea]|ultim[oa]|proxim[oa])\s+{_UNIT}\b")
_DAY_WORD = re.compile(
    r"\b(?P<word>the day before yesterday|yesterday|today|tomorrow|tonight|anteontem|ontem|hoje"
    r"|amanha)\b"
)
_NOW = re.compile(
    r"\b(?:right now|now|currently|current|at present|presently|at the moment|nowadays|these days"
    r"|agora|atualmente|atual|neste momento)\b"
)
_MONTH_ALONE = re.compile(
    rf"\b(?P<lead>in|during|since|until|before|after|by|em|desde|ate|durante|last|this|next)\s+"
    rf"{_MONTH}\b(?!\s*(?:de\s+|of\s+|,\s*)?\d)(?!\s+de\s+\d)"
)
_STEPS = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "passad": -1,
    "anterior": -1,
    "ultim": -1,
    "next": 1,
    "que": 1,
    "seguinte": 1,
    "proxim": 1,
}
_DAY_WORDS = {
    "the day before yesterday": -2,
    "anteontem": -2,
    "yesterday": -1,
    "ontem": -1,
    "today": 0,
    "tonight": 0,
    "hoje": 0,
    "tomorrow": 1,
    "amanha": 1,
}


def relative_times(text: str, reference: datetime) -> list[RelativeTime]:
    """Return the times in `text` that are told from `reference`, in order, without overlaps.

    "in the last N units" ends at the end of the reference day and starts N units earlier; "last
    year", "N years ago" are whole units of the calendar; a month alone is the latest that has
    begun, with "next" the one to come. "now" is the reference day, and "in the past year" are the
    twelve months up to it.
    """
    today = reference.astimezone(UTC)
    plain = aligned_letters(text)
    taken: list[RelativeTime] = []
    for found in _candidates(plain, today):
        if all(found.last <= other.first or found.first >= other.last for other in taken):
            taken.append(found)
    return sorted(taken, key=lambda time: time.first)


def _candidates(text: str, today: datetime) -> Iterator[RelativeTime]:
    """Yield what may be times, the longest forms first."""
    for pattern in (_LAST_COUNT, _ULTIMOS, _PAST):
        for match in pattern.finditer(text):
            yield from _last_units(match, today)
    for pattern in (_AGO, _HA):
        for match in pattern.finditer(text):
            yield from _whole_unit(match, today, -_count(match))
    for pattern in (_STEP, _PASSADO, _ESTE):
        for match in pattern.finditer(text):
            step = next(
                (value for word, value in _STEPS.items() if match["step"].startswith(word)), 0
            )
            yield from _whole_unit(match, today, step)
    for match in _DAY_WORD.finditer(text):
        yield from _unit_at(match, today, CalendarUnit.DAY, _DAY_WORDS[match["word"]])
    for match in _MONTH_ALONE.finditer(text):
        yield from _month_alone(match, today)
    for match in _NOW.finditer(text):
        for day in _unit_at(match, today, CalendarUnit.DAY, 0):
            yield RelativeTime(day.start, day.end, day.first, day.last, now=True)


def _last_units(match: re.Match[str], today: datetime) -> Iterator[RelativeTime]:
    unit, count = _unit(match["unit"]), _count(match)
    end = shifted(unit_start(today, CalendarUnit.DAY), CalendarUnit.DAY, 1)
    start = shifted(end, unit, -count) if end is not None else None
    if start is not None and end is not None and count:
        yield RelativeTime(start, end, match.start(), match.end())


def _whole_unit(match: re.Match[str], today: datetime, step: int) -> Iterator[RelativeTime]:
    yield from _unit_at(match, today, _unit(match["unit"]), step)


def _unit_at(
    match: re.Match[str], today: datetime, unit: CalendarUnit, step: int
) -> Iterator[RelativeTime]:
    """Yield the unit of the calendar that lies `step` units from today's."""
    start = shifted(unit_start(today, unit), unit, step)
    end = shifted(start, unit, 1) if start is not None else None
    if start is not None and end is not None:
        yield RelativeTime(start, end, match.start(), match.end())


def _month_alone(match: re.Match[str], today: datetime) -> Iterator[RelativeTime]:
    number = _FOLDED_MONTHS[match["month"]]
    this_month = unit_start(today, CalendarUnit.MONTH)
    back = (this_month.month - number) % 12
    if match["lead"] == "next":
        back -= 12
    start = shifted(this_month, CalendarUnit.MONTH, -back)
    end = shifted(start, CalendarUnit.MONTH, 1) if start is not None else None
    if start is not None and end is not None:
        first = match.start() if match["lead"] in ("last", "this", "next") else match.start("month")
        yield RelativeTime(start, end, first, match.end())


def _unit(word: str) -> CalendarUnit:
    return next(unit for unit, pattern in _UNIT_PATTERNS if pattern.fullmatch(word))


def _count(match: re.Match[str]) -> int:
    if "count" not in match.re.groupindex:
        return 1
    return int(match["count"]) if match["count"].isdigit() else _NUMBERS[match["count"]]


_UNIT_PATTERNS = [(unit, re.compile("|".join(words.split()))) for unit, words in _UNITS.items()]
