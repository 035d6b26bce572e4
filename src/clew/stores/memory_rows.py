"""The rows of one collection in memory: flat dictionaries of frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypeAlias

from clew.core.arrays import Floats
from clew.core.documents import Chunk, Document, Span, Stage
from clew.core.jobs import Job
from clew.core.knowledge import Claim, Community, Edge, Mention, MentionRole, Merge, Statement
from clew.core.learning import Outcome, Profile

MentionKey: TypeAlias = "tuple[int, int, str, Span, MentionRole]"
"""(chunk, node, key, span, role): what makes two mentions the same."""

StatementKey: TypeAlias = "tuple[int, int | None, Span | None, int | None]"
"""(edge, chunk, span, None) of evidence, (edge, None, None, origin) of a word."""

MergeKey: TypeAlias = "tuple[str, int, int]"
"""(key, node, chunk)."""


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A mention with the origin of the batch that wrote it."""

    mention: Mention
    origin: int


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim with the origin of the batch that wrote it."""

    claim: Claim
    origin: int


@dataclass(frozen=True, slots=True)
class MergeRow:
    """An entry of the merge log with the origin of the batch that wrote it."""

    merge: Merge
    origin: int


@dataclass(frozen=True, slots=True)
class NodeVectorRow:
    """A node's vectors and the origin whose text went into `search`."""

    name: Floats
    search: Floats
    origin: int


@dataclass(slots=True)
class Rows:
    """All tables of a collection. Values are frozen, so that copying the dictionaries is enough
    to go back to an earlier state."""

    documents: dict[int, Document] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    stages: dict[int, Stage] = field(default_factory=dict)
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

    def copy(self) -> Rows:
        """Return rows that later changes of these do not touch."""
        return Rows(**{table.name: dict(getattr(self, table.name)) for table in fields(self)})
