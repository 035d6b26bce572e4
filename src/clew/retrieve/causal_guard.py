"""Causal guardrails (guide, part 4): what a CAUSES edge must have before it is followed.

Evidence that the asker may see, enough confidence, no negation, and an order in time that does not
contradict it: neither a statement that the effect precedes the cause, nor dates that put all that is
known of the cause after all that is known of the effect. An edge that a person has accepted
(`assumed`) stands on that acceptance in place of evidence and confidence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import EdgeBatch, Ids, Times
from clew.core.knowledge import EDGE_TYPE_CODES, Edge, EdgeType, Standing
from clew.core.ports import GraphStore
from clew.core.query import Principal
from clew.graph.shortest_ways import KNOWLEDGE

_READ = 256
_CAUSES, _PRECEDES = EDGE_TYPE_CODES[EdgeType.CAUSES], EDGE_TYPE_CODES[EdgeType.PRECEDES]


def causal_faults(
    causes: Sequence[Edge],
    *,
    collection: str,
    minimum_confidence: float,
    graph: GraphStore,
    principal: Principal,
) -> dict[int, tuple[str, ...]]:
    """Return what speaks against each CAUSES edge, in words; nothing where it may be followed."""
    if not causes:
        return {}
    ends = np.unique(np.array([(edge.source, edge.target) for edge in causes], np.int64))
    around = graph.expand(collection, ends, edge_filter=KNOWLEDGE, limit=_READ, principal=principal)
    return {
        edge.id: (*_own_faults(edge, minimum_confidence), *_order_faults(edge, around))
        for edge in causes
    }


def _own_faults(edge: Edge, minimum_confidence: float) -> list[str]:
    faults = []
    if edge.negated:
        faults.append("the text denies it")
    if edge.standing is Standing.ASSUMED:
        return faults
    if not edge.evidence:
        faults.append("no passage states it")
    if edge.confidence < minimum_confidence:
        faults.append(f"its confidence {edge.confidence:.2f} is below {minimum_confidence:.2f}")
    return faults


def _order_faults(edge: Edge, around: EdgeBatch) -> list[str]:
    faults = []
    reversed_order = (
        (around.kind == _PRECEDES)
        & around.forward
        & (around.source == edge.target)
        & (around.target == edge.source)
    )
    if reversed_order.any():
        faults.append("its effect is said to precede its cause")
    begin, end = _first_moment(edge.source, around), _last_moment(edge.target, around)
    if begin is not None and end is not None and begin >= end:
        faults.append(
            f"the cause begins on {_day(begin)}, when the effect was over (before {_day(end)})"
        )
    return faults


def _dated(node: int, around: EdgeBatch) -> Ids:
    """Return the rows that tell when a node was: its dated edges, causes left out."""
    known = ~(
        np.isnat(around.occurred_at) & np.isnat(around.valid_from) & np.isnat(around.valid_to)
    )
    return np.flatnonzero(known & (around.source == node) & (around.kind != _CAUSES))


def _first_moment(node: int, around: EdgeBatch) -> np.datetime64 | None:
    """Return when what is known of a node begins; None where that is open."""
    rows = _dated(node, around)
    starts: Times = np.where(
        np.isnat(around.occurred_at[rows]), around.valid_from[rows], around.occurred_at[rows]
    )
    return None if not len(rows) or np.isnat(starts).any() else starts.min()


def _last_moment(node: int, around: EdgeBatch) -> np.datetime64 | None:
    """Return when what is known of a node is over; a point lasts as long as it is exact."""
    rows = _dated(node, around)
    points = around.occurred_at[rows]
    ends: Times = np.where(np.isnat(points), around.valid_to[rows], _after_points(points))
    return None if not len(rows) or np.isnat(ends).any() else ends.max()


def _after_points(points: Times) -> Times:
    """Return the end of each point's unit: a year for 1 January, a month for the first of one.

    The stores keep the start of what the text says, which may be a year.
    """
    year, month, day = (points.astype(f"datetime64[{unit}]") for unit in "YMD")
    after = np.where(
        points == month, (month + 1).astype(points.dtype), (day + 1).astype(points.dtype)
    )
    return np.where(points == year, (year + 1).astype(points.dtype), after)


def _day(moment: np.datetime64) -> str:
    return str(np.datetime_as_string(moment, unit="D"))
