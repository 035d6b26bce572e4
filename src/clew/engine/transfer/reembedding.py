"""Going over to another embedding model: new vectors are made beside the old ones, which answer
until all are there; then one transaction puts the new ones in their place.

The walk over the collection is done twice. The first makes nearly all vectors, batch by batch, into
a staging file, which a killed run leaves to the next one. The second stands in the transaction that
switches, when nobody else writes: it makes only what has changed since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from clew.core.batches import CommunityBatch, NodeVectors, Vectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.errors import StoreBusyError
from clew.core.ids import stable_id
from clew.core.jobs import Progress
from clew.core.ports import Embedder, Store
from clew.core.transfer import ReembedReport
from clew.engine.components import Components
from clew.engine.indexing.embedding import embedding_text
from clew.engine.indexing.name_memory import NameMemory
from clew.engine.indexing.node_vectors import refresh_nodes
from clew.engine.indexing.run import STAGES
from clew.engine.model_check import EMBEDDER
from clew.engine.store_upkeep import compact_soon
from clew.engine.transfer.exporting import titles_in_vectors
from clew.knowledge.node_vectors import NodeEvidence, best_evidence, search_vectors
from clew.stores.embedded.connection import sqlite_errors, store_errors
from clew.stores.embedded.file_lock import file_lock
from clew.stores.vector_staging import VectorStaging

FOLDER = "reembed"
_DOCUMENTS, _CHUNKS, _NODES = 32, 64, 256
_EMBEDDED = STAGES.index(Stage.EMBEDDED)
Item = TypeVar("Item")
Pair = tuple[Document, Chunk]


@runtime_checkable
class HasFolder(Protocol):
    """A store that lies in a folder, where a staging file may stand beside its own files."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...


def reembed(
    store: Store,
    collection: str,
    embedder: Embedder,
    *,
    titled: bool,
    progress: Callable[[Progress], None] | None,
) -> ReembedReport:
    """Make all vectors of a collection anew by `embedder`, and switch to them at the end.

    `titled` says whether titles are embedded with passages.

    Raises:
        ModelError: the model fails; the old vectors stay in force, and another call goes on.
        StoreBusyError: another process is doing the same.
        StoreError: the store cannot be read or written.
    """
    before = store.facts(collection).get(EMBEDDER)
    if before == embedder.fingerprint:
        return ReembedReport(before, before, embedder.dimensions, 0, 0, 0, 0)
    path = _staging_path(store, collection)
    with ExitStack() as stack:
        stack.enter_context(sqlite_errors(path))
        if path is not None:
            stack.enter_context(_alone(path))
        staging = VectorStaging(path, model=f"{embedder.fingerprint}|titles={titled}")
        stack.callback(staging.close)
        run = _Run(store, collection, NameMemory(embedder), staging, titled, progress)
        return run.switch(before)


def change_embedder(
    components: Components,
    embedder: Embedder | None,
    *,
    progress: Callable[[Progress], None] | None,
) -> ReembedReport:
    """Make a collection's vectors those of `embedder` (None: the configured one), and use it."""
    chosen = components.configured_embedder() if embedder is None else embedder
    report = reembed(
        components.store,
        components.collection,
        chosen,
        titled=titles_in_vectors(components) == "true",
        progress=progress,
    )
    components.use_embedder(chosen)
    return report


