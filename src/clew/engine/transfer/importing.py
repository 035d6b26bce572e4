"""Writing what an importer reads: documents window by window, then edges and communities.

Each window of documents is embedded, then committed whole with what its passages say; whatever is
killed, the same import once more goes on, since vectors that are there already are not made again
and every write may be repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from clew.core.batches import ChunkBatch, CommunityBatch, GraphBatch, Vectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.ids import origin_id
from clew.core.jobs import Progress
from clew.core.knowledge import Merge
from clew.core.ports import Embedder, Store
from clew.core.transfer import ImportReport
from clew.engine.indexing.embedding import embedding_text
from clew.engine.indexing.node_vectors import refresh_nodes
from clew.engine.indexing.run import STAGES
from clew.engine.metadata_schema import SCHEMA
from clew.engine.model_check import CHUNKING, EMBEDDER, EXTRACTOR, require_same_model
from clew.engine.precedence import note_precedence
from clew.engine.store_upkeep import compact_soon

if TYPE_CHECKING:
    from clew.exchange.reading import ImportedDocument, Reader

_WINDOW, _EDGES, _MERGES = 64, 512, 512
_TAKEN_OVER = (EXTRACTOR, CHUNKING, SCHEMA)
_EMBEDDED = STAGES.index(Stage.EMBEDDED)
Item = TypeVar("Item")


@dataclass(slots=True)
class Import:
    """One import into one collection; `titled` says whether titles are embedded with passages."""

    store: Store
    collection: str
    embedder: Embedder
    reader: Reader
    same_vectors: bool
    titled: bool
    report_progress: Callable[[Progress], None] | None = None
    rows: Counter[str] = field(default_factory=Counter)
    replaced: int = 0

    def run(self, path: str) -> ImportReport:
        """Write all that the reader gives."""
        start = perf_counter()
        self._state_facts()
        for window in windows(self.reader.documents()):
            self._write_documents(window)
        for edges in batches(self.reader.edges(), _EDGES):
            heads = [edge for edge, _ in edges]
            with self._transaction():
                self.store.write_statements(
                    self.collection, heads, [row for _, rows in edges for row in rows]
                )
            self.rows["edges"] += len(edges)
            self._progress("edges")
        for merges in batches(self.reader.merges(), _MERGES):
            self._write_merges(merges)
        self._write_communities()
        refresh_nodes(self.store, self.collection, self.embedder)
        compact_soon(self.store, self.collection)
        return ImportReport(
            path=path,
            format=self.reader.format,
            rows=dict(self.rows),
            replaced=self.replaced,
            left_out=dict(sorted(self.reader.left_out.reasons.items())),
            notes=tuple(self.reader.left_out.notes),
            seconds=perf_counter() - start,
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self.store.transaction():
            require_same_model(self.store, self.collection, self.embedder)
            yield

    def _state_facts(self) -> None:
        known = self.store.facts(self.collection)
        told = {name: self.reader.facts.get(name) for name in _TAKEN_OVER}
        with self.store.transaction():
            self.store.set_fact(self.collection, EMBEDDER, self.embedder.fingerprint)
            for name, value in told.items():
                if value is not None and name not in known:
                    self.store.set_fact(self.collection, name, value)

    def _write_documents(self, window: Sequence[ImportedDocument]) -> None:
        vectors = [self._vectors(held) for held in window]
        with self._transaction():
            for held, made in zip(window, vectors, strict=True):
                self._make_room(held.document)
                self._write_document(held, made)
        for held in window:
            self.rows.update(
                documents=1,
                chunks=len(held.chunks),
                mentions=len(held.mentions),
                claims=len(held.claims),
            )
        self._progress("documents", window[-1].document.source)

    def _vectors(self, held: ImportedDocument) -> Vectors | None:
        """Return the vectors that the document's chunks lack in the store."""
        missing = self._without_vectors(held)
        brought: dict[int, int] = {}
        if held.vectors is not None and self.same_vectors:
            brought = {chunk: row for row, chunk in enumerate(held.vectors.ids.tolist())}
        told = [chunk for chunk in missing if chunk.id in brought]
        made = [chunk for chunk in missing if chunk.id not in brought]
        parts: list[Vectors] = []
        if told and held.vectors is not None:
            rows = [brought[chunk.id] for chunk in told]
            parts.append(Vectors(_ids(told), held.vectors.matrix[rows]))
        if made:
            texts = [embedding_text(held.document, chunk, titled=self.titled) for chunk in made]
            parts.append(Vectors(_ids(made), self.embedder.embed_passages(texts)))
        if not parts:
            return None
        return Vectors(
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.matrix for part in parts]),
        )

    def _without_vectors(self, held: ImportedDocument) -> list[Chunk]:
        known = self.store.documents(self.collection, ids=[held.document.id])
        same = [(document.title, document.language) for document in known] == [
            (held.document.title, held.document.language)
        ]
        reached = self.store.stages(self.collection, held.document.id) if same else {}
        return [
            chunk
            for chunk in held.chunks
            if STAGES.index(held.stages[chunk.id]) >= _EMBEDDED
            and (chunk.id not in reached or STAGES.index(reached[chunk.id]) < _EMBEDDED)
        ]

    def _make_room(self, document: Document) -> None:
        """Remove another version of the document's source."""
        for known in self.store.documents(self.collection, sources=[document.source]):
            if known.id != document.id:
                self.store.remove_document(self.collection, known.id)
                self.store.erase(self.collection, origin_id(known.source))
                self.replaced += 1

    def _write_document(self, held: ImportedDocument, vectors: Vectors | None) -> None:
        note_precedence(self.store, self.collection, held.document)
        self.store.write_chunks(
            self.collection,
            ChunkBatch(documents=(held.document,), chunks=held.chunks, vectors=vectors),
        )
        for stage in STAGES:
            staged = tuple(chunk for chunk, reached in held.stages.items() if reached is stage)
            if staged:
                self.store.write_chunks(self.collection, ChunkBatch(stage=stage, staged=staged))
        self.store.write_graph(
            self.collection,
            GraphBatch(origin_id(held.document.source), mentions=held.mentions, claims=held.claims),
        )

    def _write_merges(self, merges: Sequence[Merge]) -> None:
        """Write entries of the merge log with the origins of their passages."""
        chunks = self.store.chunks(self.collection, sorted({merge.chunk for merge in merges}))
        documents = self.store.documents(
            self.collection, ids=sorted({chunk.document for chunk in chunks})
        )
        origins = {document.id: origin_id(document.source) for document in documents}
        by_origin: dict[int, list[Merge]] = {}
        places = {chunk.id: origins[chunk.document] for chunk in chunks}
        for merge in merges:
            if merge.chunk in places:
                by_origin.setdefault(places[merge.chunk], []).append(merge)
            else:
                self.reader.left_out.count("merges: their passage is not there")
        with self._transaction():
            for origin, held in by_origin.items():
                self.store.write_graph(self.collection, GraphBatch(origin, merges=tuple(held)))
                self.rows["merges"] += len(held)

    def _write_communities(self) -> None:
        communities = tuple(self.reader.communities())
        if not communities:
            return
        known = {community.id for community in self.store.communities(self.collection)}
        if known - {community.id for community in communities}:
            self.reader.left_out.count(
                "communities: the collection has communities of its own", len(communities)
            )
            return
        told = [community for community in communities if community.summary]
        matrix = self.embedder.embed_passages([community.summary for community in told])
        ids = np.array([community.id for community in told], np.int64)
        self.store.write_communities(
            self.collection, CommunityBatch(communities, Vectors(ids, matrix))
        )
        self.rows["communities"] += len(communities)

    def _progress(self, stage: str, detail: str = "") -> None:
        if self.report_progress is not None:
            self.report_progress(Progress(stage, self.rows[stage], None, detail))


def windows(documents: Iterable[ImportedDocument]) -> Iterator[list[ImportedDocument]]:
    """Yield documents in groups that end with the one that fills a window of chunks."""
    group: list[ImportedDocument] = []
    chunks = 0
    for held in documents:
        group.append(held)
        chunks += max(1, len(held.chunks))
        if chunks >= _WINDOW:
            yield group
            group, chunks = [], 0
    if group:
        yield group


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield items in lists of at most `size`."""
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch


def _ids(chunks: Sequence[Chunk]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([chunk.id for chunk in chunks], np.int64)
