"""What a watched folder reports: an event for each thing that happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class WatchEventKind(StrEnum):
    """What happened to a source, or to the watch itself. `WATCHING`: the first pass is over and
    changes are followed from here on; `KEPT`: documents whose files are gone were not removed."""

    ADDED = "added"
    UPDATED = "updated"
    RESUMED = "resumed"
    REMOVED = "removed"
    FAILED = "failed"
    SKIPPED = "skipped"
    WATCHING = "watching"
    KEPT = "kept"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One event. `source` is a document's source, or the folder for `WATCHING` and `KEPT`;
    `counts` of `WATCHING` are the sources of the first pass by outcome."""

    kind: WatchEventKind
    source: str
    at: datetime
    document: int | None = None
    chunks: int = 0
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
