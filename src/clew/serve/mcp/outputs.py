"""What the tools return as data, as schemas that a client can check."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from clew.serve.rest.models_of_answers import HybridAnswer


class CitedSource(BaseModel):
    """Where a statement stands; `marker` is its number in the text, such as [1]."""

    marker: int
    doc_id: str
    chunk_id: str
    title: str
    source: str
    page: int | None
    snippet: str
    confidence: float
    span: dict[str, int]
    node_id: str | None
    edge_path: list[str]


class CitedAnswer(BaseModel):
    """An answer with its sources and the path that leads to it."""

    collection: str
    question: str
    mode: str
    answer: str
    answered: bool
    confidence: float
    sources: list[CitedSource]
    reasoning_path: list[str]
    notes: list[str]


class CitedHybridAnswer(HybridAnswer):
    """The hybrid guide's response, with the sources of the answer."""

    collection: str
    answered: bool
    confidence: float
    sources: list[CitedSource]


class Passage(BaseModel):
    """A ranked passage and its document."""

    rank: int
    chunk: str
    document: str
    title: str
    source: str
    text: str
    score: float
    similarity: float | None
    signals: list[str]
    path: str | None


class Passages(BaseModel):
    """Passages that bear on a question, best first."""

    collection: str
    mode: str
    passages: list[Passage]
    paths: list[str]
    notes: list[str]


class Source(BaseModel):
    """What became of one source."""

    source: str
    outcome: str
    document: str | None
    chunks: int
    reason: str | None
    warnings: list[str]


class Ingested(BaseModel):
    """What was added, source by source."""

    collection: str
    files: list[Source]
    chunks: int
    nodes: int
    edges: int
    notes: list[str]


class Removed(BaseModel):
    """The receipt of a removal: rows by table, and entries by index."""

    collection: str
    document: str
    source: str
    removed: dict[str, int]
    indexes: dict[str, int]


class Paths(BaseModel):
    """Ways between two things, surest first."""

    collection: str
    paths: list[dict[str, Any]]


class Neighbourhood(BaseModel):
    """A thing and what it is joined to."""

    collection: str
    node: dict[str, Any]
    neighbours: list[dict[str, Any]]
    degree: int


class Communities(BaseModel):
    """Groups of things with their summaries."""

    collection: str
    communities: list[dict[str, Any]]


class Timeline(BaseModel):
    """What is dated, earliest first."""

    collection: str
    timeline: list[dict[str, Any]]


class Documents(BaseModel):
    """Documents by source, without their texts; `total` counts all."""

    collection: str
    total: int
    documents: list[dict[str, Any]]


class Kept(BaseModel):
    """A feedback as it was kept; `contributions` are shares of what found the passages."""

    collection: str
    outcome: str
    query_type: str
    contributions: dict[str, float]


class Collections(BaseModel):
    """The collections that the caller may read."""

    collections: list[str]
    default: str
