"""The shortest ways between two things of the graph, by breadth-first search from both ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Floats, Ids
from clew.core.knowledge import EDGE_TYPES, EdgeType
from clew.core.query import EdgeFilter

FAN_OUT = 1000
"""Edges followed from one node, surest first; what lies beyond is not found."""

KNOWLEDGE = EdgeFilter(kinds=frozenset(EdgeType) - {EdgeType.MENTIONS})


class Expand(Protocol):
    """`GraphStore.expand`, bound to everything but the frontier and the cap on each node."""

    def __call__(self, nodes: Ids, *, limit: int | None) -> EdgeBatch:
        """Return the edges of a frontier."""
        ...


class Arc(NamedTuple):
    """An edge as it is walked, from `source` to `target`; `forward` False means against it."""

    source: int
    target: int
    edge: int
    kind: EdgeType
    forward: bool
    confidence: float

    def turned(self) -> Arc:
        """Return the arc walked the other way."""
        return Arc(
            self.target, self.source, self.edge, self.kind, not self.forward, self.confidence
        )


Way = tuple[Arc, ...]


def shortest_ways(
    expand: Expand,
    starts: Sequence[int],
    ends: Sequence[int],
    *,
    max_hops: int,
    limit: int,
) -> list[Way]:
    """Return at most `limit` ways from a start to an end, all as short as any can be, surest first.

    `confidence` of a way is the product of its edges'. A node that is start and end gives none.
    """
    shared = set(starts) & set(ends)
    starts = [node for node in starts if node not in shared]
    ends = [node for node in ends if node not in shared]
    return shortest_ways_of_pairs(expand, [(starts, ends)], max_hops=max_hops, limit=limit)[0]


def shortest_ways_of_pairs(
    expand: Expand,
    pairs: Iterable[tuple[Sequence[int], Sequence[int]]],
    *,
    max_hops: int,
    limit: int,
    neighbourhood: Neighbourhood | None = None,
) -> list[list[Way]]:
    """Return what `shortest_ways` returns for each pair of starts and ends without a common node.

    Roots that several pairs share are searched from once, and no node is read twice; what an
    earlier search has read is taken from its `neighbourhood`.
    """
    sides: dict[tuple[int, ...], _Side] = {}
    meetings: list[tuple[_Side, _Side]] = []
    for starts, ends in pairs:
        here, there = (sides.setdefault(tuple(roots), _Side(roots)) for roots in (starts, ends))
        meetings.append((here, there))
    known = neighbourhood or Neighbourhood()
    _grow(meetings, expand, known, max_hops)
    return [_joined(here, there, max_hops, limit) for here, there in meetings]


def confidence(way: Way) -> float:
    """Return the product of the edges' confidences."""
    return prod(arc.confidence for arc in way)


def way_rank(way: Way) -> tuple[int, int, float, tuple[int, ...]]:
    """Return the sort key of ways: short first, then few passages, then sure."""
    mentions = sum(arc.kind is EdgeType.MENTIONS for arc in way)
    return len(way), mentions, -confidence(way), tuple(arc.edge for arc in way)


@dataclass(frozen=True, slots=True)
class _Arcs:
    """Columns of edges as they are walked, shape (n,) each."""

    source: Ids
    target: Ids
    edge: Ids
    kind: NDArray[np.int8]
    forward: Booleans
    confidence: Floats

    def at(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> _Arcs:
        """Return the rows that flags or places choose."""
        return _Arcs(
            self.source[chosen],
            self.target[chosen],
            self.edge[chosen],
            self.kind[chosen],
            self.forward[chosen],
            self.confidence[chosen],
        )

    def objects(self) -> list[Arc]:
        """Return the rows one by one."""
        return [
            Arc(source, target, edge, EDGE_TYPES[kind], forward, certainty)
            for source, target, edge, kind, forward, certainty in zip(
                self.source.tolist(),
                self.target.tolist(),
                self.edge.tolist(),
                self.kind.tolist(),
                self.forward.tolist(),
                self.confidence.tolist(),
                strict=True,
            )
        ]


class Neighbourhood:
    """Arcs by the node that they leave; every node is read once.

    One may serve several searches, as long as they expand alike.
    """

    def __init__(self) -> None:
        self._read: Ids = np.empty(0, np.int64)
        self._arcs: list[_Arcs] = []

    def read(self, nodes: Ids, expand: Expand) -> None:
        """Read the arcs of all of `nodes` (sorted) that are not known yet, in one call."""
        new = nodes[~_among(nodes, self._read)]
        if len(new):
            self._arcs.append(_arcs(expand(new, limit=FAN_OUT)))
            self._read = np.sort(np.concatenate([self._read, new]))

    def leaving(self, nodes: Ids) -> _Arcs:
        """Return the arcs of nodes (sorted) that were read."""
        parts = [arcs.at(_among(arcs.source, nodes)) for arcs in self._arcs]
        if len(parts) == 1:
            return parts[0]
        return _Arcs(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in _Arcs.__dataclass_fields__
            )
        )


