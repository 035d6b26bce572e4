"""A store of so many passages: copies of data sets, written as an ingest writes and then indexed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.machine import disk_megabytes
from benchmarks.scale.noise import perturbed
from benchmarks.scale.renaming import Renaming
from benchmarks.scale.source import Passage, Source, origin_of
from clew.core.arrays import Matrix
from clew.core.batches import ChunkBatch, GraphBatch, NodeVectors, Vectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.ids import chunk_id, document_id, edge_id, node_id, stable_id
from clew.core.knowledge import Claim, Edge, Mention
from clew.stores.embedded.store import EmbeddedStore
from clew.text.names import name_key

COLLECTION = "default"
_DOCUMENTS_A_COMMIT = 512
_STREAMS = {"chunks": 0, "nodes": 1, "questions": 2}


@dataclass(frozen=True, slots=True)
class Query:
    """A question of a copy with its vector and the documents that answer it."""

    text: str
    vector: np.ndarray[tuple[int], np.dtype[np.float32]]
    gold: frozenset[int]


@dataclass(slots=True)
class _Clock:
    """Seconds spent inside the store."""

    seconds: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds += perf_counter() - start


@dataclass(slots=True)
class _Copy:
    """One copy of a data set: what each thing of it is called there."""

    source: Source
    renaming: Renaming
    prefix: str
    nodes: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.renaming.copy == 0:
            return
        for passage in self.source.passages:
            for mention in passage.mentions:
                renamed = self.renaming.name(mention.surface)
                if renamed != mention.surface and node_id(mention.key) == mention.node:
                    self.nodes.setdefault(mention.node, node_id(name_key(renamed)))
                elif renamed != mention.surface:
                    other = stable_id("copy", self.renaming.copy, mention.node)
                    self.nodes.setdefault(mention.node, other)

    def node(self, node: int) -> int:
        """Return the node's id in this copy; shared nodes keep theirs."""
        return self.nodes.get(node, node)

    def document(self, document: Document) -> Document:
        source = self.prefix + document.source
        return replace(
            document,
            id=document_id(source, document.content_hash),
            source=source,
            title=self.renaming(document.title),
            text=self.renaming(document.text),
        )

    def chunk(self, chunk: Chunk, document: Document) -> Chunk:
        text = self.renaming(chunk.text)
        identifier = chunk_id(document.source, text, chunk.ordinal)
        return Chunk(identifier, document.id, chunk.ordinal, text, chunk.span, chunk.page)

    def mention(self, mention: Mention, chunks: dict[int, int]) -> Mention:
        surface = self.renaming.name(mention.surface)
        return Mention(
            chunks[mention.chunk],
            self.node(mention.node),
            surface,
            mention.key if surface == mention.surface else name_key(surface),
            mention.span,
            mention.kind,
            mention.label,
            mention.confidence,
            mention.role,
        )

    def edge(self, edge: Edge, chunks: dict[int, int]) -> Edge:
        source, target = self.node(edge.source), self.node(edge.target)
        return replace(
            edge,
            id=edge_id(source, target, edge.kind.value, edge.relation, edge.period.key()),
            source=source,
            target=target,
            evidence=tuple(replace(item, chunk=chunks[item.chunk]) for item in edge.evidence),
            superseded_by=None,
            retired_at=None,
        )

    def claim(self, claim: Claim, chunks: dict[int, int]) -> Claim:
        return replace(
            claim,
            id=stable_id("claim", chunks[claim.chunk], claim.id),
            chunk=chunks[claim.chunk],
            text=self.renaming(claim.text),
            subjects=tuple(map(self.node, claim.subjects)),
        )


