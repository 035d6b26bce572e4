"""Removing a document with all that rested on it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from clew.core.documents import Document
from clew.core.errors import NotFoundError
from clew.core.ids import format_id, origin_id, parse_id
from clew.core.jobs import RemovalReceipt
from clew.core.model_calls import Responses
from clew.core.ports import Embedder, Store
from clew.engine.index_entries import index_entries, reach_of
from clew.engine.indexing.node_vectors import refresh_nodes
from clew.engine.indexing.supersession import keep_one_value
from clew.engine.model_calls.forgetting import forget_answers
from clew.engine.precedence import forget_precedence
from clew.engine.store_upkeep import compact_soon

_NEAR = 3


def find_document(store: Store, collection: str, target: str | int) -> Document:
    """Return the document that a source, an id or a public id names.

    Raises:
        NotFoundError: there is none; the message gives sources that come near.
    """
    if isinstance(target, int):
        found = store.documents(collection, ids=[target])
        if found:
            return found[0]
        raise NotFoundError(f"the collection {collection!r} has no document {format_id(target)}")
    found = (
        store.documents(collection, sources=[target])
        or store.documents(collection, sources=[_absolute(target)])
        or _by_public_id(store, collection, target)
    )
    if found:
        return found[0]
    sources = [document.source for document in store.documents(collection)]
    near = get_close_matches(target, sources, n=_NEAR)
    hint = f"; near: {', '.join(map(repr, near))}" if near else ""
    raise NotFoundError(f"the collection {collection!r} has no document {target!r}{hint}")


def remove_document(
    store: Store,
    collection: str,
    document: Document,
    *,
    embedder: Callable[[], Embedder],
    responses: Responses,
    single_valued: frozenset[str] = frozenset(),
    at: datetime,
) -> RemovalReceipt:
    """Remove a document, its chunks and the knowledge that rested on them, as one unit.

    What models answered about its text is forgotten before. Nodes that live on, but were described by it, are described anew; the embedder is asked for
    only where there are any.
    """
    held = store.document_chunks(collection, document.id)
    forget_answers(responses, collection, document=document, chunks=held)
    with store.transaction():
        reach = reach_of(store, collection, document)
        before = index_entries(store, collection, reach)
        rows = store.remove_document(collection, document.id)
        forget_precedence(store, collection, document.source)
        knowledge = store.erase(collection, origin_id(document.source))
        keep_one_value(store, collection, reach.nodes.tolist(), single_valued, at=at)
        after = index_entries(store, collection, reach)
    if store.nodes_without_vectors(collection, limit=1):
        refresh_nodes(store, collection, embedder())
    compact_soon(store, collection)
    indexes = {name: count - after[name] for name, count in before.items()}
    return RemovalReceipt(document.id, document.source, {**rows, **knowledge}, indexes)


def _by_public_id(store: Store, collection: str, text: str) -> list[Document]:
    try:
        identifier = parse_id(text)
    except NotFoundError:
        return []
    return store.documents(collection, ids=[identifier])


def _absolute(path: str) -> str:
    """Return a path as sources name it; the file itself may be gone."""
    return Path(path.replace("\x00", "")).resolve().as_posix()
