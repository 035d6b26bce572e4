"""The step that extracts knowledge from chunks and resolves its names to nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from clew.core.batches import ChunkBatch
from clew.core.documents import Stage
from clew.core.errors import BudgetReachedError
from clew.core.extraction import Extraction
from clew.engine.indexing.links import link_earlier
from clew.engine.indexing.run import Run, Work, pending_work, remaining, windows
from clew.engine.indexing.supersession import keep_one_value, superseded_before
from clew.engine.indexing.titles import Names, unnamed, write_names
from clew.engine.store_upkeep import compact_soon
from clew.knowledge.resolution import Resolved, Resolver
from clew.knowledge.titles import page_subject
from clew.text.names import name_key

_SEGMENT = 1024
"""Chunks handed to the extractor at once: it works ahead while names are resolved here."""
_COMPACT_EVERY = 16
"""Commits after which fresh names are folded into the store's indexes, since every new name is
compared with all of them."""

Extracted = tuple[Work, list[Extraction]]


def extract_knowledge(run: Run) -> None:
    """Extract and resolve all that is pending, in the order of sources, about 64 chunks a commit.

    The resolver starts each commit from what the store holds and forgets it after: a run that was
    killed therefore comes to the same nodes.
    """
    total = remaining(run, Stage.EXTRACTED)
    done = 0
    resolver = Resolver(
        run.store, run.embedder, threshold=run.merge_threshold, decisions=run.decisions
    )
    extracted = _extracted(run)
    for number, group in enumerate(_groups(run, extracted), start=1):
        with run.timed("extract"):
            _commit(run, resolver, group)
        if number % _COMPACT_EVERY == 0:
            compact_soon(run.store, run.collection)
        done += sum(len(work.chunks) for work, _ in group)
        run.progress("extract", done, total, group[-1][0].document.source)


def _groups(run: Run, extracted: Iterator[Extracted]) -> Iterator[list[Extracted]]:
    """Yield what belongs into one commit, with the time to extract it counted."""
    waiting: list[list[Extraction]] = []

    def remember() -> Iterator[Work]:
        while True:
            with run.timed("extract"):
                item = next(extracted, None)
            if item is None:
                return
            waiting.append(item[1])
            yield item[0]

    for group in windows(remember(), run.window):
        found, waiting[:] = waiting[: len(group)], waiting[len(group) :]
        yield list(zip(group, found, strict=True))


def _extracted(run: Run) -> Iterator[Extracted]:
    """Yield each pending document with the extractions of its chunks.

    Where the budget is reached it ends: whole documents before that are committed, and the others
    wait for the next run.
    """
    for segment in windows(pending_work(run, Stage.EXTRACTED), _SEGMENT):
        by_language: dict[str | None, list[Work]] = {}
        for work in segment:
            by_language.setdefault(work.document.language, []).append(work)
        streams = {
            language: run.extractor.extract(
                [chunk.text for work in works for chunk in work.chunks],
                language=language,
                titles=[page_subject(work.document) for work in works for _ in work.chunks],
            )
            for language, works in by_language.items()
        }
        for work in segment:
            try:
                found = list(islice(streams[work.document.language], len(work.chunks)))
            except BudgetReachedError as error:
                run.tally.stopped = str(error)
                return
            for chunk, extraction in zip(work.chunks, found, strict=True):
                run.tally.take(extraction, source=work.document.source, ordinal=chunk.ordinal)
            yield work, found


def _commit(run: Run, resolver: Resolver, group: Sequence[Extracted]) -> None:
    """Resolve and write a window.

    All is resolved before anything is written, since the store's indexes follow every write that a
    search comes after; what the window's documents know of each other, the resolver remembers.
    """
    _embed_names_ahead(run, group)
    with run.transaction():
        still = run.still_before([work.document.id for work, _ in group], Stage.EXTRACTED)
        resolved = [
            found
            for work, extractions in group
            if (found := _resolve(run, resolver, work, extractions, still))
        ]
        names = unnamed(run, _created_names(run, resolver, resolved))
        edges = [edge for found in resolved for edge in found.batch.edges]
        since = superseded_before(run.store, run.collection, edges, run.single_valued)
        for found in resolved:
            run.write_graph(found.batch)
        keep_one_value(
            run.store,
            run.collection,
            (edge.source for edge in edges),
            run.single_valued,
            at=run.clock(),
            since=since,
        )
        run.write_chunks(ChunkBatch(stage=Stage.EXTRACTED, staged=tuple(sorted(still))))
        write_names(run, names)
        link_earlier(run, (key for found in resolved for key in found.new_keys))
    resolver.forget(run.collection)


def _resolve(
    run: Run,
    resolver: Resolver,
    work: Work,
    extractions: Sequence[Extraction],
    still: AbstractSet[int],
) -> Resolved | None:
    """Resolve what another process has not done meanwhile; None if nothing is left."""
    kept = [
        (chunk, extraction)
        for chunk, extraction in zip(work.chunks, extractions, strict=True)
        if chunk.id in still
    ]
    if not kept:
        return None
    return resolver.resolve(
        run.collection,
        document=work.document,
        chunks=[chunk for chunk, _ in kept],
        extractions=[extraction for _, extraction in kept],
    )


def _created_names(run: Run, resolver: Resolver, resolved: Sequence[Resolved]) -> Names:
    """Return surface and origin of the names that the resolver matches later ones to."""
    origins: dict[int, int] = {}
    for found in resolved:
        for mention in found.batch.mentions:
            origins.setdefault(mention.node, found.batch.origin)
    index = resolver.index(run.collection)
    names = map(index.name, range(len(index)))
    created: Names = {}
    for name in names:
        if name.node in origins:
            root = run.decisions.merged.root(name.node)
            created.setdefault(root, (name.surface, origins[name.node]))
    return created


def _embed_names_ahead(run: Run, group: Sequence[Extracted]) -> None:
    """Embed names that nothing has yet, before the transaction keeps other writers waiting."""
    surfaces = dict.fromkeys(_surfaces(extraction for _, found in group for extraction in found))
    keys = {surface: name_key(surface) for surface in surfaces}
    known = run.store.find_names(run.collection, sorted(set(keys.values()) - {""}))
    first: dict[str, str] = {}
    for surface, key in keys.items():
        if key and key not in known:
            first.setdefault(key, surface)
    run.embedder.embed_questions(list(first.values()))


def _surfaces(extractions: Iterable[Extraction]) -> Iterator[str]:
    for extraction in extractions:
        for name in extraction.names:
            yield name.surface
        for triple in extraction.triples:
            yield triple.subject
            yield triple.object
