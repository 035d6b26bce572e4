"""Small graphs for tests of graph algorithms; the id of an edge is its place plus 100."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import EdgeBatch
from clew.graph.edge_graph import EdgeGraph, edge_graph

Row = tuple[int, int, float]
"""Source, target and confidence."""


def batch(rows: Sequence[Row], *, both: bool = False) -> EdgeBatch:
    """Return edges as a store gives them; `both`: seen from either end."""
    seen = [
        (source, target, place + 100, True, sure)
        for place, (source, target, sure) in enumerate(rows)
    ]
    if both:
        seen += [(target, source, edge, False, sure) for source, target, edge, _, sure in seen]
    open_ends = np.full(len(seen), np.datetime64("NaT", "us"))
    return EdgeBatch(
        source=np.array([row[0] for row in seen], np.int64),
        target=np.array([row[1] for row in seen], np.int64),
        edge=np.array([row[2] for row in seen], np.int64),
        kind=np.zeros(len(seen), np.int8),
        forward=np.array([row[3] for row in seen], np.bool_),
        confidence=np.array([row[4] for row in seen], np.float32).astype(np.float32),
        occurred_at=open_ends,
        valid_from=open_ends,
        valid_to=open_ends,
    )


def graph_of(rows: Sequence[Row]) -> EdgeGraph:
    """Return the graph of these rows."""
    return edge_graph(batch(rows))
