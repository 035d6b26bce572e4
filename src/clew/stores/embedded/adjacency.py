"""Edges in compressed sparse rows: all that leaves a node or chunk, best confidence first.

Knowledge edges and mentions have rows of their own, since hardly a read wants both. A half-edge is
an edge as seen from one end: `target` is the other end's id and `step` is the row of its table times
two, plus one where the edge points away from this end. Half-edges of one end are ordered by
(-confidence, edge id), so that the best k are a prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Floats, Ids
from clew.core.knowledge import EDGE_TYPE_CODES, EdgeType, Standing
from clew.core.query import EdgeFilter
from clew.stores.embedded.codes import STANDING_CODES, STANDINGS
from clew.stores.embedded.columns import NO_TIME, flat_ranges, rows_of
from clew.stores.times import microseconds

_MENTIONS_CODE = EDGE_TYPE_CODES[EdgeType.MENTIONS]
_REPORTED_CODE = STANDING_CODES[Standing.REPORTED]
_KNOWLEDGE = frozenset(EdgeType) - {EdgeType.MENTIONS}
_TIMES = ("occurred_at", "valid_from", "valid_to")
_SLACK = 16


@dataclass(frozen=True, slots=True)
class HalfEdges:
    """`ends` (n,) sorted ids; those of end i are `offsets[i]:offsets[i + 1]`."""

    ends: Ids
    offsets: NDArray[np.int64]
    target: Ids
    step: NDArray[np.int32]
    confidence: Floats


@dataclass(frozen=True, slots=True)
class Adjacency:
    """A table of edges, or of mentions, with its half-edges; `dead` marks rows that were replaced."""

    table: NDArray[Any]
    half: HalfEdges
    dead: Booleans | None = None

    @property
    def of_mentions(self) -> bool:
        """Return whether the table holds mentions."""
        names = self.table.dtype.names
        return names is not None and "node" in names


@dataclass(frozen=True, slots=True)
class Steps:
    """Half-edges that leave a frontier; `place` is the position in the frontier."""

    place: NDArray[np.int64]
    target: Ids
    edge: Ids
    kind: NDArray[np.int8]
    forward: Booleans
    confidence: Floats
    times: NDArray[np.int64]


def half_edges(edges: NDArray[Any]) -> HalfEdges:
    """Return the half-edges of a table of edges; a loop has one."""
    return _half_edges(edges["id"], edges["source"], edges["target"], edges["confidence"])


def half_mentions(mentions: NDArray[Any]) -> HalfEdges:
    """Return the half-edges of a table of mentions."""
    return _half_edges(
        mentions["edge"], mentions["chunk"], mentions["node"], mentions["confidence"]
    )


def _half_edges(ids: Ids, sources: Ids, targets: Ids, confidence: Floats) -> HalfEdges:
    best_first = np.lexsort((ids, -confidence))
    away, towards = sources[best_first], targets[best_first]
    back = away != towards

    # Both directions in one best-first order; a stable sort by end then keeps it within each end.
    count = len(best_first)
    keep = np.concatenate([np.ones(count, np.bool_), back])
    interleaved = np.arange(2 * count).reshape(2, count).T.ravel()
    interleaved = interleaved[keep[interleaved]]
    ends = np.concatenate([away, towards])[interleaved]
    order = interleaved[np.argsort(ends, kind="stable")]
    del interleaved, ends
    row = best_first[order % count] if count else best_first
    forward = order < count
    ends_sorted = np.concatenate([away, towards])[order]
    first = np.flatnonzero(np.append(True, ends_sorted[1:] != ends_sorted[:-1])[: len(order)])
    return HalfEdges(
        ends=ends_sorted[first],
        offsets=np.append(first, len(order)).astype(np.int64),
        target=np.concatenate([towards, away])[order],
        step=(row * 2 + forward).astype(np.int32),
        confidence=np.ascontiguousarray(confidence[row], np.float32),
    )


def leaving(
    adjacency: Adjacency,
    frontier: Ids,
    *,
    at: datetime | None,
    edge_filter: EdgeFilter,
    limit: int | None,
    visible: Booleans | None,
) -> Steps:
    """Return the half-edges of a frontier that pass, at least the best `limit` of each place,
    ordered by (place, -confidence, edge).

    `visible` marks the rows of the table that may be seen (None: all).
    """
    half = adjacency.half
    rows = rows_of(half.ends, frontier)
    places = np.flatnonzero(rows >= 0)
    starts = half.offsets[rows[places]]
    lengths = half.offsets[rows[places] + 1] - starts
    if limit is None:
        return _passing(
            adjacency, places, starts, lengths, at=at, edge_filter=edge_filter, visible=visible
        )
    if adjacency.dead is None and visible is None and _admits_all(adjacency, edge_filter, at):
        first = np.minimum(lengths, limit)
    else:
        first = np.minimum(lengths, 2 * limit + _SLACK)
    steps = _passing(
        adjacency, places, starts, first, at=at, edge_filter=edge_filter, visible=visible
    )
    if len(steps.place) == int(first.sum()):
        # Nothing was left out: every place has its best `limit`, or all it has.
        return steps
    found = np.bincount(steps.place, minlength=len(frontier))[places]
    short = (found < limit) & (first < lengths)
    if not short.any():
        return steps
    rest = _passing(
        adjacency,
        places[short],
        starts[short] + first[short],
        lengths[short] - first[short],
        at=at,
        edge_filter=edge_filter,
        visible=visible,
    )
    both = joined([steps, rest])
    return _taken(both, np.argsort(both.place, kind="stable"))


def joined(parts: list[Steps]) -> Steps:
    """Return the steps of all parts, one part after the other."""
    return Steps(
        *(
            np.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in Steps.__dataclass_fields__
        )
    )


def ranked(parts: list[Steps], frontier: Ids, limit: int | None) -> EdgeBatch:
    """Return the steps of all parts ordered by (place, -confidence, edge), at most `limit` of
    each place. Each part has that order already."""
    filled = [part for part in parts if len(part.place)] or parts[:1]
    steps = filled[0]
    if len(filled) > 1:
        steps = joined(filled)
        steps = _taken(steps, np.lexsort((steps.edge, -steps.confidence, steps.place)))
    if limit is not None and len(steps.place) > limit:
        # A place is out of bounds where the step `limit` before it leaves the same place.
        over = np.zeros(len(steps.place), np.bool_)
        rest = len(over) - limit
        np.equal(steps.place[limit:], steps.place[:rest], out=over[limit:])
        if over.any():
            steps = _taken(steps, ~over)
    times = steps.times.view("datetime64[us]")
    return EdgeBatch(
        source=frontier[steps.place],
        target=steps.target,
        edge=steps.edge,
        kind=steps.kind,
        forward=steps.forward,
        confidence=steps.confidence,
        occurred_at=times[0],
        valid_from=times[1],
        valid_to=times[2],
    )


def tables_asked_for(edge_filter: EdgeFilter) -> tuple[bool, bool]:
    """Return whether the filter's kinds ask for knowledge edges, and whether for mentions."""
    kinds = edge_filter.kinds
    if kinds is None:
        return True, True
    return bool(kinds & _KNOWLEDGE), EdgeType.MENTIONS in kinds


