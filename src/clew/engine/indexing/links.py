"""The steps that link names to where other documents write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.core.batches import ChunkBatch, GraphBatch
from clew.core.documents import Chunk, Stage
from clew.engine.indexing.run import Run, Work, pending_work, remaining, windows
from clew.knowledge.linking import Linker


def link_earlier(run: Run, keys: Iterable[str]) -> None:
    """Link names that are new to the chunks of earlier runs; those of this run come later.

    To be called in the transaction that writes the names.
    """
    wanted = sorted(set(keys))
    if not wanted:
        return
    unlinked = run.unlinked()
    if run.store.counts(run.collection)["chunks"] <= len(unlinked):
        return
    linker = Linker(run.store, run.store, decisions=run.decisions)
    _write(run, linker.link_names(run.collection, wanted, except_for=unlinked))


def link_pending(run: Run) -> None:
    """Link what was extracted to all names, about 64 chunks a commit; that ends a chunk's way."""
    total = remaining(run, Stage.LINKED)
    done = 0
    for group in windows(pending_work(run, Stage.LINKED), run.window):
        with run.timed("link"):
            _commit(run, group)
        done += sum(len(work.chunks) for work in group)
        run.progress("link", done, total, group[-1].document.source)


def _commit(run: Run, group: Sequence[Work]) -> None:
    linker = Linker(run.store, run.store, decisions=run.decisions)
    with run.transaction():
        documents = [work.document.id for work in group]
        ready = run.still_before(documents, Stage.LINKED) - run.still_before(
            documents, Stage.EXTRACTED
        )
        chunks: list[Chunk] = [
            chunk for work in group for chunk in work.chunks if chunk.id in ready
        ]
        _write(run, linker.link_chunks(run.collection, chunks))
        run.write_chunks(
            ChunkBatch(stage=Stage.LINKED, staged=tuple(chunk.id for chunk in chunks)),
        )


def _write(run: Run, batches: Iterable[GraphBatch]) -> None:
    for batch in batches:
        run.write_graph(batch)
