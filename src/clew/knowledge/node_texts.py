"""What a node's search vector is made of: its name, its label and the best sentence about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Matrix
from clew.core.batches import NodeVectors
from clew.core.documents import Chunk, Span
from clew.core.ids import origin_id
from clew.core.knowledge import EdgeType, Mention, MentionRole, Node
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.query import EdgeFilter
from clew.knowledge.name_index import NameIndex
from clew.knowledge.resolution import canonical_surface
from clew.text.sentences import sentence_spans

_CHUNKS_A_NODE = 4
_MAX_SENTENCE = 300
_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))


@dataclass(frozen=True, slots=True)
class NodeText:
    """A node's canonical name, the text to embed for search, and the origin of its sentence."""

    node: int
    name: str
    text: str
    origin: int


def embed_nodes(
    collection: str,
    *,
    graph_store: GraphStore,
    chunk_store: ChunkStore,
    embedder: Embedder,
    index: NameIndex | None = None,
    limit: int = 1000,
) -> NodeVectors:
    """Return vectors for at most `limit` nodes that have none; `ids` is empty when all have.

    `index` saves embedding names again that resolution has embedded.
    """
    nodes = graph_store.nodes_without_vectors(collection, limit=limit)
    texts = node_texts(collection, nodes, graph_store=graph_store, chunk_store=chunk_store)
    return NodeVectors(
        np.array([text.node for text in texts], np.int64),
        _name_vectors(texts, embedder, index),
        embedder.embed_passages([text.text for text in texts])
        if texts
        else np.empty((0, embedder.dimensions), np.float32),
        np.array([text.origin for text in texts], np.int64),
    )


def node_texts(
    collection: str,
    nodes: Sequence[int],
    *,
    graph_store: GraphStore,
    chunk_store: ChunkStore,
) -> list[NodeText]:
    """Return the texts of nodes in order; nodes without any mention are left out.

    The best sentence of a page's node is the first of its page; that of any other node holds its
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
        NodeText(
            node.id,
            canonical_surface(node.id, node.name, node.aliases),
            _text(node, _sentence(chunks[best[node.id].chunk], best[node.id])),
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


def _sentence(chunk: Chunk, mention: Mention) -> str:
    spans = sentence_spans(chunk.text) or [Span(0, len(chunk.text))]
    start = mention.span.start
    span = next((span for span in spans if span.start <= start < span.end), spans[0])
    return " ".join(chunk.text[span.start : span.end].split())[:_MAX_SENTENCE]


def _text(node: Node, sentence: str) -> str:
    label = node.label or node.kind.value
    return f"{node.name} ({label}): {sentence}"


def _name_vectors(texts: Sequence[NodeText], embedder: Embedder, index: NameIndex | None) -> Matrix:
    matrix = np.empty((len(texts), embedder.dimensions), np.float32)
    missing: dict[int, str] = {}
    for row, text in enumerate(texts):
        vector = index.vector(text.node) if index is not None else None
        if vector is None:
            missing[row] = text.name
        else:
            matrix[row] = vector
    if missing:
        matrix[list(missing)] = embedder.embed_questions(list(missing.values()))
    return matrix
