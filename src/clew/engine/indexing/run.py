"""What the steps of one ingest run share: stores and models, the clock, and the tally."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter

from clew.core.batches import ChunkBatch, GraphBatch, NodeVectors
from clew.core.decisions import NO_DECISIONS, Decisions
from clew.core.documents import Chunk, Document, Stage
from clew.core.extraction import Extraction
from clew.core.jobs import FileOutcome, FileReport, Progress, SkippedUnit
from clew.core.model_calls import Responses
from clew.core.ports import Extractor, Store
from clew.engine.indexing.name_memory import NameMemory
from clew.engine.model_calls.spending import Spending
from clew.engine.model_check import require_same_model

STAGES = tuple(Stage)
WINDOW = 64
"""Chunks a commit, at least one whole document. The windows of a resumed run are those that the
undisturbed run had left, since each is committed whole and cut in the order of sources."""


@dataclass(slots=True)
class Tally:
    """What a run wrote, for its report. `seconds` are by stage, each without its store writes."""

    files: dict[str, FileReport] = field(default_factory=dict)
    chunks: int = 0
    nodes: set[int] = field(default_factory=set)
    edges: set[int] = field(default_factory=set)
    claims: int = 0
    merges: int = 0
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    notes: dict[str, None] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter[str])
    skipped: list[SkippedUnit] = field(default_factory=list[SkippedUnit])
    stopped: str | None = None

    def count(self, batch: GraphBatch) -> None:
        """Count what a batch writes."""
        self.nodes.update(mention.node for mention in batch.mentions)
        self.edges.update(edge.id for edge in batch.edges)
        self.claims += len(batch.claims)
        self.merges += len(batch.merges)

    def take(self, extraction: Extraction, *, source: str, ordinal: int) -> None:
        """Count what is to be said of an extraction."""
        if extraction.note is not None:
            self.note(extraction.note)
        self.dropped.update(extraction.dropped)
        if extraction.skipped is not None:
            self.skipped.append(SkippedUnit(source, ordinal, extraction.skipped))

    def note(self, text: str) -> None:
        """Keep a note once."""
        self.notes.setdefault(text)


@dataclass(slots=True)
class Run:
    """One run over one collection. Steps read what is pending from the store, so that a run that
    was killed goes on where it stopped, and whatever they must remember is in the store too."""

    store: Store
    collection: str
    embedder: NameMemory
    extractor: Extractor
    responses: Responses
    spending: Spending
    clock: Callable[[], datetime]
    report_progress: Callable[[Progress], None] | None = None
    merge_threshold: float = 0.90
    single_valued: frozenset[str] = frozenset()
    titles_in_vectors: bool = True
    window: int = WINDOW
    decisions: Decisions = NO_DECISIONS
    tally: Tally = field(default_factory=Tally)
    _stored: float = 0.0
    _unlinked: dict[int, frozenset[int]] = field(default_factory=dict)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count the time spent inside, without store writes, for a stage."""
        start, stored = perf_counter(), self._stored
        try:
            yield
        finally:
            spent = perf_counter() - start - (self._stored - stored)
            self.tally.seconds[stage] += spent

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Group writes; the waiting at its begin and the commit count as store time.

        Raises:
            ModelMismatchError: another process has gone over to another embedding model.
        """
        with ExitStack() as stack:
            with self._storing():
                stack.enter_context(self.store.transaction())
                require_same_model(self.store, self.collection, self.embedder)
            yield
            with self._storing():
                stack.close()

    def write_chunks(self, batch: ChunkBatch) -> None:
        """Write to the chunk store."""
        with self._storing():
            self.store.write_chunks(self.collection, batch)

    def write_graph(self, batch: GraphBatch) -> None:
        """Write to the graph store, as known from now on, and count what is written."""
        with self._storing():
            self.store.write_graph(self.collection, replace(batch, recorded_at=self.clock()))
        self.tally.count(batch)

    def write_node_vectors(self, vectors: NodeVectors) -> None:
        """Write vectors of nodes."""
        with self._storing():
            self.store.write_node_vectors(self.collection, vectors)

    @contextmanager
    def _storing(self) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            spent = perf_counter() - start
            self._stored += spent
            self.tally.seconds["store"] += spent

    def progress(self, stage: str, done: int, total: int | None, detail: str = "") -> None:
        """Tell the caller how far a stage has come."""
        if self.report_progress is not None:
            self.report_progress(Progress(stage, done, total, detail))

    def unfinished(self, document: int, before: Stage) -> list[Chunk]:
        """Return the chunks of a document that have not reached a stage, by ordinal."""
        stages = self.store.stages(self.collection, document)
        limit = STAGES.index(before)
        return [
            chunk
            for chunk in self.store.document_chunks(self.collection, document)
            if STAGES.index(stages[chunk.id]) < limit
        ]

    def still_before(self, documents: Sequence[int], stage: Stage) -> set[int]:
        """Return the chunks of documents that have not reached a stage; asked within a
        transaction, since another process may have taken them further or removed them."""
        limit = STAGES.index(stage)
        return {
            chunk
            for document in documents
            for chunk, reached in self.store.stages(self.collection, document).items()
            if STAGES.index(reached) < limit
        }

    def unlinked(self) -> set[int]:
        """Return the chunks that have not reached the last stage; remembered by document."""
        pending = self.store.pending(self.collection, Stage.LINKED)
        for document in pending:
            if document not in self._unlinked:
                self._unlinked[document] = frozenset(self.still_before([document], Stage.LINKED))
        return {chunk for document in pending for chunk in self._unlinked[document]}


@dataclass(frozen=True, slots=True)
class Work:
    """A document and those of its chunks that a stage has to do."""

    document: Document
    chunks: tuple[Chunk, ...]


def pending_work(run: Run, before: Stage) -> Iterator[Work]:
    """Yield the documents that have not reached a stage, by source."""
    identifiers = run.store.pending(run.collection, before)
    for start in range(0, len(identifiers), WINDOW):
        part = identifiers[start : start + WINDOW]
        for document in run.store.documents(run.collection, ids=part):
            chunks = run.unfinished(document.id, before)
            if chunks:
                yield Work(document, tuple(chunks))


def remaining(run: Run, before: Stage) -> int:
    """Return how many chunks have not reached a stage."""
    return len(run.still_before(run.store.pending(run.collection, before), before))


def windows(work: Iterator[Work], size: int) -> Iterator[list[Work]]:
    """Yield whole documents in groups that end with the one that fills `size` chunks."""
    group: list[Work] = []
    chunks = 0
    for item in work:
        group.append(item)
        chunks += len(item.chunks)
        if chunks >= size:
            yield group
            group, chunks = [], 0
    if group:
        yield group


def resumed(run: Run) -> dict[str, FileReport]:
    """Return a report for each document that an earlier run left unfinished."""
    return {
        work.document.source: FileReport(
            work.document.source, FileOutcome.RESUMED, len(work.chunks), work.document.id
        )
        for work in pending_work(run, Stage.LINKED)
    }
