"""The rows of one collection in memory: flat dictionaries of frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Generic, TypeAlias, TypeVar

from clew.core.arrays import Floats
from clew.core.documents import Chunk, Document, Span, Stage
from clew.core.jobs import Job
from clew.core.knowledge import Claim, Community, Edge, Mention, MentionRole, Merge, Statement
from clew.core.learning import Outcome, Profile
from clew.core.merging import MergedNodes

Row = TypeVar("Row")

MentionKey: TypeAlias = "tuple[int, int, str, Span, MentionRole]"
"""(chunk, node, key, span, role): what makes two mentions the same."""

StatementKey: TypeAlias = "tuple[int, int | None, Span | None, int | None]"
"""(edge, chunk, span, None) of evidence, (edge, None, None, origin) of a word."""

MergeKey: TypeAlias = "tuple[str, int, int]"
"""(key, node, chunk)."""


def mention_key(mention: Mention) -> MentionKey:
    """Return what makes a mention the same."""
    return mention.chunk, mention.node, mention.key, mention.span, mention.role


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A mention with the origin of the batch that wrote it."""

    mention: Mention
    origin: int
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim with the origin of the batch that wrote it."""

    claim: Claim
    origin: int
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MergeRow:
    """An entry of the merge log with the origin of the batch that wrote it."""

    merge: Merge
    origin: int
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NodeVectorRow:
    """A node's vectors and the origin whose text went into `search`."""

    name: Floats
    search: Floats
    origin: int


@dataclass(frozen=True, slots=True)
class PastDocument:
    """A version of a document that another one replaced."""

    document: Document
    retired_at: datetime
    superseded_by: int


@dataclass(frozen=True, slots=True)
class PastChunk:
    """A chunk of a past version; `vector` None where the chunk stayed with the next version."""

    chunk: Chunk
    source: str
    stage: Stage
    recorded_at: datetime | None
    retired_at: datetime
    vector: Floats | None


@dataclass(frozen=True, slots=True)
class Past(Generic[Row]):
    """A row of knowledge that was retired."""

    row: Row
    retired_at: datetime


@dataclass(slots=True)
class Rows:
    """All tables of a collection, as they were written: merged nodes keep their rows. Values are
    frozen, so that copying the dictionaries is enough to go back to an earlier state.

    `own_vectors` are those that merged nodes and their roots had before; they come back with them.
    """

    documents: dict[int, Document] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    stages: dict[int, Stage] = field(default_factory=dict)
    chunk_times: dict[int, datetime | None] = field(default_factory=dict)
    chunk_vectors: dict[int, Floats] = field(default_factory=dict)
    mentions: dict[MentionKey, MentionRow] = field(default_factory=dict)
    edge_heads: dict[int, Edge] = field(default_factory=dict)
    statements: dict[StatementKey, Statement] = field(default_factory=dict)
    claims: dict[int, ClaimRow] = field(default_factory=dict)
    merges: dict[MergeKey, MergeRow] = field(default_factory=dict)
    node_vectors: dict[int, NodeVectorRow] = field(default_factory=dict)
    communities: dict[int, Community] = field(default_factory=dict)
    community_vectors: dict[int, Floats] = field(default_factory=dict)
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    profiles: dict[str, Profile] = field(default_factory=dict)
    jobs: dict[int, Job] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)
    own_vectors: dict[int, NodeVectorRow] = field(default_factory=dict)
    past_documents: dict[int, PastDocument] = field(default_factory=dict)
    past_chunks: dict[int, PastChunk] = field(default_factory=dict)
    past_mentions: dict[int, Past[MentionRow]] = field(default_factory=dict)
    past_statements: dict[int, Statement] = field(default_factory=dict)
    past_claims: dict[int, Past[ClaimRow]] = field(default_factory=dict)
    past_merges: dict[int, Past[MergeRow]] = field(default_factory=dict)

    @property
    def merging(self) -> MergedNodes:
        """Which nodes are read as another."""
        return MergedNodes(self.merged)

    def copy(self) -> Rows:
        """Return rows that later changes of these do not touch."""
        return Rows(**{table.name: dict(getattr(self, table.name)) for table in fields(self)})


def append(table: dict[int, Row], row: Row) -> None:
    """Put a row behind the others of a table without keys of its own."""
    table[max(table, default=0) + 1] = row