class _Side:
    """What was reached from one end: the depth of each node and, by depth, the last arcs to it."""

    def __init__(self, roots: Sequence[int]) -> None:
        self.frontier: Ids = np.unique(np.array(roots, np.int64))
        self.nodes = self.frontier
        self.depth = np.zeros(len(self.nodes), np.int64)
        self.layer = 0
        self._layers: list[_Arcs] = []

    def advance(self, arcs: _Arcs) -> None:
        """Reach one layer further, remembering every arc of the frontier to a new node."""
        self.layer += 1
        onward = arcs.at(~_among(arcs.target, self.nodes))
        self._layers.append(onward)
        self.frontier = np.unique(onward.target)
        nodes = np.concatenate([self.nodes, self.frontier])
        order = np.argsort(nodes)
        self.nodes = nodes[order]
        depth = np.full(len(nodes), self.layer)
        depth[: len(self.depth)] = self.depth
        self.depth = depth[order]

    def depth_of(self, node: int) -> int:
        """Return the depth of a node that was reached."""
        return int(self.depth[np.searchsorted(self.nodes, node)])

    def best(self, node: int, *, limit: int) -> list[Way]:
        """Return the surest ways from a root to `node`, at most `limit`."""
        return self._best(node, self.depth_of(node), limit, {})

    def _best(self, node: int, depth: int, limit: int, known: dict[int, list[Way]]) -> list[Way]:
        if depth == 0:
            return [()]
        if node not in known:
            layer = self._layers[depth - 1]
            ways = [
                (*way, arc)
                for arc in layer.at(layer.target == node).objects()
                for way in self._best(arc.source, depth - 1, limit, known)
            ]
            known[node] = sorted(ways, key=way_rank)[:limit]
        return known[node]


def _grow(
    pairs: Sequence[tuple[_Side, _Side]],
    expand: Expand,
    neighbourhood: Neighbourhood,
    max_hops: int,
) -> None:
    """Advance sides until each pair has met, or cannot meet within `max_hops`.

    Of each pair the side with the smaller frontier goes on; all of a round are read in one call.
    """
    apart = list(pairs)
    while True:
        apart = [
            (here, there)
            for here, there in apart
            if len(here.frontier)
            and len(there.frontier)
            and here.layer + there.layer < max_hops
            and _distance(here, there) is None
        ]
        if not apart:
            return
        smaller = {
            id(side): side
            for pair in apart
            for side in [min(pair, key=lambda side: len(side.frontier))]
        }.values()
        neighbourhood.read(np.unique(np.concatenate([side.frontier for side in smaller])), expand)
        for side in smaller:
            side.advance(neighbourhood.leaving(side.frontier))


def _meeting(here: _Side, there: _Side) -> tuple[Ids, NDArray[np.int64], NDArray[np.int64]]:
    """Return the nodes that both have reached, with their depths on either side."""
    met = np.flatnonzero(_among(here.nodes, there.nodes))
    nodes = here.nodes[met]
    return nodes, here.depth[met], there.depth[np.searchsorted(there.nodes, nodes)]


def _distance(here: _Side, there: _Side) -> int | None:
    """Return how far apart the roots are, None while the sides have not met."""
    _, near, far = _meeting(here, there)
    return int((near + far).min()) if len(near) else None


def _joined(here: _Side, there: _Side, max_hops: int, limit: int) -> list[Way]:
    nodes, near, far = _meeting(here, there)
    if not len(nodes):
        return []
    distance = int((near + far).min())
    if distance > max_hops:
        return []
    # Every shortest way has exactly one node at any one depth.
    depth = min(here.layer, distance)
    joined = [
        first + tuple(arc.turned() for arc in reversed(second))
        for node in nodes[(near == depth) & (far == distance - depth)].tolist()
        for first in here.best(node, limit=limit)
        for second in there.best(node, limit=limit)
    ]
    unique = {tuple(arc.edge for arc in way): way for way in joined}
    return sorted(unique.values(), key=way_rank)[:limit]


def _among(ids: Ids, ordered: Ids) -> Booleans:
    """Return which ids are among sorted ones."""
    if not len(ordered):
        return np.zeros(len(ids), np.bool_)
    place = np.searchsorted(ordered, ids)
    place[place == len(ordered)] = 0
    return np.asarray(ordered[place] == ids, np.bool_)


def _arcs(batch: EdgeBatch) -> _Arcs:
    return _Arcs(
        batch.source, batch.target, batch.edge, batch.kind, batch.forward, batch.confidence
    )


def read_arcs(batch: EdgeBatch) -> list[Arc]:
    """Return the rows of a batch as arcs, in order."""
    return _arcs(batch).objects()
