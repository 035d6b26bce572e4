"""Small graphs with exact cosines, and what a retrieval stage needs to run on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clew.core.arrays import Floats, Hits, Ids, Matrix
from clew.core.calibration import Calibration
from clew.core.documents import Chunk, Span
from clew.core.knowledge import Edge, Evidence, Mention
from clew.core.ports import Store
from clew.core.query import Query
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.question import Question
from clew.testing.store_samples import (
    MAIN,
    Filed,
    filed,
    id_array,
    mention,
    node_of,
    node_vectors,
    say,
    write,
)
from clew.text.tokens import terms

EAST: Floats = np.array([1.0, 0.0], np.float32)
"""The vector of every question in two dimensions; `at_cosine` is relative to it."""

CONFIDENCE = 0.8
"""Confidence of a mention in a text; 1 belongs to a page."""


def at_cosine(cosine: float) -> Floats:
    """Return the unit vector whose cosine to `EAST` is given."""
    return np.array([cosine, math.sqrt(max(0.0, 1.0 - cosine * cosine))], np.float32)


@dataclass(frozen=True)
class StubEmbedder:
    """Gives every question one vector."""

    vector: Floats = field(default_factory=lambda: EAST)
    calibration: Calibration = field(default_factory=Calibration)
    fingerprint: str = "stub"

    @property
    def dimensions(self) -> int:
        return len(self.vector)

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return np.tile(self.vector, (len(texts), 1))

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        return np.tile(self.vector, (len(texts), 1))


def ready(query: Query, vector: Floats = EAST) -> Question:
    """Return the prepared question."""
    return Question(query, vector, tuple(dict.fromkeys(terms(query.text))), 0.0)


def said(chunk: Chunk, *names: str, label: str | None = None) -> list[Mention]:
    """Return one mention in the chunk's text of each name."""
    return [mention(chunk, name, label=label, confidence=CONFIDENCE) for name in names]


def tell(
    store: Store,
    source: str,
    names: Iterable[str],
    *edges: Edge,
    label: str | None = None,
    acl: Iterable[str] = (),
    vector: Floats = EAST,
) -> Filed:
    """Write a document of one chunk that mentions the names and states the edges.

    Edges are given without evidence and get this chunk's.
    """
    entry = filed(source, f"text of {source}", acl=acl)
    write(store, entry, vectors=[vector])
    (chunk,) = entry.chunks
    say(store, entry, *said(chunk, *names, label=label), *(stated(row, chunk) for row in edges))
    return entry


def stated(row: Edge, chunk: Chunk) -> Edge:
    """Return the edge with the first character of the chunk as its evidence."""
    return replace(row, evidence=(Evidence(chunk.id, Span(0, 1), row.confidence),))


def place(store: Store, entry: Filed, cosines: Mapping[str, float]) -> None:
    """Give nodes search vectors with these cosines to the question."""
    rows = {name: (at_cosine(cosine), at_cosine(cosine)) for name, cosine in cosines.items()}
    store.write_node_vectors(MAIN, node_vectors(entry.origin, **rows))


def no_hits() -> Hits:
    """Return no hits."""
    return Hits(id_array(), np.empty(0, np.float32))


def hits(*rows: tuple[int, float]) -> Hits:
    """Return (id, score) rows as hits."""
    return Hits(
        id_array(*(identifier for identifier, _ in rows)),
        np.array([score for _, score in rows], np.float32),
    )


def nobody_named() -> NamedNodes:
    """Return the outcome for a question without names."""
    return NamedNodes(id_array(), np.empty(0, np.float32), id_array())


def named(*rows: tuple[str, float]) -> NamedNodes:
    """Return (name, weight) rows as named nodes, each standing for a name of its own."""
    return NamedNodes(
        id_array(*(node_of(name) for name, _ in rows)),
        np.array([weight for _, weight in rows], np.float32),
        np.arange(len(rows)),
    )


def ids_of(*names: str) -> Ids:
    """Return node ids by name."""
    return id_array(*(node_of(name) for name in names))


def scores_of(found: Hits) -> dict[int, float]:
    """Return scores by id."""
    return dict(zip(found.ids.tolist(), found.scores.tolist(), strict=True))
