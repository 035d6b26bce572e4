"""The heterogeneous graph: nodes, edges, mentions, evidence, claims and communities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from clew.core.documents import Metadata, MetadataValue, Span


class NodeType(StrEnum):
    """Kinds of node (guide, part 3.2), and the two that exist inside the graph only."""

    ENTITY = "entity"
    CONCEPT = "concept"
    EVENT = "event"
    METRIC = "metric"
    DOCUMENT = "document"
    FACT = "fact"
    CHUNK = "chunk"
    COMMUNITY = "community"


class EdgeType(StrEnum):
    """Kinds of edge (guide, part 3.2), and `MENTIONS` from a chunk to a node."""

    IS_A = "is_a"
    CAUSES = "causes"
    RELATED_TO = "related_to"
    CONTAINS = "contains"
    PRECEDES = "precedes"
    ATTRIBUTED_TO = "attributed_to"
    MENTIONS = "mentions"


EDGE_TYPE_CODES: Mapping[EdgeType, int] = {kind: code for code, kind in enumerate(EdgeType)}
"""Small integer of each kind of edge in columnar results; the order is part of the store format."""

EDGE_TYPES: tuple[EdgeType, ...] = tuple(EdgeType)
"""Inverse of `EDGE_TYPE_CODES`."""


class Standing(StrEnum):
    """Who says so: a text, a model or discovery, or a person."""

    REPORTED = "reported"
    INFERRED = "inferred"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Period:
    """A point or a half-open period in UTC; open ends are None.

    A point ("in 1984") sets `occurred_at` alone; a period sets `valid_from` and `valid_to`.
    """

    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def key(self) -> str:
        """Return a short text that is equal for equal periods, for use in ids."""
        parts = (self.occurred_at, self.valid_from, self.valid_to)
        return "|".join(part.isoformat() if part else "" for part in parts).rstrip("|")


NO_PERIOD = Period()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The span of a chunk that states an edge or stands in a summary; offsets count from the
    chunk's start."""

    chunk: int
    span: Span
    confidence: float


class MentionRole(StrEnum):
    """How a chunk came to mention a node."""

    TEXT = "text"
    TITLE = "title"
    LINK = "link"


PAGE_CONFIDENCE = 1.0
"""Confidence of a TITLE mention, and of no other: a MENTIONS edge that has it leads to the page."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of a node as it stands in a chunk; `key` is the normalised surface.

    A `TITLE` mention says that the chunk belongs to the node's own page (its span is empty); a
    `LINK` mention was found by looking up names that other documents established, and alone does
    not keep a node alive.
    """

    chunk: int
    node: int
    surface: str
    key: str
    span: Span
    kind: NodeType = NodeType.ENTITY
    label: str | None = None
    confidence: float = 1.0
    role: MentionRole = MentionRole.TEXT


@dataclass(frozen=True, slots=True)
class Node:
    """A thing that the documents speak of, aggregated from its mentions.

    `name` is the most frequent surface (ties: longest, then alphabetical), `aliases` the others,
    `label` the domain's own type (Company, Person), the most frequent one.
    """

    id: int
    name: str
    kind: NodeType = NodeType.ENTITY
    label: str | None = None
    aliases: tuple[str, ...] = ()
    properties: Metadata = field(default_factory=dict[str, MetadataValue])
    community: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A statement that joins two nodes; `relation` is the text's own verb phrase.

    `confidence` is the highest of its evidence. `retired_at` set means that no current document
    states it any more, or that `superseded_by` replaced it.
    """

    id: int
    source: int
    target: int
    kind: EdgeType
    relation: str
    confidence: float = 1.0
    standing: Standing = Standing.REPORTED
    negated: bool = False
    period: Period = NO_PERIOD
    recorded_at: datetime | None = None
    retired_at: datetime | None = None
    superseded_by: int | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One row that an edge rests on: a chunk's span, or the word of an origin (chunk None).

    Only inferred and assumed edges may rest on a word alone. `retired_at` is set when the chunk
    vanished with a new version of its source; the row stays for history until its origin is erased.
    `recorded_at` is when it became known, None: since ever.
    """

    edge: int
    origin: int
    chunk: int | None
    span: Span
    confidence: float
    standing: Standing
    retired_at: datetime | None = None
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A factual statement: its sentence, subjects, dates, status and the chunk that states it."""

    id: int
    chunk: int
    text: str
    span: Span
    subjects: tuple[int, ...] = ()
    period: Period = NO_PERIOD
    status: str = "stated"
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Community:
    """A dense group of nodes; `path` is its place in the hierarchy, such as level0_3.level1_7.

    It is written once for each distinct acl among its sources: `members` (the most central first),
    `title` (their names), `summary` and `evidence` (where each sentence of it stands) are then
    what everybody in one of the groups of `acl` may see.
    """

    id: int
    level: int
    path: str
    members: tuple[int, ...]
    parent: int | None = None
    title: str = ""
    summary: str = ""
    evidence: tuple[Evidence, ...] = ()
    acl: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Merge:
    """One entry of the merge log: `key` was taken to name `node` because of `reason`."""

    key: str
    node: int
    chunk: int
    score: float
    reason: str
