"""The shortest ways between two things of the graph, by breadth-first search from both ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

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


@dataclass(frozen=True, slots=True)
class Arc:
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
    search = _Search(partial(expand, limit=FAN_OUT))
    found = {
        tuple(arc.edge for arc in way): way
        for way in search.ways(starts, ends, max_hops=max_hops, limit=limit)
    }
    return sorted(found.values(), key=way_rank)[:limit]


def confidence(way: Way) -> float:
    """Return the product of the edges' confidences."""
    return float(np.prod([arc.confidence for arc in way]))


def way_rank(way: Way) -> tuple[int, int, float, tuple[int, ...]]:
    """Return the sort key of ways: short first, then few passages, then sure."""
    mentions = sum(arc.kind is EdgeType.MENTIONS for arc in way)
    return len(way), mentions, -confidence(way), tuple(arc.edge for arc in way)


class _Follow(Protocol):
    def __call__(self, nodes: Ids) -> EdgeBatch: ...


class _Side:
    """What was reached from one end: the depth of each node and the arcs of the last step to it."""

    def __init__(self, roots: Sequence[int]) -> None:
        self.depth = dict.fromkeys(roots, 0)
        self.arcs: dict[int, list[Arc]] = {root: [] for root in roots}
        self.frontier = sorted(self.depth)
        self.layer = 0

    def advance(self, follow: _Follow) -> None:
        """Reach one layer further, remembering every arc that leads to a new node."""
        self.layer += 1
        reached: set[int] = set()
        for arc in read_arcs(follow(np.array(self.frontier, np.int64))):
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


class _Search:
    """A breadth-first search that always advances the side with the smaller frontier."""

    def __init__(self, follow: _Follow) -> None:
        self._follow = follow

    def ways(
        self, starts: Sequence[int], ends: Sequence[int], *, max_hops: int, limit: int
    ) -> list[Way]:
        here, there = _Side(starts), _Side(ends)
        while here.frontier and there.frontier and here.layer + there.layer < max_hops:
            smaller = min((here, there), key=lambda side: len(side.frontier))
            smaller.advance(self._follow)
            # Every shortest way has exactly one node at the depth that the start's side reached.
            meetings = [
                node
                for node, depth in here.depth.items()
                if depth == here.layer and there.depth.get(node) == there.layer
            ]
            if meetings:
                return self._joined(here, there, meetings, limit)
        return []

    def _joined(self, here: _Side, there: _Side, meetings: list[int], limit: int) -> list[Way]:
        joined = [
            first + tuple(arc.turned() for arc in reversed(second))
            for node in meetings
            for first in here.best(node, limit=limit)
            for second in there.best(node, limit=limit)
        ]
        return sorted(joined, key=way_rank)[:limit]


def read_arcs(batch: EdgeBatch) -> list[Arc]:
    """Return the rows of a batch as arcs, in order."""
    columns = (batch.source, batch.target, batch.edge, batch.kind, batch.forward, batch.confidence)
    return [
        Arc(source, target, edge, EDGE_TYPES[kind], forward, certainty)
        for source, target, edge, kind, forward, certainty in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