def build(sources: Sequence[Source], *, passages: int, store: Path) -> dict[str, float]:
    """Write copies of the sources until there are so many passages, and index them.

    Only what the store does is timed, not the making of the copies.
    """
    shutil.rmtree(store, ignore_errors=True)
    held, clock, left, written = EmbeddedStore(store), _Clock(), passages, 0
    seen: set[int] = set()
    for name, value in sources[0].facts.items():
        held.set_fact(COLLECTION, name, value)
    for source, copy in _copies(sources):
        used = source.passages[:left]
        made = _Copy(source, Renaming(copy, source.words), f"{source.name}/{copy}/")
        written += _write(held, made, used, seen, clock)
        left -= len(used)
        if not left:
            break
    writing = clock.seconds
    with clock.running():
        held.compact()
    held.close()
    figures = {
        "passages": passages,
        "chunks": written,
        "write_seconds": round(writing, 2),
        "index_seconds": round(clock.seconds - writing, 2),
        "index_passages_per_s": round(written / clock.seconds, 1),
        "disk_mb": disk_megabytes(store),
    }
    store.with_suffix(".json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return figures


def questions(
    sources: Sequence[Source], vectors: Sequence[Matrix], *, passages: int
) -> list[Query]:
    """Return the questions of every copy whose answers are among the first so many passages."""
    found: list[Query] = []
    left = passages
    for source, copy in _copies(sources):
        if left <= 0:
            return found
        place = next(place for place, each in enumerate(sources) if each is source)
        prefix = f"{source.name}/{copy}/"
        there = {
            passage.document.source: document_id(
                prefix + passage.document.source, passage.document.content_hash
            )
            for passage in source.passages[:left]
        }
        rename = Renaming(copy, source.words)
        moved = perturbed(vectors[place], copy=copy, stream=_STREAMS["questions"])
        found += [
            Query(
                rename(asked.text), moved[asked.row], frozenset(there[gold] for gold in asked.gold)
            )
            for asked in source.questions
            if asked.gold <= there.keys()
        ]
        left -= len(source.passages[:left])
    return found


def _copies(sources: Sequence[Source]) -> Iterator[tuple[Source, int]]:
    copy = 0
    while True:
        for source in sources:
            yield source, copy
        copy += 1


def _write(
    store: EmbeddedStore,
    copy: _Copy,
    passages: Sequence[Passage],
    seen: set[int],
    clock: _Clock,
) -> int:
    """Write passages of a copy, and the vectors of the nodes that they bring; return the chunks."""
    number, written = copy.renaming.copy, 0
    vectors = perturbed(copy.source.vectors, copy=number, stream=_STREAMS["chunks"])
    named = perturbed(copy.source.node_vectors, copy=number, stream=_STREAMS["nodes"])
    row_of = {node: row for row, node in enumerate(copy.source.nodes.tolist())}
    for start in range(0, len(passages), _DOCUMENTS_A_COMMIT):
        part = passages[start : start + _DOCUMENTS_A_COMMIT]
        rows: list[int] = []
        documents, chunks, graph = [], [], []
        origins: dict[int, tuple[int, int]] = {}
        for passage in part:
            document = copy.document(passage.document)
            made = [copy.chunk(chunk, document) for chunk in passage.chunks]
            ids = {old.id: new.id for old, new in zip(passage.chunks, made, strict=True)}
            origin = origin_of(document)
            for mention in passage.mentions:
                node = copy.node(mention.node)
                if node not in seen and mention.node in row_of:
                    origins.setdefault(node, (row_of[mention.node], origin))
            documents.append(document)
            chunks += made
            rows += passage.rows
            graph.append(
                GraphBatch(
                    origin,
                    tuple(copy.mention(mention, ids) for mention in passage.mentions),
                    tuple(copy.edge(edge, ids) for edge in passage.edges),
                    tuple(copy.claim(claim, ids) for claim in passage.claims),
                )
            )
        seen.update(origins)
        identifiers = np.array([chunk.id for chunk in chunks], np.int64)
        batch = ChunkBatch(
            tuple(documents),
            tuple(chunks),
            Vectors(identifiers, vectors[rows]),
            Stage.LINKED,
            tuple(identifiers.tolist()),
        )
        matrix = named[[row for row, _ in origins.values()]]
        nodes = NodeVectors(
            np.fromiter(origins, np.int64, len(origins)),
            matrix,
            matrix,
            np.array([origin for _, origin in origins.values()], np.int64),
        )
        with clock.running(), store.transaction():
            store.write_chunks(COLLECTION, batch)
            store.write_graphs(COLLECTION, graph)
            store.write_node_vectors(COLLECTION, nodes)
        written += len(chunks)
    return written
