"""The steps that make nodes findable: by their name, and by what is said about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.batches import NodeVectors
from clew.core.documents import Stage
from clew.core.ports import Embedder, Store
from clew.engine.indexing.run import Run, pending_work, remaining, windows
from clew.knowledge.node_vectors import embed_nodes

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
    return embed_nodes(collection, nodes, graph_store=store, chunk_store=store, embedder=embedder)


def _write(run: Run, vectors: NodeVectors) -> None:
    if len(vectors.ids):
        with run.transaction():
            run.write_node_vectors(vectors)
