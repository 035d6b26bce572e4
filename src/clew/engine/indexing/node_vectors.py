"""The steps that make nodes findable: by their name, and by what is said about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Ids, Matrix
from clew.core.batches import NodeVectors
from clew.core.documents import Stage
from clew.core.ports import Embedder, Store
from clew.engine.indexing.run import Run, pending_work, remaining, windows
from clew.knowledge.node_texts import node_texts

_BATCH = 256


def embed_new_nodes(run: Run) -> None:
    """Embed the nodes of chunks that this run has extracted, with all their evidence known.

    It comes before linking, which ends a chunk's way, so that a killed run finds them again.
    """
    total = remaining(run, Stage.LINKED)
    done = 0
    for group in windows(pending_work(run, Stage.LINKED), run.window):
        with run.timed("nodes"):
            chunks = [chunk.id for work in group for chunk in work.chunks]
            mentioned = {mention.node for mention in run.store.mentions(run.collection, chunks)}
            nodes = np.array(sorted(mentioned), np.int64)
            held = run.store.node_vectors(run.collection, nodes)
            new = nodes[~held.any(axis=1)] if held.shape[1] else nodes
            _write(run, _vectors(run.store, run.collection, run.embedder, new.tolist()))
        done += len(chunks)
        run.progress("nodes", done, total, group[-1].document.source)


def embed_nodes_without_vectors(run: Run) -> None:
    """Embed what is left: nodes that have lost their vectors with a document that told of them."""
    with run.timed("nodes"):
        refresh_nodes(run.store, run.collection, run.embedder)


def refresh_nodes(store: Store, collection: str, embedder: Embedder) -> None:
    """Embed every node that has no vectors, batch by batch."""
    while nodes := store.nodes_without_vectors(collection, limit=_BATCH):
        vectors = _vectors(store, collection, embedder, nodes)
        store.write_node_vectors(collection, vectors)
        if len(vectors.ids) < len(nodes):
            return


def _vectors(
    store: Store, collection: str, embedder: Embedder, nodes: Sequence[int]
) -> NodeVectors:
    """Return vectors of the nodes that have a mention; others cannot be told what they are."""
    texts = node_texts(collection, nodes, graph_store=store, chunk_store=store)
    if not texts:
        return NodeVectors(*_nothing(embedder))
    return NodeVectors(
        np.array([text.node for text in texts], np.int64),
        embedder.embed_questions([text.name for text in texts]),
        embedder.embed_passages([text.text for text in texts]),
        np.array([text.origin for text in texts], np.int64),
    )


def _nothing(embedder: Embedder) -> tuple[Ids, Matrix, Matrix, Ids]:
    ids, matrix = np.empty(0, np.int64), np.empty((0, embedder.dimensions), np.float32)
    return ids, matrix, matrix, ids


def _write(run: Run, vectors: NodeVectors) -> None:
    if len(vectors.ids):
        with run.transaction():
            run.write_node_vectors(vectors)
