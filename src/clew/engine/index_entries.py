"""What the indexes of a store hold of a document: counted by asking them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Ids
from clew.core.documents import Document
from clew.core.knowledge import Standing
from clew.core.ports import Store
from clew.core.query import EdgeFilter

_ANY_STANDING = EdgeFilter(standings=frozenset(Standing))


@dataclass(frozen=True, slots=True)
class Reach:
    """The chunks of a document and the nodes that they mention."""

    chunks: Ids
    nodes: Ids


def reach_of(store: Store, collection: str, document: Document) -> Reach:
    """Return what a document reaches."""
    chunks = [chunk.id for chunk in store.document_chunks(collection, document.id)]
    nodes = {mention.node for mention in store.mentions(collection, chunks)}
    return Reach(np.array(chunks, np.int64), np.array(sorted(nodes), np.int64))


def index_entries(store: Store, collection: str, reach: Reach) -> dict[str, int]:
    """Return how many entries of each index lead to what a document reaches."""
    chunks, nodes = reach.chunks, reach.nodes
    batch = store.expand(collection, np.concatenate([chunks, nodes]), edge_filter=_ANY_STANDING)
    return {
        "keywords": int(store.in_scope(collection, chunks).sum()),
        "vectors": int(store.vectors(collection, chunks).any(axis=1).sum()),
        "names": len(store.nodes(collection, nodes.tolist())),
        "node_vectors": int(store.node_vectors(collection, nodes).any(axis=1).sum()),
        "adjacency": len(np.unique(batch.edge)),
    }
