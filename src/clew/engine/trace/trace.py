"""What a trace holds: how a question was answered, from seeds over paths to passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clew.core.results import SeedFusionStats
from clew.core.routing import Routing


@dataclass(frozen=True, slots=True)
class TraceNode:
    """A thing that retrieval met. `hop` counts from the nearest seed, None where only a path leads."""

    id: int
    name: str
    hop: int | None
    seed_rank: int | None
    similarity: float | None
    degree: int | None
    hub: bool
    signals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TraceEdge:
    """An edge in its own direction; `paths` are the numbers, from 1, of the paths that walk it."""

    id: int
    source: int
    target: int
    kind: str
    relation: str
    confidence: float
    chunk: int | None
    paths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TracePath:
    """A scored path in words, with its edges in order."""

    description: str
    relevance: float
    matching_terms: tuple[str, ...]
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TracePassage:
    """A passage that was ranked (`rank` from 1) or that a path passes through (None).

    `markers` are the numbers under which the answer cites it, `nodes` the things of the trace that
    it is known to mention.
    """

    id: int
    rank: int | None
    document: int
    title: str
    source: str
    text: str
    score: float | None
    similarity: float | None
    signals: tuple[str, ...]
    markers: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that led to a retrieval, and to an answer if there is one.

    `timings` are milliseconds by stage; `partial` names what a budget cut short.
    """

    question: str
    mode: str
    collection: str
    routing: Routing | None
    parameters: Mapping[str, str]
    seeds: SeedFusionStats
    nodes: tuple[TraceNode, ...]
    edges: tuple[TraceEdge, ...]
    paths: tuple[TracePath, ...]
    passages: tuple[TracePassage, ...]
    timings: Mapping[str, float]
    partial: tuple[str, ...]
    notes: tuple[str, ...]
    answer: str | None
    answered: bool | None
    confidence: float | None
