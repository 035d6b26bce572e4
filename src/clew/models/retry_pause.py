"""How long to wait before a request is repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

LONGEST_PAUSE = 60.0
_FIRST_PAUSE = 0.5
_LONGEST_OF_OURS = 8.0


def _now() -> datetime:
    return datetime.now(UTC)


def retry_pause(
    attempt: int, headers: Mapping[str, str], *, now: Callable[[], datetime] = _now
) -> float:
    """Return seconds to wait after the failed `attempt`, counted from 0.

    What the server asks for (`retry-after-ms`, or `Retry-After` as seconds or as a date, RFC 9110
    section 10.2.3) is honoured up to a minute; else the pause doubles from half a second to eight.
    """
    asked = _asked(headers, now)
    if asked is not None:
        return min(max(0.0, asked), LONGEST_PAUSE)
    return float(min(_FIRST_PAUSE * 2.0**attempt, _LONGEST_OF_OURS))


def _asked(headers: Mapping[str, str], now: Callable[[], datetime]) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000.0
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now().timestamp()


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
