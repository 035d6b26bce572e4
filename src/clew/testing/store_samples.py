"""Small rows for tests of stores, built with the same ids that the engine gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import numpy as np

from clew.core.arrays import EdgeBatch, Floats, Ids
from clew.core.batches import ChunkBatch, GraphBatch, NodeVectors, Vectors
from clew.core.documents import Chunk, Document, Metadata, Span, Stage
from clew.core.ids import chunk_id, document_id, edge_id, node_id, origin_id
from clew.core.knowledge import (
    NO_PERIOD,
    Claim,
    Edge,
    EdgeType,
    Evidence,
    Mention,
    MentionRole,
    NodeType,
    Period,
    Standing,
)
from clew.core.ports import Store
from clew.core.query import Principal
from clew.text.names import name_key

MakeStore: TypeAlias = Callable[[], Store]
"""What the fixture `make_store` gives: each call returns a new, empty store."""

MAIN = "main"
DIMENSIONS = 8
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
STAFF = Principal(frozenset({"staff"}))
GUEST = Principal(frozenset({"guest"}))
NOBODY = Principal(frozenset())


@dataclass(frozen=True, slots=True)
class Filed:
    """A document as it was written, with its chunks and origin."""

    document: Document
    chunks: tuple[Chunk, ...]

    @property
    def origin(self) -> int:
        """Return the origin of the document's source."""
        return origin_id(self.document.source)

    @property
    def ids(self) -> list[int]:
        """Return the ids of the chunks."""
        return [chunk.id for chunk in self.chunks]


def filed(
    source: str,
    *texts: str,
    title: str = "",
    version: str = "1",
    language: str | None = None,
    published_at: datetime | None = None,
    metadata: Metadata | None = None,
    acl: Iterable[str] = (),
    recorded_at: datetime | None = None,
) -> Filed:
    """Return a document whose chunks are `texts`."""
    document = Document(
        id=document_id(source, version),
        source=source,
        content_hash=version,
        title=title,
        text="".join(texts),
        language=language,
        published_at=published_at,
        metadata=metadata or {},
        acl=frozenset(acl),
        recorded_at=recorded_at,
    )
    chunks: list[Chunk] = []
    start = 0
    for ordinal, text in enumerate(texts):
        occurrence = texts[:ordinal].count(text)
        span = Span(start, start + len(text))
        identifier = chunk_id(source, text, occurrence)
        chunks.append(Chunk(identifier, document.id, ordinal, text, span))
        start = span.end
    return Filed(document, tuple(chunks))


def write(
    store: Store,
    *entries: Filed,
    collection: str = MAIN,
    vectors: Sequence[Floats] | None = None,
    stage: Stage | None = None,
) -> None:
    """Write documents with their chunks, one vector a chunk where there are any."""
    chunks = tuple(chunk for entry in entries for chunk in entry.chunks)
    ids = tuple(chunk.id for chunk in chunks)
    store.write_chunks(
        collection,
        ChunkBatch(
            documents=tuple(entry.document for entry in entries),
            chunks=chunks,
            vectors=None if vectors is None else Vectors(id_array(*ids), np.stack(vectors)),
            stage=stage,
            staged=ids if stage is not None else (),
        ),
    )


def say(
    store: Store,
    entry: Filed,
    *rows: Mention | Edge | Claim,
    collection: str = MAIN,
    recorded_at: datetime | None = None,
) -> None:
    """Write knowledge that rests on one document."""
    store.write_graph(
        collection,
        GraphBatch(
            entry.origin,
            mentions=tuple(row for row in rows if isinstance(row, Mention)),
            edges=tuple(row for row in rows if isinstance(row, Edge)),
            claims=tuple(row for row in rows if isinstance(row, Claim)),
            recorded_at=recorded_at,
        ),
    )


def node_of(name: str) -> int:
    """Return the node id of a canonical name."""
    return node_id(name_key(name))


