"""Reports of ingest and removal, and background jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from clew.core.documents import Metadata, MetadataValue
from clew.core.usage import LedgerEntry, TokenUsage


class FileOutcome(StrEnum):
    """What became of one source."""

    ADDED = "added"
    UPDATED = "updated"
    RESUMED = "resumed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    SKIPPED = "skipped"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One source's outcome; `reason` says why it failed, was skipped or is excluded by a pattern,
    `code` the same in a word (such as "password"), `warnings` what was left out of a document that
    was indexed."""

    source: str
    outcome: FileOutcome
    chunks: int = 0
    document: int | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    code: str | None = None


@dataclass(frozen=True, slots=True)
class SkippedUnit:
    """A piece of text about which a model gave no usable answer: the source's chunk `ordinal`."""

    source: str
    ordinal: int
    reason: str


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a run asked of a language model. `reused` counts answers that were kept from earlier;
    `cost` is None where the prices are not known; `dropped` counts by reason triples, claims and
    names that the model gave and the text does not hold."""

    model: str
    usage: TokenUsage
    reused: int = 0
    cost: float | None = None
    currency: str = ""
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    skipped: tuple[SkippedUnit, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an `add` did, source by source; counts are of what this run wrote.

    `model` is what a language model was asked, `stopped` why the run ended before all was done:
    the budget is reached. What is there can be asked, and the next `add` goes on.
    """

    files: tuple[FileReport, ...]
    chunks: int = 0
    nodes: int = 0
    edges: int = 0
    claims: int = 0
    merges: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()
    model: ModelUse | None = None
    stopped: str | None = None

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """Return the sources that could not be indexed."""
        return tuple(report for report in self.files if report.outcome is FileOutcome.FAILED)


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """What building communities did. `communities` counts those there are now by level,
    `summarised` those that were written anew, `embedded` the texts that went through the model,
    `removed` those that are no more; all zero where nothing had changed since the last time."""

    communities: tuple[int, ...]
    summarised: int = 0
    embedded: int = 0
    removed: int = 0
    modularity: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RemovalReceipt:
    """What left the collection with a document.

    `removed` counts rows by table; tables named `past_*` hold its earlier versions. `indexes`
    counts what searches could reach before and cannot any more: `keywords` and `vectors` of
    chunks, `names` and `node_vectors` of nodes, edges of the `adjacency` (mentions among them).
    """

    document: int
    source: str
    removed: Mapping[str, int]
    indexes: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    """Counts and health of a collection. `pending` counts chunks by the stage they have reached
    when that is not the last; `degree_hub` is the degree from which a node counts as hub.
    `communities_stale`: documents have changed since the communities were built. `ledger`: what
    language models have cost, by stage."""

    collection: str
    documents: int
    chunks: int
    nodes: int
    edges: int
    claims: int
    pending: Mapping[str, int] = field(default_factory=dict[str, int])
    model: str | None = None
    generation: int = 0
    overlay_rows: int = 0
    disk_bytes: int = 0
    degree_hub: int = 0
    communities: int = 0
    communities_stale: bool = False
    ledger: tuple[LedgerEntry, ...] = ()


class JobState(StrEnum):
    """Life of a background job."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    """A background job as the log keeps it."""

    id: int
    kind: str
    state: JobState
    created_at: datetime
    updated_at: datetime
    done: int = 0
    total: int | None = None
    detail: Metadata = field(default_factory=dict[str, MetadataValue])
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """One tick of a long run: `done` of `total` units of `stage` (total None while unknown)."""

    stage: str
    done: int
    total: int | None
    detail: str = ""
