"""The overlay: rows that changed since a snapshot, as the truth has them now.

It holds the same columns as a snapshot for the changed ids alone, and the ids themselves: whatever
the snapshot says of them no longer counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.stores.embedded.changes import Changed
from clew.stores.embedded.columns import (
    CHUNK,
    EDGE,
    EVIDENCE,
    MENTION,
    NODE,
    Labels,
    VectorColumns,
    no_vectors,
    read_chunk_vectors,
    read_chunks,
    read_edges,
    read_evidence,
    read_mentions,
    read_node_vectors,
    read_nodes,
    replaced,
    replaced_vectors,
    rows_of,
    union,
)
from clew.stores.embedded.fresh_text import FreshText
from clew.stores.embedded.wording import (
    NAME_USE,
    read_name_uses,
    read_node_names,
    read_relations,
)

NO_IDS: Ids = np.empty(0, np.int64)


def _empty(dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.empty(0, dtype)


@dataclass(frozen=True, slots=True)
class Overlay:
    """Changed rows up to change `seq`, every table sorted by its key, and the changed ids."""

    seq: int
    changed_chunks: Ids = field(default_factory=NO_IDS.copy)
    changed_mentions: Ids = field(default_factory=NO_IDS.copy)
    changed_nodes: Ids = field(default_factory=NO_IDS.copy)
    changed_edges: Ids = field(default_factory=NO_IDS.copy)
    chunks: NDArray[Any] = field(default_factory=lambda: _empty(CHUNK))
    vectors: VectorColumns = field(default_factory=no_vectors)
    text: FreshText = field(default_factory=FreshText)
    mentions: NDArray[Any] = field(default_factory=lambda: _empty(MENTION))
    nodes: NDArray[Any] = field(default_factory=lambda: _empty(NODE))
    node_names: VectorColumns = field(default_factory=no_vectors)
    node_searches: VectorColumns = field(default_factory=no_vectors)
    edges: NDArray[Any] = field(default_factory=lambda: _empty(EDGE))
    evidence: NDArray[Any] = field(default_factory=lambda: _empty(EVIDENCE))
    relations: dict[int, str] = field(default_factory=dict[int, str])
    node_texts: dict[int, str] = field(default_factory=dict[int, str])
    name_uses: NDArray[Any] = field(default_factory=lambda: _empty(NAME_USE))

    @property
    def row_count(self) -> int:
        """Changed chunks and nodes."""
        return len(self.changed_chunks) + len(self.changed_mentions) + len(self.changed_nodes)


def refreshed(
    overlay: Overlay,
    connection: sqlite3.Connection,
    *,
    collection: int,
    labels: Labels,
    seq: int,
    changes: dict[Changed, Ids],
) -> Overlay:
    """Return the overlay after `changes`, which reach up to `seq`, read from `connection`."""
    chunks = changes.get(Changed.CHUNK, NO_IDS)
    mentions = changes.get(Changed.MENTIONS, NO_IDS)
    nodes = changes.get(Changed.NODE, NO_IDS)
    edges = changes.get(Changed.EDGE, NO_IDS)
    names, searches = read_node_vectors(connection, collection, nodes)
    fresh_edges = read_edges(connection, collection, edges)
    fresh_edge_ids = np.ascontiguousarray(fresh_edges["id"])
    relations = read_relations(connection, collection, fresh_edge_ids, every=False)
    return Overlay(
        seq=seq,
        changed_chunks=union(overlay.changed_chunks, chunks),
        changed_mentions=union(overlay.changed_mentions, mentions),
        changed_nodes=union(overlay.changed_nodes, nodes),
        changed_edges=union(overlay.changed_edges, edges),
        chunks=replaced(overlay.chunks, "id", chunks, read_chunks(connection, collection, chunks)),
        vectors=replaced_vectors(
            overlay.vectors, chunks, read_chunk_vectors(connection, collection, chunks)
        ),
        text=overlay.text.without(chunks) if len(chunks) else overlay.text,
        mentions=replaced(
            overlay.mentions, "chunk", mentions, read_mentions(connection, collection, mentions)
        ),
        nodes=replaced(
            overlay.nodes, "id", nodes, read_nodes(connection, collection, labels, nodes)
        ),
        node_names=replaced_vectors(overlay.node_names, nodes, names),
        node_searches=replaced_vectors(overlay.node_searches, nodes, searches),
        edges=replaced(overlay.edges, "id", edges, fresh_edges),
        evidence=replaced(
            overlay.evidence,
            "edge",
            edges,
            read_evidence(connection, collection, fresh_edge_ids, every=False),
        ),
        relations=_updated(
            overlay.relations, edges, zip(fresh_edge_ids.tolist(), relations, strict=True)
        ),
        node_texts=_updated(
            overlay.node_texts, nodes, read_node_names(connection, collection, nodes)
        ),
        name_uses=_name_uses(overlay.name_uses, connection, collection, mentions),
    )


def _updated(held: dict[int, str], gone: Ids, fresh: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return texts by id without those of `gone`, with the fresh ones."""
    if not len(gone):
        return held
    changed = set(gone.tolist())
    return {key: text for key, text in held.items() if key not in changed} | dict(fresh)


def _name_uses(
    held: NDArray[Any], connection: sqlite3.Connection, collection: int, chunks: Ids
) -> NDArray[Any]:
    """Return `held` by key, with the rows of `chunks` read again."""
    if not len(chunks):
        return held
    kept = held[rows_of(chunks, held["chunk"]) < 0]
    joined = np.concatenate([kept, read_name_uses(connection, collection, chunks)])
    return joined[np.argsort(joined["key"], kind="stable")]
