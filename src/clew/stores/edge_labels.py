"""Relation and best passage of edges that are read as rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from clew.core.arrays import NO_CHUNK, EdgeLabels, Ids
from clew.core.knowledge import Edge


def labels_of(edges: Iterable[Edge], ids: Ids) -> EdgeLabels:
    """Return the labels of `ids`, known where they are among `edges`."""
    by_id = {edge.id: edge for edge in edges}
    found = [by_id.get(identifier) for identifier in ids.tolist()]
    return EdgeLabels(
        np.array([edge is not None for edge in found], np.bool_),
        tuple("" if edge is None else edge.relation for edge in found),
        np.array([_best_chunk(edge) for edge in found], np.int64),
    )


def _best_chunk(edge: Edge | None) -> int:
    """Return the chunk of the first piece of evidence, which is the surest."""
    return edge.evidence[0].chunk if edge is not None and edge.evidence else NO_CHUNK
