"""Which of the edges that a stage has read it may follow: those that fit the time asked about and
pass the causal guard."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from clew.core.arrays import Booleans, EdgeBatch, Ids
from clew.core.causality import CausalGuard, CausalRefusal
from clew.core.knowledge import EDGE_TYPE_CODES, EdgeType
from clew.core.ports import GraphStore
from clew.core.query import Query
from clew.core.temporal import TemporalConstraint
from clew.retrieve.causal_guard import causal_faults

_CAUSES = EDGE_TYPE_CODES[EdgeType.CAUSES]


class EdgeGate:
    """The gate of one question; it remembers what it refused. Not for several threads at once."""

    def __init__(self, query: Query, constraint: TemporalConstraint) -> None:
        self._query = query
        self._view = constraint if constraint.views and query.temporal_at is None else None
        self._judged: dict[int, CausalRefusal | None] = {}

    def admit(self, edges: EdgeBatch, *, graph: GraphStore) -> EdgeBatch:
        """Return the edges that may be followed, in order.

        `temporal_at` filters in the store. A date in the question filters here: periods that do not
        touch the time asked about are left out, and points after it.
        """
        keep = np.ones(len(edges.edge), np.bool_)
        if self._view is not None:
            keep &= in_view(edges, self._view)
        if self._query.causal_guard is not CausalGuard.OFF:
            keep &= ~self._refused_causes(edges, keep, graph)
        return edges if keep.all() else selected(edges, keep)

    def refused(self) -> tuple[CausalRefusal, ...]:
        """Return the CAUSES edges that failed the guard, by id."""
        return tuple(refusal for _, refusal in sorted(self._judged.items()) if refusal is not None)

    def _refused_causes(self, edges: EdgeBatch, keep: Booleans, graph: GraphStore) -> Booleans:
        """Return which edges are causes that must not be followed."""
        causes = (edges.kind == _CAUSES) & keep
        if not causes.any():
            return np.zeros(len(edges.edge), np.bool_)
        new = [each for each in np.unique(edges.edge[causes]).tolist() if each not in self._judged]
        if new:
            self._judge(new, graph)
        stopped: Ids = np.array(
            [each for each, refusal in self._judged.items() if refusal and not refusal.followed],
            np.int64,
        )
        return np.asarray(causes & np.isin(edges.edge, stopped), np.bool_)

    def _judge(self, causes: list[int], graph: GraphStore) -> None:
        query = self._query
        self._judged.update(dict.fromkeys(causes))
        rows = graph.edges(query.collection, causes, principal=query.principal)
        faults = causal_faults(
            rows,
            collection=query.collection,
            minimum_confidence=query.causal_confidence,
            graph=graph,
            principal=query.principal,
        )
        for row in rows:
            if faults[row.id]:
                self._judged[row.id] = CausalRefusal(
                    row.id,
                    row.source,
                    row.target,
                    row.relation,
                    faults[row.id],
                    followed=query.causal_guard is CausalGuard.WARN,
                )


def in_view(edges: EdgeBatch, view: TemporalConstraint) -> Booleans:
    """Return which edges may hold in the view, shape (n,); unknown dates and open ends pass."""
    keep = np.ones(len(edges.edge), np.bool_)
    if view.end is not None:
        end = np.datetime64(view.end.replace(tzinfo=None), "us")
        keep &= ~(edges.valid_from >= end) & ~(edges.occurred_at >= end)
    if view.start is not None:
        start = np.datetime64(view.start.replace(tzinfo=None), "us")
        keep &= ~(edges.valid_to <= start)
    return np.asarray(keep, np.bool_)


def selected(edges: EdgeBatch, keep: Booleans | Ids) -> EdgeBatch:
    """Return the edges that flags or rows choose."""
    return EdgeBatch(**{column.name: getattr(edges, column.name)[keep] for column in fields(edges)})
