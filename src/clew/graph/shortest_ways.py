"""The shortest ways between two things of the graph, by breadth-first search from both ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple, Protocol

import numpy as np

from clew.core.arrays import EdgeBatch, Ids
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
) -> list[list[Way]]:
    """Return what `shortest_ways` returns for each pair of starts and ends without a common node.

    Roots that several pairs share are searched from once, and no node is read twice.
    """
    sides: dict[tuple[int, ...], _Side] = {}
    meetings: list[tuple[_Side, _Side]] = []
    for starts, ends in pairs:
        here, there = (sides.setdefault(tuple(roots), _Side(roots)) for roots in (starts, ends))
        meetings.append((here, there))
    _grow(meetings, expand, max_hops)
    return [_joined(here, there, max_hops, limit) for here, there in meetings]


def confidence(way: Way) -> float:
    """Return the product of the edges' confidences."""
    return prod(arc.confidence for arc in way)


def way_rank(way: Way) -> tuple[int, int, float, tuple[int, ...]]:
    """Return the sort key of ways: short first, then few passages, then sure."""
    mentions = sum(arc.kind is EdgeType.MENTIONS for arc in way)
    return len(way), mentions, -confidence(way), tuple(arc.edge for arc in way)


class _Neighbourhood:
    """Arcs by the node that they leave; every node is read once."""

    def __init__(self, expand: Expand) -> None:
        self._expand = expand
        self._arcs: dict[int, list[Arc]] = {}

    def read(self, nodes: Iterable[int]) -> None:
        """Read the arcs of all nodes that are not known yet, in one call."""
        new = sorted(set(nodes) - self._arcs.keys())
        if new:
            self._arcs.update((node, []) for node in new)
            for arc in read_arcs(self._expand(np.array(new, np.int64), limit=FAN_OUT)):
                self._arcs[arc.source].append(arc)

    def arcs(self, nodes: Iterable[int]) -> Iterator[Arc]:
        """Yield the arcs of nodes that were read."""
        for node in nodes:
            yield from self._arcs[node]


class _Side:
    """What was reached from one end: the depth of each node and the arcs of the last step to it."""

    def __init__(self, roots: Sequence[int]) -> None:
        self.depth = dict.fromkeys(roots, 0)
        self.arcs: dict[int, list[Arc]] = {root: [] for root in roots}
        self.frontier = sorted(self.depth)
        self.layer = 0

    def advance(self, arcs: Iterable[Arc]) -> None:
        """Reach one layer further, remembering every arc of the frontier to a new node."""
        self.layer += 1
        reached: set[int] = set()
        for arc in arcs:
            if self.depth.setdefault(arc.target, self.layer) == self.layer:
                self.arcs.setdefault(arc.target, []).append(arc)
                reached.add(arc.target)
        self.frontier = sorted(reached)

    def best(self, node: int, *, limit: int) -> list[Way]:
        """Return the surest ways from a root to `node`, at most `limit`."""
        return self._best(node, limit, {})

    def _best(self, node: int, limit: int, known: dict[int, list[Way]]) -> list[Way]:
        if self.depth[node] == 0:
            return [()]
        if node not in known:
            ways = [
                (*way, arc)
                for arc in self.arcs[node]
                for way in self._best(arc.source, limit, known)
            ]
            known[node] = sorted(ways, key=way_rank)[:limit]
        return known[node]


def _grow(pairs: Sequence[tuple[_Side, _Side]], expand: Expand, max_hops: int) -> None:
    """Advance sides until each pair has met, or cannot meet within `max_hops`.

    Of each pair the side with the smaller frontier goes on; all of a round are read in one call.
    """
    neighbourhood = _Neighbourhood(expand)
    apart = list(pairs)
    while True:
        apart = [
            (here, there)
            for here, there in apart
            if here.frontier
            and there.frontier
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
        neighbourhood.read(node for side in smaller for node in side.frontier)
        for side in smaller:
            side.advance(neighbourhood.arcs(side.frontier))


def _distance(here: _Side, there: _Side) -> int | None:
    """Return how far apart the roots are, None while the sides have not met."""
    fewer, more = sorted((here.depth, there.depth), key=len)
    return min((depth + more[node] for node, depth in fewer.items() if node in more), default=None)


def _joined(here: _Side, there: _Side, max_hops: int, limit: int) -> list[Way]:
    distance = _distance(here, there)
    if distance is None or distance > max_hops:
        return []
    # Every shortest way has exactly one node at any one depth.
    depth = min(here.layer, distance)
    joined = [
        first + tuple(arc.turned() for arc in reversed(second))
        for node, reached in here.depth.items()
        if reached == depth and there.depth.get(node) == distance - depth
        for first in here.best(node, limit=limit)
        for second in there.best(node, limit=limit)
    ]
    unique = {tuple(arc.edge for arc in way): way for way in joined}
    return sorted(unique.values(), key=way_rank)[:limit]


def read_arcs(batch: EdgeBatch) -> list[Arc]:
    """Return the rows of a batch as arcs, in order."""
    columns = (batch.source, batch.target, batch.edge, batch.kind, batch.forward, batch.confidence)
    return [
        Arc(source, target, edge, EDGE_TYPES[kind], forward, certainty)
        for source, target, edge, kind, forward, certainty in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
