"""What the stores share when they give all edges of a collection: no mentions, each edge once."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from clew.core.arrays import EdgeBatch
from clew.core.knowledge import EdgeType
from clew.core.query import EdgeFilter

_KNOWLEDGE = frozenset(EdgeType) - {EdgeType.MENTIONS}


def without_mentions(edge_filter: EdgeFilter) -> EdgeFilter:
    """Return the filter, closed to MENTIONS."""
    kinds = _KNOWLEDGE if edge_filter.kinds is None else edge_filter.kinds & _KNOWLEDGE
    return replace(edge_filter, kinds=kinds)


def each_once(batch: EdgeBatch) -> EdgeBatch:
    """Return the edges as seen from their own source, ordered by id."""
    rows = np.flatnonzero(batch.forward)
    rows = rows[np.argsort(batch.edge[rows], kind="stable")]
    return EdgeBatch(**{column.name: getattr(batch, column.name)[rows] for column in fields(batch)})
