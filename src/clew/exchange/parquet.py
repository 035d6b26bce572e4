"""The export as Parquet: one file a table, written and read in batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from itertools import islice
from pathlib import Path
from typing import Any

from clew.core.errors import IngestError
from clew.core.lazy import load
from clew.exchange.json_lines import decoded, encoded
from clew.exchange.tables import EVIDENCE_COLUMNS, Kind, Row

SUFFIX = ".parquet"
_ROWS = 4096


def arrow() -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return pyarrow.

    Raises:
        MissingExtraError: it is not installed.
    """
    return load("pyarrow", "pyarrow", "parquet")


def arrow_parquet() -> Any:  # noqa: ANN401
    """Return pyarrow.parquet."""
    return load("pyarrow.parquet", "pyarrow", "parquet")


def write_table(folder: Path, table: str, rows: Iterable[Row], columns: Mapping[str, Kind]) -> int:
    """Write a table; return how many rows it has."""
    schema = _schema(columns)
    stream = iter(rows)
    count = 0
    with arrow_parquet().ParquetWriter(
        folder / f"{table}{SUFFIX}", schema, compression="zstd"
    ) as writer:
        while batch := list(islice(stream, _ROWS)):
            held = [
                {name: _cell(row.get(name), kind) for name, kind in columns.items()}
                for row in batch
            ]
            writer.write_table(arrow().Table.from_pylist(held, schema=schema))
            count += len(batch)
    return count


def read_table(folder: Path, table: str, columns: Mapping[str, Kind]) -> Iterator[Row]:
    """Yield the rows of a table; one that has no file has no rows.

    Raises:
        IngestError: the file cannot be read, or is not what Clew writes.
    """
    path = folder / f"{table}{SUFFIX}"
    if not path.exists():
        return
    for number, held in enumerate(read_rows(path), start=1):
        try:
            yield {name: _value(held.get(name), kind) for name, kind in columns.items()}
        except (ValueError, TypeError, KeyError) as error:
            raise IngestError(
                f"{path}, row {number} is no row of Clew's export: {error}"
            ) from error


def read_rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of any Parquet file, of the named columns that it has (None: all).

    Raises:
        IngestError: it cannot be read.
    """
    pyarrow = arrow()
    try:
        with arrow_parquet().ParquetFile(path) as file:
            known = set(file.schema_arrow.names)
            wanted = None if columns is None else [name for name in columns if name in known]
            for batch in file.iter_batches(batch_size=_ROWS, columns=wanted):
                yield from batch.to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise IngestError(f"{path} cannot be read as Parquet: {error}") from error


def column_names(path: Path) -> frozenset[str]:
    """Return the columns of a Parquet file.

    Raises:
        IngestError: it cannot be read.
    """
    pyarrow = arrow()
    try:
        return frozenset(arrow_parquet().read_schema(path).names)
    except (OSError, pyarrow.ArrowException) as error:
        raise IngestError(f"{path} cannot be read as Parquet: {error}") from error


def _schema(columns: Mapping[str, Kind]) -> Any:  # noqa: ANN401
    types = _types()
    return arrow().schema([(name, types[kind]) for name, kind in columns.items()])


def _types() -> dict[Kind, Any]:
    pyarrow = arrow()
    text = pyarrow.string()
    simple = {
        Kind.ID: text,
        Kind.IDS: pyarrow.list_(text),
        Kind.TEXT: text,
        Kind.TEXTS: pyarrow.list_(text),
        Kind.INTEGER: pyarrow.int64(),
        Kind.REAL: pyarrow.float64(),
        Kind.TRUTH: pyarrow.bool_(),
        Kind.TIME: pyarrow.timestamp("us", tz="UTC"),
        Kind.TREE: text,
        Kind.VECTOR: pyarrow.list_(pyarrow.float32()),
    }
    parts = [(name, simple[kind]) for name, kind in EVIDENCE_COLUMNS.items()]
    return {**simple, Kind.EVIDENCE: pyarrow.list_(pyarrow.struct(parts))}


def _cell(value: Any, kind: Kind) -> Any:  # noqa: ANN401
    if kind is Kind.TREE:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if kind is Kind.TIME:
        return value
    if kind is Kind.EVIDENCE:
        return [
            {name: _cell(item[name], inner) for name, inner in EVIDENCE_COLUMNS.items()}
            for item in value
        ]
    return encoded(value, kind)


def _value(value: Any, kind: Kind) -> Any:  # noqa: ANN401
    if kind is Kind.TREE:
        return json.loads(value)
    if kind is Kind.TIME:
        return None if value is None else value.astimezone(UTC)
    if kind is Kind.EVIDENCE:
        return [
            {name: _value(item[name], inner) for name, inner in EVIDENCE_COLUMNS.items()}
            for item in value
        ]
    return decoded(value, kind)
