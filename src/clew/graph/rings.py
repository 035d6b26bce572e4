"""Rings: directed cycles, and dense groups, in a graph of suspects.

A dense group is a connected part of the k-truss, in which every link lies in at least k - 2
triangles of the part. Source: Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis (2008).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from clew.graph.edge_graph import EdgeGraph

STEP_BUDGET = 200_000
"""Edges that the search for cycles follows at most."""


@dataclass(frozen=True, slots=True)
class Cycles:
    """Cycles as tuples of rows, each from its smallest row on; `complete` False: out of budget."""

    cycles: tuple[tuple[int, ...], ...]
    complete: bool


def cycles(
    graph: EdgeGraph, *, smallest: int, largest: int, step_budget: int = STEP_BUDGET
) -> Cycles:
    """Return the simple directed cycles of `smallest` to `largest` rows, short ones first.

    Only strongly connected parts are searched, depth first, from the smallest row of each cycle.
    """
    size = len(graph.ids)
    if not size:
        return Cycles((), complete=True)
    links = sparse.csr_array(
        (np.ones(len(graph.source)), (graph.source, graph.target)), shape=(size, size)
    )
    part = connected_components(links, directed=True, connection="strong")[1]
    pairs = set(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    search = _Search(
        sorted(
            (source, target)
            for source, target in pairs
            if source != target and part[source] == part[target]
        ),
        step_budget,
    )
    # Short cycles first: if the budget ends, what is missing are the longest.
    found = [
        cycle
        for length in range(smallest, largest + 1)
        for start in search.starts
        for cycle in search.cycles_from(start, length)
    ]
    return Cycles(tuple(found), complete=search.steps_left > 0)


class _Search:
    """Follows links under a common budget of steps."""

    def __init__(self, pairs: Iterable[tuple[int, int]], step_budget: int) -> None:
        self.steps_left = step_budget
        self._following: dict[int, list[int]] = defaultdict(list)
        self._preceding: dict[int, list[int]] = defaultdict(list)
        for source, target in pairs:
            self._following[source].append(target)
            self._preceding[target].append(source)
        self.starts = sorted(self._following)

    def cycles_from(self, start: int, length: int) -> Iterator[tuple[int, ...]]:
        """Yield the cycles of exactly `length` rows whose smallest is `start`."""
        back = self._steps_back(start, length)
        way = [start]
        branches = [iter(self._following.get(start, ()))]
        while branches and self.steps_left > 0:
            row = next(branches[-1], None)
            if row is None:
                branches.pop()
                way.pop()
                continue
            self.steps_left -= 1
            if row == start:
                if len(way) == length:
                    yield tuple(way)
            elif row not in way and len(way) + back.get(row, length) <= length:
                way.append(row)
                branches.append(iter(self._following.get(row, ())))

    def _steps_back(self, start: int, length: int) -> dict[int, int]:
        """Return how far `start` is from each larger row, those nearer than `length`."""
        found = {start: 0}
        queue = deque([start])
        while queue and self.steps_left > 0:
            row = queue.popleft()
            if found[row] == length - 1:
                continue
            for before in self._preceding.get(row, ()):
                self.steps_left -= 1
                if before > start and before not in found:
                    found[before] = found[row] + 1
                    queue.append(before)
        return found


def dense_groups(graph: EdgeGraph, *, smallest: int) -> list[tuple[int, ...]]:
    """Return the connected parts of the `smallest`-truss with at least `smallest` rows, each sorted.

    A clique of `smallest` rows is such a part; direction does not count, nor does how many edges
    join two rows.
    """
    links = _undirected(graph)
    while links.nnz:
        triangles = (links @ links) * links
        strong = sparse.csr_array(triangles >= smallest - 2) if smallest > 2 else links
        kept = sparse.csr_array(links * strong)
        kept.eliminate_zeros()
        if kept.nnz == links.nnz:
            break
        links = kept
    part = connected_components(links, directed=False)[1] if len(graph.ids) else np.empty(0)
    members: dict[int, list[int]] = defaultdict(list)
    for row, number in enumerate(part.tolist()):
        members[number].append(row)
    return [tuple(rows) for rows in members.values() if len(rows) >= max(2, smallest)]


def density(graph: EdgeGraph, rows: Sequence[int]) -> float:
    """Return the share of the pairs of rows that an edge joins, in any direction."""
    inside = np.isin(graph.source, rows) & np.isin(graph.target, rows)
    low = np.minimum(graph.source[inside], graph.target[inside])
    high = np.maximum(graph.source[inside], graph.target[inside])
    pairs = {pair for pair in zip(low.tolist(), high.tolist(), strict=True) if pair[0] != pair[1]}
    return len(pairs) / (len(rows) * (len(rows) - 1) / 2)


def _undirected(graph: EdgeGraph) -> sparse.csr_array:
    size = len(graph.ids)
    apart = graph.source != graph.target
    source, target = graph.source[apart], graph.target[apart]
    links = sparse.csr_array(
        (
            np.ones(2 * len(source), np.int64),
            (np.concatenate([source, target]), np.concatenate([target, source])),
        ),
        shape=(size, size),
    )
    links.data[:] = 1
    return links
