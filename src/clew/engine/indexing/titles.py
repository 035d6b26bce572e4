"""The titles of documents as names: every page is known before any text is resolved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from clew.core.batches import GraphBatch, NodeVectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.ids import origin_id
from clew.engine.indexing.run import Run, pending_work, windows
from clew.knowledge.graph_rows import title_mentions
from clew.knowledge.titles import page_of
from clew.text.names import name_key

Names: TypeAlias = "dict[int, tuple[str, int]]"
"""Surface and origin by node."""


def write_title(run: Run, document: Document, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Write that chunks belong to the page of their document; return the names that are new.

    To be called in the transaction that writes the document.
    """
    page = page_of(document)
    if page is None or not chunks:
        return ()
    known = run.store.find_names(run.collection, list(map(name_key, page.names)))
    batch = GraphBatch(origin_id(document.source), mentions=tuple(title_mentions(page, chunks)))
    run.write_graph(batch)
    return tuple(
        key
        for key in map(name_key, page.names)
        if page.named and page.node not in known.get(key, ())
    )


def embed_titles(run: Run) -> None:
    """Give the nodes of new pages name vectors, so that names in the texts can be matched."""
    for group in windows(pending_work(run, Stage.EXTRACTED), run.window):
        with run.timed("extract"):
            titles = _titles(work.document for work in group)
            run.embedder.embed_questions([title for title, _ in titles.values()])
            with run.transaction():
                write_names(run, unnamed(run, titles))


def _titles(documents: Iterable[Document]) -> Names:
    titles: Names = {}
    for document in documents:
        page = page_of(document)
        if page is not None and page.named:
            titles.setdefault(page.node, (page.title, origin_id(document.source)))
    return titles


def unnamed(run: Run, names: Names) -> Names:
    """Return the names whose nodes have no search vector yet."""
    nodes = np.array(sorted(names), np.int64)
    known = set(nodes[run.store.node_vectors(run.collection, nodes).any(axis=1)].tolist())
    return {node: name for node, name in names.items() if node not in known}


def write_names(run: Run, names: Names) -> None:
    """Write name vectors of nodes that have no vectors yet.

    Their search vectors are zeros until `node_vectors` has all evidence before it: so a run that
    is killed leaves names to match later ones with, and what is unfinished can be told.
    """
    if not names:
        return
    nodes = sorted(names)
    vectors = run.embedder.embed_questions([names[node][0] for node in nodes])
    origins = np.array([names[node][1] for node in nodes], np.int64)
    run.write_node_vectors(
        NodeVectors(np.array(nodes, np.int64), vectors, np.zeros_like(vectors), origins)
    )