def _admits_all(adjacency: Adjacency, edge_filter: EdgeFilter, at: datetime | None) -> bool:
    """Return whether no row of the table fails the filter, known without looking."""
    if edge_filter.minimum_confidence > 0 or len(edge_filter.standings) < len(STANDINGS):
        return False
    if adjacency.of_mentions:
        return True
    kinds = edge_filter.kinds
    return at is None and (kinds is None or kinds >= _KNOWLEDGE)


def _passing(
    adjacency: Adjacency,
    places: NDArray[np.int64],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    *,
    at: datetime | None,
    edge_filter: EdgeFilter,
    visible: Booleans | None,
) -> Steps:
    half, table = adjacency.half, adjacency.table
    flat = flat_ranges(starts, lengths)
    place = np.repeat(places, lengths)
    step = half.step[flat]
    row = step >> 1
    if adjacency.dead is not None or visible is not None:
        keep = np.ones(len(row), np.bool_) if visible is None else visible[row]
        if adjacency.dead is not None:
            keep &= ~adjacency.dead[row]
        if not keep.all():
            flat, place, step, row = flat[keep], place[keep], step[keep], row[keep]

    of_mentions = adjacency.of_mentions
    count = len(row)
    steps = Steps(
        place=place,
        target=half.target[flat],
        edge=table["edge"][row] if of_mentions else table["id"][row],
        kind=np.full(count, _MENTIONS_CODE, np.int8) if of_mentions else table["kind"][row],
        forward=(step & 1).astype(np.bool_),
        confidence=half.confidence[flat],
        times=np.full((3, count), NO_TIME) if of_mentions else _times(table, row),
    )
    if _admits_all(adjacency, edge_filter, at):
        return steps
    standing = None if of_mentions else table["standing"][row]
    passed = _passes(steps, standing, edge_filter, at)
    return steps if passed.all() else _taken(steps, passed)


def _times(table: NDArray[Any], row: NDArray[np.int32]) -> NDArray[np.int64]:
    times = np.empty((3, len(row)), np.int64)
    for place, name in enumerate(_TIMES):
        times[place] = table[name][row]
    return times


def _taken(steps: Steps, chosen: NDArray[Any]) -> Steps:
    """Return the steps that an index array or flags choose."""
    return Steps(*(getattr(steps, name)[..., chosen] for name in Steps.__dataclass_fields__))


def _passes(
    steps: Steps,
    standing: NDArray[np.int8] | None,
    edge_filter: EdgeFilter,
    at: datetime | None,
) -> Booleans:
    """Return which steps pass; those of mentions (`standing` None) count as reported."""
    passed = steps.confidence >= np.float32(edge_filter.minimum_confidence)
    if len(edge_filter.standings) < len(STANDINGS):
        wanted = np.array([held in edge_filter.standings for held in STANDINGS])
        passed &= wanted[_REPORTED_CODE] if standing is None else wanted[standing]
    if edge_filter.kinds is not None:
        kinds = np.array([kind in edge_filter.kinds for kind in EdgeType])
        passed &= kinds[steps.kind]
    if at is not None:
        moment = microseconds(at)
        occurred, start, end = steps.times
        # NO_TIME is the smallest integer: an unknown point and an open start pass by themselves.
        passed &= (occurred <= moment) & (start <= moment) & ((end == NO_TIME) | (moment < end))
    return passed
