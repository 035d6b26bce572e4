"""The step that gives chunks their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from clew.core.batches import ChunkBatch, Vectors
from clew.core.documents import Chunk, Document, Stage
from clew.engine.indexing.run import Run, pending_work, remaining

Pair = tuple[Document, Chunk]


def embed_chunks(run: Run) -> None:
    """Embed every chunk that has no vector yet, `run.window` a commit."""
    total = remaining(run, Stage.EMBEDDED)
    done = 0
    pairs = (
        (work.document, chunk)
        for work in pending_work(run, Stage.EMBEDDED)
        for chunk in work.chunks
    )
    while batch := list(islice(pairs, run.window)):
        with run.timed("embed"):
            _write(run, batch, _embed(run, batch))
        done += len(batch)
        run.progress("embed", done, total, batch[-1][0].source)


def embedding_text(document: Document, chunk: Chunk, *, titled: bool) -> str:
    """Return what of a chunk is embedded: title, newline and text; spans leave the title out."""
    return f"{document.title}\n{chunk.text}" if titled and document.title else chunk.text


def _embed(run: Run, batch: Sequence[Pair]) -> Vectors:
    texts = [
        embedding_text(document, chunk, titled=run.titles_in_vectors) for document, chunk in batch
    ]
    identifiers = np.array([chunk.id for _, chunk in batch], np.int64)
    return Vectors(identifiers, run.embedder.embed_passages(texts))


def _write(run: Run, batch: Sequence[Pair], vectors: Vectors) -> None:
    documents = list(dict.fromkeys(document.id for document, _ in batch))
    with run.transaction():
        wanted = run.still_before(documents, Stage.EMBEDDED)
        kept = np.array([int(chunk) in wanted for chunk in vectors.ids], np.bool_)
        mine = Vectors(vectors.ids[kept], vectors.matrix[kept])
        if len(mine.ids):
            run.write_chunks(
                ChunkBatch(vectors=mine, stage=Stage.EMBEDDED, staged=tuple(mine.ids.tolist())),
            )
