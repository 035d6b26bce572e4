"""One edge, with each passage that states it."""

from __future__ import annotations

from clew.core.errors import NotFoundError
from clew.core.graph_views import EdgeDetails, StatedAt
from clew.core.ids import format_id
from clew.core.knowledge import Edge
from clew.core.ports import Store
from clew.core.query import Principal


def edge_details(store: Store, collection: str, edge: int, *, principal: Principal) -> EdgeDetails:
    """Return an edge, also a retired one, as the principal sees it.

    Raises:
        NotFoundError: there is none of that id.
    """
    found = store.edges(collection, [edge], principal=principal)
    if not found:
        raise NotFoundError(f"the collection {collection!r} has no edge {format_id(edge)}")
    ends = sorted({found[0].source, found[0].target})
    names = {node.id: node.name for node in store.nodes(collection, ends, principal=principal)}
    return EdgeDetails(
        found[0],
        names.get(found[0].source, ""),
        names.get(found[0].target, ""),
        _statements(store, collection, found[0], principal=principal),
    )


def _statements(
    store: Store, collection: str, edge: Edge, *, principal: Principal
) -> tuple[StatedAt, ...]:
    ids = sorted({evidence.chunk for evidence in edge.evidence})
    chunks = {chunk.id: chunk for chunk in store.chunks(collection, ids, principal=principal)}
    held_by = sorted({chunk.document for chunk in chunks.values()})
    documents = {
        document.id: document
        for document in store.documents(collection, ids=held_by, principal=principal)
    }
    return tuple(
        StatedAt(
            chunk=chunk.id,
            document=chunk.document,
            title=documents[chunk.document].title,
            source=documents[chunk.document].source,
            page=chunk.page,
            text=chunk.text[evidence.span.start : evidence.span.end],
            confidence=evidence.confidence,
        )
        for evidence in edge.evidence
        if (chunk := chunks.get(evidence.chunk)) is not None and chunk.document in documents
    )
