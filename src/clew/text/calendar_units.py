"""Units of the calendar in UTC: where the one that holds a moment starts, and the next ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum

_LAST_YEAR = 9000


class CalendarUnit(StrEnum):
    """Days to centuries; weeks start on Monday (ISO 8601)."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


_MONTHS_OF = {
    CalendarUnit.MONTH: 1,
    CalendarUnit.QUARTER: 3,
    CalendarUnit.YEAR: 12,
    CalendarUnit.DECADE: 120,
    CalendarUnit.CENTURY: 1200,
}
_DAYS_OF = {CalendarUnit.DAY: 1, CalendarUnit.WEEK: 7}


def unit_start(moment: datetime, unit: CalendarUnit) -> datetime:
    """Return the first moment of the unit that holds `moment`; 1901 starts its century here at
    1900, as "the 1900s" do."""
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if unit is CalendarUnit.DAY:
        return day
    if unit is CalendarUnit.WEEK:
        return day - timedelta(days=day.weekday())
    months = day.year * 12 + day.month - 1
    first = months - months % _MONTHS_OF[unit]
    return day.replace(year=first // 12, month=first % 12 + 1, day=1)


def shifted(moment: datetime, unit: CalendarUnit, count: int) -> datetime | None:
    """Return `moment` moved by `count` units, None beyond the calendar.

    A day that the month has not becomes its last: 31 March less a month is 28 or 29 February.
    """
    try:
        if unit in _DAYS_OF:
            return moment + timedelta(days=count * _DAYS_OF[unit])
        months = moment.year * 12 + moment.month - 1 + count * _MONTHS_OF[unit]
        year, month = divmod(months, 12)
        if not 1 <= year <= _LAST_YEAR:
            return None
        following = datetime(year + month // 11, (month + 1) % 12 + 1, 1, tzinfo=UTC)
        last = (following - timedelta(days=1)).day
        return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
    except OverflowError:
        return None
