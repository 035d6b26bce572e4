"""What is told of edges: whom a thing is joined to, where an edge is stated, and what was when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clew.core.knowledge import Edge, Node


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A thing at the other end of an edge; `forward` says whether the edge leads there, `quotation`
    what its surest evidence says (None where no passage states it)."""

    node: Node
    edge: Edge
    forward: bool
    quotation: str | None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A thing with its neighbours, surest edge first; `degree` counts all edges that were asked for,
    also those over the limit."""

    node: Node
    neighbours: tuple[Neighbour, ...]
    degree: int


@dataclass(frozen=True, slots=True)
class StatedAt:
    """A passage that states an edge; `text` is the statement, `page` counts from 1."""

    chunk: int
    document: int
    title: str
    source: str
    page: int | None
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class EdgeDetails:
    """An edge with the names of its ends ("" where one is gone or hidden) and its statements."""

    edge: Edge
    source_name: str
    target_name: str
    statements: tuple[StatedAt, ...]


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """What held or happened: from `at` until `until` (None: a point, or an open end).

    `edge` or `claim` is what says so, `chunk` a passage that states it.
    """

    at: datetime
    until: datetime | None
    text: str
    confidence: float
    edge: int | None = None
    claim: int | None = None
    chunk: int | None = None
