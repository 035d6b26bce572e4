"""The titles of documents as names: every page is known before any text is resolved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from clew.core.batches import GraphBatch, NodeVectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.ids import origin_id
from clew.engine.indexing.run import Run, pending_work, windows
from clew.knowledge.graph_rows import title_mentions
from clew.knowledge.titles import Page, page_of
from clew.text.names import name_key


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
            documents = [work.document for work in group]
            pages = {page.node: page for page in map(page_of, documents) if page and page.named}
            write_name_vectors(run, _titles(documents, pages))


def _titles(documents: Iterable[Document], pages: dict[int, Page]) -> dict[int, tuple[str, int]]:
    titles: dict[int, tuple[str, int]] = {}
    for document in documents:
        page = page_of(document)
        if page is not None and page.node in pages:
            titles.setdefault(page.node, (page.title, origin_id(document.source)))
    return titles


def write_name_vectors(run: Run, names: dict[int, tuple[str, int]]) -> None:
    """Write name vectors of nodes, given with their surface and origin, that have no vectors.

    Their search vectors are zeros until `node_vectors` has all evidence before it: so a run that
    is killed leaves names to match later ones with, and what is unfinished can be told.
    """
    identifiers = np.array(sorted(names), np.int64)
    surfaces = [names[node][0] for node in identifiers.tolist()]
    vectors = run.embedder.embed_questions(surfaces)
    if not len(identifiers):
        return
    with run.transaction():
        held = run.store.node_vectors(run.collection, identifiers)
        new = ~held.any(axis=1) if held.shape[1] else np.ones(len(identifiers), np.bool_)
        run.write_node_vectors(
            NodeVectors(
                identifiers[new],
                vectors[new],
                np.zeros_like(vectors[new]),
                np.array([names[node][1] for node in identifiers[new].tolist()], np.int64),
            ),
        )
