"""Reports of export, import and re-embedding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ExportFormat(StrEnum):
    """How a collection is written to files."""

    GRAPHML = "graphml"
    JSONL = "jsonl"
    PARQUET = "parquet"


class ImportFormat(StrEnum):
    """What can be read: Clew's own exports and the output folders of other programs."""

    AUTO = "auto"
    JSONL = "jsonl"
    PARQUET = "parquet"
    GRAPHRAG = "graphrag"
    LIGHTRAG = "lightrag"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote: its place, and rows by table."""

    path: str
    format: ExportFormat
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import brought in, as rows by table.

    `replaced` counts documents that stood there in another version; `left_out` counts what could
    not be taken over, by reason, and `notes` say how what was ambiguous was read.
    """

    path: str
    format: ImportFormat
    rows: Mapping[str, int]
    replaced: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What a change of the embedding model did: vectors made now, and taken over from a run that
    was interrupted before."""

    before: str | None
    after: str
    dimensions: int
    chunks: int
    nodes: int
    communities: int
    reused: int
    seconds: float = 0.0
