"""A graph as parallel arrays: edges between rows of sorted node ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Ids

Rows = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EdgeGraph:
    """Directed edges, shape (m,) each; `source` and `target` are rows of `ids`, shape (n,), sorted."""

    ids: Ids
    source: Rows
    target: Rows
    edge: Ids
    kind: NDArray[np.int8]
    confidence: Weights

    def rows(self, nodes: Ids) -> Rows:
        """Return the row of each node that the graph holds; others are left out."""
        place = np.searchsorted(self.ids, nodes)
        inside = place < len(self.ids)
        place, nodes = place[inside], nodes[inside]
        found: Rows = place[self.ids[place] == nodes]
        return found


def edge_graph(batch: EdgeBatch) -> EdgeGraph:
    """Return the graph of a batch, each edge once and in its own direction."""
    _, first = np.unique(batch.edge, return_index=True)
    forward = batch.forward[first]
    source = np.where(forward, batch.source[first], batch.target[first])
    target = np.where(forward, batch.target[first], batch.source[first])
    ids, rows = np.unique(np.concatenate([source, target]), return_inverse=True)
    count = len(first)
    return EdgeGraph(
        ids=ids,
        source=rows[:count].astype(np.int64),
        target=rows[count:].astype(np.int64),
        edge=batch.edge[first],
        kind=batch.kind[first],
        confidence=batch.confidence[first].astype(np.float64),
    )


def induced(graph: EdgeGraph, nodes: Ids) -> EdgeGraph:
    """Return the part of the graph whose edges have both ends among `nodes`."""
    kept = np.zeros(len(graph.ids), np.bool_)
    kept[graph.rows(nodes)] = True
    return _chosen(graph, kept[graph.source] & kept[graph.target], kept)


def _chosen(graph: EdgeGraph, edges: Booleans, nodes: Booleans) -> EdgeGraph:
    row = np.cumsum(nodes) - 1
    return EdgeGraph(
        ids=graph.ids[nodes],
        source=row[graph.source[edges]],
        target=row[graph.target[edges]],
        edge=graph.edge[edges],
        kind=graph.kind[edges],
        confidence=graph.confidence[edges],
    )
