"""Points in time as callers, front matter and file properties write them, read as UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

from clew.core.errors import IngestError

_YEAR = re.compile(r"\d{4}")
_YEAR_MONTH = re.compile(r"(\d{4})-(\d{2})")
_PDF = re.compile(
    r"D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-])(\d{2})'?(\d{2})?)?.*", re.DOTALL
)


def read_timestamp(value: object) -> datetime | None:
    """Return an ISO date, date with time, `YYYY`, `YYYY-MM`, `date` or `datetime` as UTC.

    A date is its first moment; a time without zone is UTC. None and "" are None.

    Raises:
        IngestError: `value` is none of these.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return _utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        read = _read_text(value.strip())
        if read is not None:
            return read
    raise IngestError(
        f"{value!r} is not a date; write it as YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS+00:00"
    )


def lenient_timestamp(value: object) -> datetime | None:
    """Return `value` as UTC, or None where a file's own property makes no sense."""
    try:
        return read_timestamp(value)
    except IngestError:
        return None


def read_pdf_timestamp(value: str) -> datetime | None:
    """Return a PDF date (`D:20240131120000+01'00'`) as UTC, None where it makes no sense."""
    match = _PDF.fullmatch(value.strip())
    if match is None:
        return None
    parts = [
        int(part) if part else default
        for part, default in zip(match.groups()[:6], (1, 1, 1, 0, 0, 0), strict=True)
    ]
    offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
    try:
        zone = timezone(-offset if match[7] == "-" else offset)
        return _utc(datetime(*parts, tzinfo=zone))  # type: ignore[misc, arg-type]
    except (ValueError, OverflowError):
        return None


def _read_text(text: str) -> datetime | None:
    if _YEAR.fullmatch(text):
        text = f"{text}-01-01"
    elif _YEAR_MONTH.fullmatch(text):
        text = f"{text}-01"
    try:
        return _utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
