"""Edges in compressed sparse rows: all that leaves a node or chunk, best confidence first.

Edge rows count knowledge edges first and mentions after them. A half-edge is an edge as seen from
one end: `target` is the other end's id and `step` is the edge row times two, plus one where the
edge points away from this end. Half-edges of one end are ordered by (-confidence, edge id), so that
the best k are a prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Ids
from clew.core.knowledge import EDGE_TYPE_CODES, EdgeType, Standing
from clew.core.query import EdgeFilter
from clew.stores.embedded.codes import STANDING_CODES, STANDINGS
from clew.stores.embedded.columns import NO_TIME, flat_ranges, rows_of
from clew.stores.times import microseconds

_MENTIONS_CODE = EDGE_TYPE_CODES[EdgeType.MENTIONS]
_REPORTED_CODE = STANDING_CODES[Standing.REPORTED]
_ONLY_MENTIONS = frozenset({EdgeType.MENTIONS})
_SLACK = 16


@dataclass(frozen=True, slots=True)
class HalfEdges:
    """`ends` (n,) sorted ids; those of end i are `offsets[i]:offsets[i + 1]`."""

    ends: Ids
    offsets: NDArray[np.int64]
    target: Ids
    step: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Edges and mentions with their half-edges; `dead` marks edge rows that were replaced."""

    edges: NDArray[Any]
    mentions: NDArray[Any]
    half: HalfEdges
    dead: Booleans | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """Half-edges that leave a frontier; `place` is the position in the frontier."""

    place: NDArray[np.int64]
    target: Ids
    edge: Ids
    kind: NDArray[np.int8]
    forward: Booleans
    confidence: NDArray[np.float32]
    times: NDArray[np.int64]


def half_edges(edges: NDArray[Any], mentions: NDArray[Any]) -> HalfEdges:
    """Return the half-edges of edges and mentions; a loop has one."""
    ids = np.concatenate([edges["id"], mentions["edge"]])
    confidence = np.concatenate([edges["confidence"], mentions["confidence"]])
    best_first = np.lexsort((ids, -confidence))
    del ids, confidence
    away = np.concatenate([edges["source"], mentions["chunk"]])[best_first]
    towards = np.concatenate([edges["target"], mentions["node"]])[best_first]
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

    `visible` marks the edge rows that may be seen (None: all).
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
    first = np.minimum(lengths, 2 * limit + _SLACK)
    steps = _passing(
        adjacency, places, starts, first, at=at, edge_filter=edge_filter, visible=visible
    )
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
    if limit is not None and len(steps.place):
        place = steps.place
        starts = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
        rank = np.arange(len(place)) - np.repeat(starts, np.diff(np.append(starts, len(place))))
        if rank.max() >= limit:
            steps = _taken(steps, rank < limit)
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
    flat = flat_ranges(starts, lengths)
    place = np.repeat(places, lengths)
    step = adjacency.half.step[flat]
    row = step >> 1
    keep = _of_table(row, len(adjacency.edges), edge_filter)
    if adjacency.dead is not None:
        keep &= ~adjacency.dead[row]
    if visible is not None:
        keep &= visible[row]
    if not keep.all():
        flat, place, step, row = flat[keep], place[keep], step[keep], row[keep]

    known = row < len(adjacency.edges)
    edges = adjacency.edges[row[known]]
    mentions = adjacency.mentions[row[~known] - len(adjacency.edges)]
    steps = Steps(
        place=place,
        target=adjacency.half.target[flat],
        edge=_woven(known, edges["id"], mentions["edge"]),
        kind=_woven(known, edges["kind"], np.int8(_MENTIONS_CODE)),
        forward=(step & 1).astype(np.bool_),
        confidence=_woven(known, edges["confidence"], mentions["confidence"]),
        times=np.stack(
            [
                _woven(known, edges[name], np.int64(NO_TIME))
                for name in ("occurred_at", "valid_from", "valid_to")
            ]
        ),
    )
    standing = _woven(known, edges["standing"], np.int8(_REPORTED_CODE))
    passed = _passes(steps, standing, edge_filter, at)
    if passed.all():
        return steps
    return _taken(steps, passed)


def _of_table(row: NDArray[np.int32], edge_rows: int, edge_filter: EdgeFilter) -> NDArray[np.bool_]:
    """Return which rows lie in a table that the filter's kinds ask for: edges, mentions, both."""
    kinds = edge_filter.kinds
    if kinds is not None and EdgeType.MENTIONS not in kinds:
        return row < edge_rows
    if kinds == _ONLY_MENTIONS:
        return row >= edge_rows
    return np.ones(len(row), np.bool_)


def _taken(steps: Steps, chosen: NDArray[Any]) -> Steps:
    """Return the steps that an index array or flags choose."""
    return Steps(*(getattr(steps, name)[..., chosen] for name in Steps.__dataclass_fields__))


def _woven(known: Booleans, edges: NDArray[Any], mentions: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return one column whose rows are an edge's where `known`, else a mention's."""
    if len(edges) == len(known):
        return edges
    column = np.empty(len(known), edges.dtype)
    column[known] = edges
    column[~known] = mentions
    return column


def _passes(
    steps: Steps, standing: NDArray[np.int8], edge_filter: EdgeFilter, at: datetime | None
) -> Booleans:
    passed = steps.confidence >= np.float32(edge_filter.minimum_confidence)
    if len(edge_filter.standings) < len(STANDINGS):
        wanted = np.array([held in edge_filter.standings for held in STANDINGS])
        passed &= wanted[standing]
    if edge_filter.kinds is not None:
        kinds = np.array([kind in edge_filter.kinds for kind in EdgeType])
        passed &= kinds[steps.kind]
    if at is not None:
        moment = microseconds(at)
        occurred, start, end = steps.times
        # NO_TIME is the smallest integer: an unknown point and an open start pass by themselves.
        passed &= (occurred <= moment) & (start <= moment) & ((end == NO_TIME) | (moment < end))
    return passed