def _staging_path(store: Store, collection: str) -> Path | None:
    if not isinstance(store, HasFolder):
        return None
    return store.path / FOLDER / f"{stable_id(collection):016x}.db"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes from the same change."""
    with store_errors(path):
        path.parent.mkdir(exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(path.with_suffix(".lock"), wait_seconds=0.0))
        except StoreBusyError:
            raise StoreBusyError(
                f"{path.parent}: another process is embedding this collection anew; wait for it"
            ) from None
        yield


@dataclass(slots=True)
class _Run:
    """One change of the model."""

    store: Store
    collection: str
    embedder: NameMemory
    staging: VectorStaging
    titled: bool
    report_progress: Callable[[Progress], None] | None
    done: Counter[str] = field(default_factory=Counter)
    reused: int = 0

    def switch(self, before: str | None) -> ReembedReport:
        """Make what is missing, then put all of it in force at once."""
        start = perf_counter()
        self._walk(first=True)
        with self.store.transaction():
            self._walk(first=False)
            chunks = self.store.replace_vectors(self.collection, self.staging.chunks())
            nodes = self.store.replace_node_vectors(self.collection, self.staging.nodes())
            communities = self._write_communities()
            self.store.set_fact(self.collection, EMBEDDER, self.embedder.fingerprint)
        self.staging.delete()
        refresh_nodes(self.store, self.collection, self.embedder)
        compact_soon(self.store, self.collection)
        return ReembedReport(
            before=before,
            after=self.embedder.fingerprint,
            dimensions=self.embedder.dimensions,
            chunks=chunks,
            nodes=nodes,
            communities=communities,
            reused=self.reused,
            seconds=perf_counter() - start,
        )

    def _walk(self, *, first: bool) -> None:
        self.staging.begin_pass()
        totals = self.store.counts(self.collection)
        for pairs in _batches(self._embedded_chunks(), _CHUNKS):
            reused = self._stage_chunks(pairs)
            if first:
                self.reused += reused
                self._tick("chunks", len(pairs), totals["chunks"])
        for nodes in _batches(self._described_nodes(), _NODES):
            reused = self._stage_nodes(nodes)
            if first:
                self.reused += reused
                self._tick("nodes", len(nodes), totals["nodes"])

    def _embedded_chunks(self) -> Iterator[Pair]:
        """Yield the chunks that have been embedded; an ingest embeds the others by the new model."""
        for ids in _batches(iter(self.store.document_ids(self.collection)), _DOCUMENTS):
            for document in self.store.documents(self.collection, ids=ids):
                stages = self.store.stages(self.collection, document.id)
                for chunk in self.store.document_chunks(self.collection, document.id):
                    if STAGES.index(stages[chunk.id]) >= _EMBEDDED:
                        yield document, chunk

    def _stage_chunks(self, pairs: Sequence[Pair]) -> int:
        texts = {
            chunk.id: embedding_text(document, chunk, titled=self.titled)
            for document, chunk in pairs
        }
        keys = {chunk: stable_id("embedded", text) for chunk, text in texts.items()}
        known = self.staging.confirmed_chunks(keys)
        missing = [chunk for chunk in texts if chunk not in known]
        if missing:
            matrix = self.embedder.embed_passages([texts[chunk] for chunk in missing])
            self.staging.write_chunks(
                Vectors(np.array(missing, np.int64), matrix), [keys[chunk] for chunk in missing]
            )
        return len(known)

    def _described_nodes(self) -> Iterator[int]:
        """Yield the nodes that have vectors; those that lost them are described anew later."""
        nodes = self.store.node_ids(self.collection)
        without = set(self.store.nodes_without_vectors(self.collection, limit=len(nodes)))
        return (node for node in nodes.tolist() if node not in without)

    def _stage_nodes(self, nodes: Sequence[int]) -> int:
        found = best_evidence(
            self.collection, nodes, graph_store=self.store, chunk_store=self.store
        )
        passages = self.staging.chunk_keys({row.chunk for row in found})
        finished = self._finished(found) & {row.node for row in found if row.chunk in passages}
        keys = {
            row.node: stable_id(
                "node", row.name, row.chunk, passages.get(row.chunk, 0), row.node in finished
            )
            for row in found
        }
        known = self.staging.confirmed_nodes(keys)
        missing = [row for row in found if row.node not in known]
        if missing:
            vectors = self._node_vectors(missing, finished)
            self.staging.write_nodes(vectors, [keys[row.node] for row in missing])
        return len(known)

    def _finished(self, rows: Sequence[NodeEvidence]) -> set[int]:
        """Return the nodes with a search vector: an ingest that was interrupted leaves zeros.

        Where the best passage has no vector yet, zeros are left too: the ingest that embeds the
        passage then describes the node.
        """
        nodes = np.array([row.node for row in rows], np.int64)
        held = self.store.node_vectors(self.collection, nodes)
        return set(nodes[held.any(axis=1)].tolist())

    def _node_vectors(self, rows: Sequence[NodeEvidence], finished: set[int]) -> NodeVectors:
        names = self.embedder.embed_questions([row.name for row in rows])
        chunks = np.array([row.chunk for row in rows], np.int64)
        passages = self.staging.chunk_vectors(chunks, dimensions=names.shape[1])
        search = search_vectors(names, passages)
        search[[row.node not in finished for row in rows]] = 0.0
        return NodeVectors(
            np.array([row.node for row in rows], np.int64),
            names,
            search,
            np.array([row.origin for row in rows], np.int64),
        )

    def _write_communities(self) -> int:
        communities = tuple(self.store.communities(self.collection))
        if not communities:
            return 0
        told = [community for community in communities if community.summary]
        matrix = self.embedder.embed_passages([community.summary for community in told])
        ids = np.array([community.id for community in told], np.int64)
        self.store.write_communities(
            self.collection, CommunityBatch(communities, Vectors(ids, matrix))
        )
        return len(told)

    def _tick(self, stage: str, many: int, total: int) -> None:
        self.done[stage] += many
        if self.report_progress is not None:
            self.report_progress(Progress(stage, self.done[stage], total))


def _batches(items: Iterator[Item], size: int) -> Iterator[list[Item]]:
    while batch := list(islice(items, size)):
        yield batch
