"""Reading documents again, when what their names stand for was decided anew."""

from __future__ import annotations

from collections.abc import Sequence

from clew.core.batches import ChunkBatch
from clew.core.documents import Document, Stage
from clew.engine.indexing.links import link_earlier
from clew.engine.indexing.run import Run
from clew.engine.indexing.titles import write_title


def read_again(run: Run, documents: Sequence[Document]) -> None:
    """Forget what the texts of documents said, and mark them to be extracted again.

    To be called in the transaction that writes the decision; texts and their vectors stay.
    """
    for document in documents:
        chunks = run.store.document_chunks(run.collection, document.id)
        ids = tuple(chunk.id for chunk in chunks)
        run.store.retire(run.collection, ids, run.clock())
        run.write_chunks(ChunkBatch(stage=Stage.EMBEDDED, staged=ids))
        link_earlier(run, write_title(run, document, chunks))
