"""A view: a snapshot with its overlay, as one set of rows.

Rows of the view are the snapshot's, then the overlay's. A row of the snapshot that was changed is
dead; what points to it is sent on to the overlay's row of the same id. Arrays of flags by row have
one more place at the end, False, so that row -1 (no such id) reads as False.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Ids
from clew.core.documents import Document
from clew.stores.embedded.adjacency import Adjacency, half_edges, half_mentions
from clew.stores.embedded.columns import NO_LABEL, distinct, flat_ranges, rows_of
from clew.stores.embedded.overlay import Overlay
from clew.stores.embedded.snapshot import Snapshot
from clew.stores.embedded.token_streams import TokenStream
from clew.stores.embedded.vectors import VectorIndex
from clew.stores.embedded.wording import best_chunks


class View:
    """One state of a collection. What is derived of it is computed when first asked for."""

    def __init__(self, snapshot: Snapshot, overlay: Overlay) -> None:
        self.snapshot = snapshot
        self.overlay = overlay
        self.documents: dict[int, Document] = {}
        self.documents_known = False
        self.scopes: dict[Any, Any] = {}

    @cached_property
    def dead_chunks(self) -> Booleans:
        """Snapshot chunks that were changed."""
        return _marked(self.snapshot.chunk_ids, self.overlay.changed_chunks)

    @cached_property
    def dead_nodes(self) -> Booleans:
        """Snapshot nodes that were changed."""
        return _marked(self.snapshot.node_ids, self.overlay.changed_nodes)

    @cached_property
    def chunk_redirect(self) -> NDArray[np.int64]:
        """View row of each snapshot chunk row; the last place answers for row -1."""
        return _redirect(self.snapshot.chunk_ids, self.dead_chunks, self.fresh_chunk_ids)

    @cached_property
    def node_redirect(self) -> NDArray[np.int64]:
        """View row of each snapshot node row; the last place answers for row -1."""
        return _redirect(self.snapshot.node_ids, self.dead_nodes, self.fresh_node_ids)

    @cached_property
    def fresh_chunk_ids(self) -> Ids:
        """Ids of the overlay's chunks."""
        return np.ascontiguousarray(self.overlay.chunks["id"])

    @cached_property
    def fresh_node_ids(self) -> Ids:
        """Ids of the overlay's nodes."""
        return np.ascontiguousarray(self.overlay.nodes["id"])

    @cached_property
    def fresh_edge_ids(self) -> Ids:
        """Ids of the overlay's edges."""
        return np.ascontiguousarray(self.overlay.edges["id"])

    @cached_property
    def fresh_edge_chunks(self) -> Ids:
        """Chunk that states each of the overlay's edges best."""
        return best_chunks(self.fresh_edge_ids, self.overlay.evidence)

    @cached_property
    def fresh_name_keys(self) -> Ids:
        """Key of each of the overlay's uses of names."""
        return np.ascontiguousarray(self.overlay.name_uses["key"])

    def chunk_rows(self, ids: Ids) -> NDArray[np.int64]:
        """Return the view row of each chunk, -1 where there is none."""
        return _located(ids, self.snapshot.chunk_ids, self.dead_chunks, self.fresh_chunk_ids)

    def node_rows(self, ids: Ids) -> NDArray[np.int64]:
        """Return the view row of each live node, -1 where there is none."""
        return _located(ids, self.snapshot.node_ids, self.dead_nodes, self.fresh_node_ids)

    @cached_property
    def old_edges(self) -> Adjacency:
        """The snapshot's edges, changed ones marked dead."""
        snapshot, overlay = self.snapshot, self.overlay
        dead: Booleans | None = None
        if len(overlay.changed_edges):
            rows = rows_of(snapshot.edge_ids, overlay.changed_edges)
            rows = rows[rows >= 0]
            if len(rows):
                dead = np.zeros(len(snapshot.edges), np.bool_)
                dead[rows] = True
        return Adjacency(snapshot.edges, snapshot.half, dead)

    @cached_property
    def old_mentions(self) -> Adjacency:
        """The snapshot's mentions, those of changed chunks marked dead."""
        snapshot, overlay = self.snapshot, self.overlay
        dead: Booleans | None = None
        if len(overlay.changed_mentions):
            first = np.searchsorted(snapshot.mention_chunks, overlay.changed_mentions, "left")
            last = np.searchsorted(snapshot.mention_chunks, overlay.changed_mentions, "right")
            rows = flat_ranges(first, last - first)
            if len(rows):
                dead = np.zeros(len(snapshot.mentions), np.bool_)
                dead[rows] = True
        return Adjacency(snapshot.mentions, snapshot.mention_half, dead)

    @cached_property
    def fresh_edges(self) -> Adjacency:
        """The overlay's edges."""
        return Adjacency(self.overlay.edges, half_edges(self.overlay.edges))

    @cached_property
    def fresh_mentions(self) -> Adjacency:
        """The overlay's mentions."""
        return Adjacency(self.overlay.mentions, half_mentions(self.overlay.mentions))

    @cached_property
    def degree_changes(self) -> tuple[Ids, NDArray[np.int64]]:
        """Sorted node ids and by how much their degree differs from the snapshot's."""
        rows = rows_of(self.snapshot.edge_ids, self.overlay.changed_edges)
        gone = _ends(self.snapshot.edges[rows[rows >= 0]])
        come = _ends(self.overlay.edges)
        ends = np.concatenate([gone, come])
        ids = distinct(ends)
        sign = np.concatenate([np.full(len(gone), -1), np.full(len(come), 1)])
        change = np.zeros(len(ids), np.int64)
        np.add.at(change, rows_of(ids, ends), sign)
        return ids, change

    def degrees(self, nodes: Ids) -> NDArray[np.int64]:
        """Return the number of live knowledge edges of each node."""
        found = np.zeros(len(nodes), np.int64)
        rows = rows_of(self.snapshot.node_ids, nodes)
        known = rows >= 0
        found[known] = self.snapshot.degrees[rows[known]]
        ids, change = self.degree_changes
        if not len(ids):
            return found
        rows = rows_of(ids, nodes)
        known = rows >= 0
        found[known] += change[rows[known]]
        return found

    @cached_property
    def hub_degree(self) -> int:
        """The smallest degree of the top tenth of live nodes, rounded up, at least 1."""
        alive = np.concatenate([self.snapshot.node_ids[~self.dead_nodes], self.fresh_node_ids])
        if not len(alive):
            return 1
        top = -(-len(alive) // 10)
        degrees = self.degrees(alive)
        return max(1, int(np.partition(degrees, len(degrees) - top)[len(degrees) - top]))

    def mention_counts(self, nodes: Ids) -> NDArray[np.int64]:
        """Return in how many chunks each live node is mentioned."""
        rows = self.node_rows(nodes)
        old = len(self.snapshot.node_ids)
        found = np.zeros(len(nodes), np.int64)
        here, fresh = (rows >= 0) & (rows < old), rows >= old
        found[here] = self.snapshot.nodes["mention_count"][rows[here]]
        found[fresh] = self.overlay.nodes["mention_count"][rows[fresh] - old]
        return found

    def row_counts(self) -> dict[str, int]:
        """Return how many rows of each kind searches find."""
        snapshot, overlay = self.snapshot, self.overlay
        edges = len(snapshot.edges)
        dead_edges = _count(self.old_edges.dead)
        dead_mentions = _count(self.old_mentions.dead)
        changed_chunks, changed_nodes = overlay.changed_chunks, overlay.changed_nodes
        return {
            "chunks": int((~self.dead_chunks).sum()) + len(self.fresh_chunk_ids),
            "vectors": _standing(snapshot.vectors.ids, changed_chunks) + len(overlay.vectors.ids),
            "nodes": int((~self.dead_nodes).sum()) + len(self.fresh_node_ids),
            "node vectors": _standing(snapshot.node_searches.ids, changed_nodes)
            + len(overlay.node_searches.ids),
            "edges": edges - dead_edges + len(overlay.edges),
            "mentions": len(snapshot.mentions) - dead_mentions + len(overlay.mentions),
        }

    @cached_property
    def node_labels(self) -> NDArray[np.int32]:
        """Label code of each view row of nodes; the last place, for row -1, has none."""
        return np.concatenate(
            [
                self.snapshot.nodes["label"],
                self.overlay.nodes["label"],
                np.array([NO_LABEL], np.int32),
            ]
        )

    @cached_property
    def old_vectors(self) -> VectorIndex:
        """Vectors of the snapshot's chunks, none if each was changed: dimensions may differ."""
        return _in_force(self.snapshot.vectors, self.overlay.changed_chunks)

    @cached_property
    def old_node_names(self) -> VectorIndex:
        """Name vectors of the snapshot's nodes, none if each was changed."""
        return _in_force(self.snapshot.node_names, self.overlay.changed_nodes)

    @cached_property
    def old_node_searches(self) -> VectorIndex:
        """Search vectors of the snapshot's nodes, none if each was changed."""
        return _in_force(self.snapshot.node_searches, self.overlay.changed_nodes)

    @cached_property
    def fresh_vectors(self) -> VectorIndex:
        """Vectors of the overlay's chunks."""
        return VectorIndex(self.overlay.vectors.ids, self.overlay.vectors.matrix)

    @cached_property
    def fresh_node_names(self) -> VectorIndex:
        """Name vectors of the overlay's nodes."""
        return VectorIndex(self.overlay.node_names.ids, self.overlay.node_names.matrix)

    @cached_property
    def fresh_node_searches(self) -> VectorIndex:
        """Search vectors of the overlay's nodes."""
        return VectorIndex(self.overlay.node_searches.ids, self.overlay.node_searches.matrix)

    @cached_property
    def fresh_stream(self) -> TokenStream:
        """Words of the overlay's chunks, which must have been read before."""
        return self.overlay.text.stream(self.fresh_chunk_ids)

    @cached_property
    def dead_chunk_rows(self) -> NDArray[np.int64]:
        """Rows of snapshot chunks that were changed."""
        return np.flatnonzero(self.dead_chunks)


def _count(flags: Booleans | None) -> int:
    return 0 if flags is None else int(flags.sum())


def _standing(ids: Ids, changed: Ids) -> int:
    return int((rows_of(changed, ids) < 0).sum())


def _in_force(index: VectorIndex, changed: Ids) -> VectorIndex:
    """Return the snapshot's index, an empty one where every row of it was changed.

    So it is after all vectors were replaced (`replace_vectors`), until the next compaction.
    """
    if len(changed) < len(index.ids) or (rows_of(changed, index.ids) < 0).any():
        return index
    return VectorIndex(index.ids[:0], np.empty((0, 0), np.float32))


def _marked(ids: Ids, changed: Ids) -> Booleans:
    marked = np.zeros(len(ids), np.bool_)
    rows = rows_of(ids, changed)
    marked[rows[rows >= 0]] = True
    return marked


def _redirect(ids: Ids, dead: Booleans, fresh: Ids) -> NDArray[np.int64]:
    redirect = np.arange(len(ids) + 1)
    redirect[-1] = -1
    rows = np.flatnonzero(dead)
    moved = rows_of(fresh, ids[rows])
    redirect[rows] = np.where(moved >= 0, moved + len(ids), -1)
    return redirect


def _located(ids: Ids, old: Ids, dead: Booleans, fresh: Ids) -> NDArray[np.int64]:
    rows = rows_of(old, ids)
    if len(old):
        # Row -1 reads the last row's flag and stays -1.
        rows[dead[rows]] = -1
    if not len(fresh):
        return rows
    moved = rows_of(fresh, ids)
    return np.where(moved >= 0, moved + len(old), rows)


def _ends(edges: NDArray[Any]) -> Ids:
    """Return both ends of edges; the one end of a loop."""
    return np.concatenate([edges["source"], edges["target"][edges["source"] != edges["target"]]])