def mention(
    chunk: Chunk,
    surface: str,
    *,
    node: str | None = None,
    start: int = 0,
    kind: NodeType = NodeType.ENTITY,
    label: str | None = None,
    confidence: float = 1.0,
    role: MentionRole = MentionRole.TEXT,
) -> Mention:
    """Return a mention of the node called `node`, by default the surface's own."""
    return Mention(
        chunk=chunk.id,
        node=node_of(node or surface),
        surface=surface,
        key=name_key(surface),
        span=Span(start, start + len(surface)),
        kind=kind,
        label=label,
        confidence=confidence,
        role=role,
    )


def edge(
    source: str,
    target: str,
    *chunks: Chunk,
    kind: EdgeType = EdgeType.RELATED_TO,
    relation: str = "joins",
    confidence: float = 1.0,
    standing: Standing = Standing.REPORTED,
    period: Period = NO_PERIOD,
    recorded_at: datetime | None = None,
    retired_at: datetime | None = None,
    superseded_by: int | None = None,
) -> Edge:
    """Return an edge between two names, stated by the first character of each chunk."""
    start, end = node_of(source), node_of(target)
    return Edge(
        id=edge_id(start, end, kind.value, relation, period.key()),
        source=start,
        target=end,
        kind=kind,
        relation=relation,
        confidence=confidence,
        standing=standing,
        period=period,
        recorded_at=recorded_at,
        retired_at=retired_at,
        superseded_by=superseded_by,
        evidence=tuple(Evidence(chunk.id, Span(0, 1), confidence) for chunk in chunks),
    )


def axis(place: int) -> Floats:
    """Return the unit vector along one axis."""
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[place] = 1.0
    return vector


def random_units(count: int, *, seed: int) -> list[Floats]:
    """Return unit vectors in random directions."""
    matrix = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return list(matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def id_array(*ids: int) -> Ids:
    """Return ids as a column."""
    return np.array(ids, np.int64)


def node_vectors(origin: int, **rows: tuple[Floats, Floats]) -> NodeVectors:
    """Return (name, search) vectors by the nodes' names, all of one origin."""
    return NodeVectors(
        id_array(*(node_of(name) for name in rows)),
        np.stack([name for name, _ in rows.values()]),
        np.stack([search for _, search in rows.values()]),
        np.full(len(rows), origin, np.int64),
    )


def steps(batch: EdgeBatch) -> list[tuple[int, int, int]]:
    """Return (source, target, edge) of each row."""
    return list(zip(batch.source.tolist(), batch.target.tolist(), batch.edge.tolist(), strict=True))


def leave_fresh(store: Store) -> None:
    """Leave the writes as fresh as they are."""


def compact(store: Store) -> None:
    """Fold the writes into the store's indexes."""
    store.compact()


def replace_evidence(statement: Edge, place: int) -> Edge:
    """Return the edge with one piece of its evidence alone."""
    return replace(statement, evidence=(statement.evidence[place],))


ADA, BOB, CY = (node_of(name) for name in ("Ada", "Bob", "Cy"))
LATER = NEW_YEAR + timedelta(days=31)


def two_sources(store: Store) -> tuple[Filed, Filed]:
    """Write two documents: the first speaks of Ada and Bob, the second of Bob and Cy."""
    a, b = filed("a", "a one", "a two"), filed("b", "b one")
    write(store, a, b)
    say(store, a, *(mention(chunk, name) for chunk in a.chunks for name in ("Ada", "Bob")))
    say(store, b, mention(b.chunks[0], "Bobby", node="Bob"), mention(b.chunks[0], "Cy"))
    return a, b


def visible_edges(store: Store, *nodes: int) -> set[int]:
    """Return the edges among Ada, Bob and Cy that an expansion shows."""
    found = store.expand(MAIN, id_array(*nodes))
    return {
        identifier
        for identifier, source, target in zip(
            found.edge.tolist(), found.source.tolist(), found.target.tolist(), strict=True
        )
        if {source, target} <= {ADA, BOB, CY}
    }
