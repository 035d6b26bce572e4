"""Vectors of nodes: the name for matching names, and name plus best passage for search.

The search vector is unit(name + passage), from vectors that exist already: a node costs no further
run of the model. To embed a text of its own for each (name, label, best sentence) took four fifths
of all embedding, since a passage names about eleven things.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Matrix
from clew.core.batches import NodeVectors
from clew.core.ids import origin_id
from clew.core.knowledge import EdgeType, Mention, MentionRole, Node
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.query import EdgeFilter
from clew.knowledge.resolution import canonical_surface

_CHUNKS_A_NODE = 4
_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))


@dataclass(frozen=True, slots=True)
class NodeEvidence:
    """A node's canonical name, the passage that tells most of it, and that passage's origin."""

    node: int
    name: str
    chunk: int
    origin: int


def embed_nodes(
    collection: str,
    nodes: Sequence[int],
    *,
    graph_store: GraphStore,
    chunk_store: ChunkStore,
    embedder: Embedder,
) -> NodeVectors:
    """Return vectors of the nodes that have a mention; others cannot be told what they are."""
    found = best_evidence(collection, nodes, graph_store=graph_store, chunk_store=chunk_store)
    if not found:
        none = np.empty((0, embedder.dimensions), np.float32)
        return NodeVectors(np.empty(0, np.int64), none, none, np.empty(0, np.int64))
    names = embedder.embed_questions([row.name for row in found])
    passages = chunk_store.vectors(collection, np.array([row.chunk for row in found], np.int64))
    return NodeVectors(
        np.array([row.node for row in found], np.int64),
        names,
        search_vectors(names, passages),
        np.array([row.origin for row in found], np.int64),
    )


def search_vectors(names: Matrix, passages: Matrix) -> Matrix:
    """Return unit(name + passage), row by row; a passage of zeros leaves the name."""
    total = names + passages if passages.shape == names.shape else names
    return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True), np.float32)


def best_evidence(
    collection: str,
    nodes: Sequence[int],
    *,
    graph_store: GraphStore,
    chunk_store: ChunkStore,
) -> list[NodeEvidence]:
    """Return the best passage of nodes in order; nodes without any mention are left out.

    The best passage of a page's node is the first of its page; that of any other node holds its
    surest mention, the earliest of equals by document, chunk and place.
    """
    found = graph_store.nodes(collection, nodes)
    best = _best_mentions(collection, found, graph_store, chunk_store)
    chunks = {
        chunk.id: chunk
        for chunk in chunk_store.chunks(collection, sorted({m.chunk for m in best.values()}))
    }
    documents = {
        document.id: document
        for document in chunk_store.documents(
            collection, ids=sorted({chunk.document for chunk in chunks.values()})
        )
    }
    return [
        NodeEvidence(
            node.id,
            canonical_surface(node.id, node.name, node.aliases),
            best[node.id].chunk,
            origin_id(documents[chunks[best[node.id].chunk].document].source),
        )
        for node in found
        if node.id in best and best[node.id].chunk in chunks
    ]


def _best_mentions(
    collection: str, nodes: Sequence[Node], graph_store: GraphStore, chunk_store: ChunkStore
) -> dict[int, Mention]:
    wanted = {node.id for node in nodes}
    if not wanted:
        return {}
    reached = graph_store.expand(
        collection,
        np.array(sorted(wanted), np.int64),
        edge_filter=_MENTIONS,
        limit=_CHUNKS_A_NODE,
    )
    around = sorted({int(chunk) for chunk in reached.target})
    places = {
        chunk.id: (chunk.document, chunk.ordinal)
        for chunk in chunk_store.chunks(collection, around)
    }
    best: dict[int, tuple[tuple[float, ...], Mention]] = {}
    for mention in graph_store.mentions(collection, around):
        if mention.node not in wanted or mention.chunk not in places:
            continue
        rank = _rank(mention, places[mention.chunk])
        if mention.node not in best or rank < best[mention.node][0]:
            best[mention.node] = (rank, mention)
    return {node: mention for node, (_, mention) in best.items()}


def _rank(mention: Mention, place: tuple[int, int]) -> tuple[float, ...]:
    """Order mentions best first: title, then text, then link; surer; earlier."""
    role = (MentionRole.TITLE, MentionRole.TEXT, MentionRole.LINK).index(mention.role)
    document, ordinal = place
    if mention.role is MentionRole.TITLE:
        return (role, ordinal, document)
    return (role, -mention.confidence, ordinal, document, mention.span.start)
