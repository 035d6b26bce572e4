"""Instants in columns: microseconds since 1970 UTC. A datetime without a zone is read as UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def in_utc(moment: datetime) -> datetime:
    """Return the same instant with the UTC zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def microseconds(moment: datetime) -> int:
    """Return microseconds since 1970; negative before."""
    return (in_utc(moment) - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """Return the instant in UTC; inverse of `microseconds`."""
    return _EPOCH + count * _MICROSECOND


def instant(moment: datetime | None) -> np.datetime64:
    """Return datetime64[us], NaT for None."""
    if moment is None:
        return np.datetime64("NaT", "us")
    return np.datetime64(microseconds(moment), "us")
