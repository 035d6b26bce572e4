"""Reading Clew's own export, JSON Lines or Parquet, back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from clew.core.batches import Vectors
from clew.core.documents import Stage
from clew.core.errors import IngestError
from clew.core.ids import format_id
from clew.core.knowledge import Community, Edge, Merge, Statement
from clew.core.transfer import ImportFormat
from clew.exchange import json_lines, parquet
from clew.exchange.reading import ImportedDocument, LeftOut
from clew.exchange.rows import (
    chunk_value,
    claim_value,
    community_value,
    document_value,
    edge_value,
    mention_value,
    merge_value,
)
from clew.exchange.tables import FORMAT_VERSION, MANIFEST, TABLES, Row

Value = TypeVar("Value")


class OwnReader:
    """Implements `Reader` on the folder of an export.

    Raises:
        IngestError: the manifest cannot be read, the export has no text, or a newer Clew wrote it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        manifest = _manifest(folder)
        self.format = ImportFormat(manifest["format"])
        self.facts: Mapping[str, str] = manifest["facts"]
        self.left_out = LeftOut()
        self._read = (
            parquet.read_table if self.format is ImportFormat.PARQUET else json_lines.read_table
        )

    def documents(self) -> Iterator[ImportedDocument]:
        """Yield documents with their chunks, mentions and claims, which stand in the same order."""
        chunks = _Followed(self._rows("chunks"), "document", self._place("chunks"))
        mentions = _Followed(self._rows("mentions"), "chunk", self._place("mentions"))
        claims = _Followed(self._rows("claims"), "chunk", self._place("claims"))
        for row in self._rows("documents"):
            document = self._value("documents", document_value, row)
            held = chunks.of({document.id})
            ids = {chunk["id"] for chunk in held}
            yield ImportedDocument(
                document,
                tuple(self._value("chunks", chunk_value, chunk) for chunk in held),
                {chunk["id"]: self._value("chunks", _stage, chunk) for chunk in held},
                tuple(self._value("mentions", mention_value, found) for found in mentions.of(ids)),
                tuple(self._value("claims", claim_value, found) for found in claims.of(ids)),
                _vectors(held),
            )
        for followed in (chunks, mentions, claims):
            followed.require_end()

    def edges(self) -> Iterator[tuple[Edge, tuple[Statement, ...]]]:
        """Yield each edge with all that it rests on."""
        return (self._value("edges", edge_value, row) for row in self._rows("edges"))

    def merges(self) -> Iterator[Merge]:
        """Yield the merge log."""
        return (self._value("merges", merge_value, row) for row in self._rows("merges"))

    def communities(self) -> Sequence[Community]:
        """Return communities with their summaries."""
        return [
            self._value("communities", community_value, row) for row in self._rows("communities")
        ]

    def _rows(self, table: str) -> Iterator[Row]:
        return self._read(self._folder, table, TABLES[table])

    def _place(self, table: str) -> str:
        suffix = parquet.SUFFIX if self.format is ImportFormat.PARQUET else json_lines.SUFFIX
        return str(self._folder / f"{table}{suffix}")

    def _value(self, table: str, make: Callable[[Row], Value], row: Row) -> Value:
        try:
            return make(row)
        except (ValueError, TypeError) as error:
            raise IngestError(f"{self._place(table)} holds an unusable row: {error}") from error


class _Followed:
    """Rows that come in the order of their owners, taken owner by owner."""

    def __init__(self, rows: Iterator[Row], owner: str, place: str) -> None:
        self._rows = rows
        self._owner = owner
        self._place = place
        self._next = next(rows, None)

    def of(self, owners: set[int]) -> list[Row]:
        """Return the rows that come next and belong to one of the owners."""
        held: list[Row] = []
        while self._next is not None and self._next[self._owner] in owners:
            held.append(self._next)
            self._next = next(self._rows, None)
        return held

    def require_end(self) -> None:
        """Check that every row has been taken.

        Raises:
            IngestError: a row belongs to nothing, or stands out of order.
        """
        if self._next is not None:
            raise IngestError(
                f"{self._place}: a row names the {self._owner} "
                f"{format_id(self._next[self._owner])}, which is unknown or comes in another "
                "order there; export the collection again"
            )


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        version, text = int(manifest["clew"]), bool(manifest["text"])
        known = {"format": str(manifest["format"]), "facts": dict(manifest["facts"])}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise IngestError(f"{path} is no manifest of Clew's export: {error!r}") from error
    if version > FORMAT_VERSION:
        raise IngestError(f"{folder} was written by a newer Clew: pip install --upgrade clew")
    if not text:
        raise IngestError(f"{folder} was exported without text and cannot be imported")
    if known["format"] not in (ImportFormat.JSONL, ImportFormat.PARQUET):
        raise IngestError(f"{path} names the unknown format {known['format']!r}")
    return known


def _stage(row: Row) -> Stage:
    return Stage(row["stage"])


def _vectors(chunks: Sequence[Row]) -> Vectors | None:
    held = [row for row in chunks if row["vector"] is not None]
    if not held:
        return None
    return Vectors(
        np.array([row["id"] for row in held], np.int64),
        np.array([row["vector"] for row in held], np.float32),
    )
