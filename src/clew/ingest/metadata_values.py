"""Metadata values under a type: taken as they are or turned into it where nothing is lost."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from clew.core.documents import MetadataValue
from clew.core.metadata_schema import FieldKind

_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
_DECIMAL = re.compile(r"-?\d+(?:\.\d+)?")
_EXACT = 2.0**53
_TRUTH = {"true": True, "false": False}

KIND_NAMES: Mapping[FieldKind, str] = {
    FieldKind.TEXT: "text",
    FieldKind.INTEGER: "a whole number",
    FieldKind.NUMBER: "a number",
    FieldKind.BOOLEAN: "true or false",
    FieldKind.DATE: "a date, written YYYY-MM-DD",
    FieldKind.TEXT_LIST: "a list of texts",
}


def coerced(value: object, kind: FieldKind) -> MetadataValue:
    """Return `value` as `kind`; the result, read back, says no less than `value` did.

    A whole number may be written as text or with a zero fraction, a date with a time of midnight
    (UTC), a list with one entry as that entry; numbers and truth values become text as JSON
    writes them. 007 is no whole number and 1 is no truth value.

    Raises:
        ValueError: `value` is none of this.
    """
    try:
        return _COERCE[kind](value)
    except ValueError:
        raise ValueError(f"{value!r} is not {KIND_NAMES[kind]}") from None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise ValueError


def _integer(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    raise ValueError


def _number(value: object) -> int | float:
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        number = float(value)
        if Decimal(repr(number)) == Decimal(value.strip()):
            return number
    raise ValueError


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in _TRUTH:
        return _TRUTH[value.strip().casefold()]
    raise ValueError


def _date(value: object) -> str:
    if isinstance(value, str):
        value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        try:
            moment = value if value.tzinfo is None else value.astimezone(UTC)
        except OverflowError:
            raise ValueError from None
        if moment.time() != datetime.min.time():
            raise ValueError
        return moment.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    raise ValueError


def _text_list(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return [str(item) for item in value]
    raise ValueError


_COERCE: Mapping[FieldKind, Callable[[object], MetadataValue]] = {
    FieldKind.TEXT: _text,
    FieldKind.INTEGER: _integer,
    FieldKind.NUMBER: _number,
    FieldKind.BOOLEAN: _boolean,
    FieldKind.DATE: _date,
    FieldKind.TEXT_LIST: _text_list,
}
