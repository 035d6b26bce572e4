"""The export as JSON Lines: one file a table, one row a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from clew.core.errors import IngestError, NotFoundError
from clew.core.ids import format_id, parse_id
from clew.exchange.tables import EVIDENCE_COLUMNS, Kind, Row

SUFFIX = ".jsonl"


def write_table(folder: Path, table: str, rows: Iterable[Row], columns: Mapping[str, Kind]) -> int:
    """Write a table; return how many rows it has."""
    count = 0
    with (folder / f"{table}{SUFFIX}").open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            line = {name: encoded(row.get(name), kind) for name, kind in columns.items()}
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False))
            file.write("\n")
            count += 1
    return count


def read_table(folder: Path, table: str, columns: Mapping[str, Kind]) -> Iterator[Row]:
    """Yield the rows of a table; one that has no file has no rows.

    Raises:
        IngestError: a line cannot be read; says which.
    """
    path = folder / f"{table}{SUFFIX}"
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _row(line, columns, place=f"{path}, line {number}")


def _row(line: str, columns: Mapping[str, Kind], *, place: str) -> Row:
    try:
        held = json.loads(line)
        return {name: decoded(held.get(name), kind) for name, kind in columns.items()}
    except (ValueError, TypeError, AttributeError, KeyError, NotFoundError) as error:
        raise IngestError(f"{place} is no row of Clew's export: {error}") from error


def encoded(value: Any, kind: Kind) -> Any:  # noqa: ANN401 - JSON
    """Return a value of a row as JSON."""
    if value is None:
        return None
    if kind is Kind.ID:
        return format_id(value)
    if kind is Kind.IDS:
        return [format_id(identifier) for identifier in value]
    if kind is Kind.TIME:
        return value.isoformat()
    if kind is Kind.EVIDENCE:
        return [
            {name: encoded(item[name], inner) for name, inner in EVIDENCE_COLUMNS.items()}
            for item in value
        ]
    return value


def decoded(value: Any, kind: Kind) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a row that JSON stands for."""
    if kind is Kind.EVIDENCE:
        return [
            {name: decoded(item[name], inner) for name, inner in EVIDENCE_COLUMNS.items()}
            for item in value or ()
        ]
    if kind in (Kind.IDS, Kind.TEXTS):
        return [parse_id(item) if kind is Kind.IDS else item for item in value or ()]
    if value is None:
        return None
    if kind is Kind.ID:
        return parse_id(value)
    if kind is Kind.TIME:
        return datetime.fromisoformat(value)
    return value
