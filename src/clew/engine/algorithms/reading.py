"""The part of a collection's graph that an algorithm needs, read from the store in batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial

import numpy as np

from clew.core.arrays import Booleans, EdgeBatch, Ids
from clew.core.knowledge import EdgeType, Node
from clew.core.ports import Store
from clew.core.query import EdgeFilter, Principal
from clew.core.results import Answer, Retrieval
from clew.graph.edge_graph import EdgeGraph, edge_graph, induced
from clew.graph.shortest_ways import FAN_OUT, KNOWLEDGE, Expand

NODE_BUDGET = 50_000
"""Nodes that a search for paths reads from one end at most."""

_NODES_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Scope:
    """What of a store an algorithm may see."""

    store: Store
    collection: str
    at: datetime | None
    principal: Principal
    edge_filter: EdgeFilter = KNOWLEDGE

    def whole(self) -> EdgeGraph:
        """Return all edges of the scope."""
        found = self.store.knowledge_edges(
            self.collection, at=self.at, edge_filter=self.edge_filter, principal=self.principal
        )
        return edge_graph(found)

    def nodes(self, ids: Sequence[int]) -> list[Node]:
        """Return nodes in the order of `ids`."""
        return [
            node
            for start in range(0, len(ids), _NODES_AT_ONCE)
            for node in self.store.nodes(
                self.collection, ids[start : start + _NODES_AT_ONCE], principal=self.principal
            )
        ]

    def within(self, nodes: Ids) -> EdgeGraph:
        """Return the edges that have both ends among `nodes`."""
        return induced(edge_graph(self._expand()(nodes, limit=None)), nodes)

    def between(
        self, starts: Sequence[int], ends: Sequence[int], *, max_hops: int, both_ways: bool
    ) -> tuple[EdgeGraph, tuple[str, ...]]:
        """Return what holds every path of `max_hops` from a start to an end, and what was cut.

        Half of the hops are read from either end. `both_ways` False reads only edges that lead
        from the starts and to the ends.
        """
        expand = self._expand()
        batches: list[EdgeBatch] = []
        cut: list[str] = []
        for roots, depth, forward in (
            (starts, (max_hops + 1) // 2, True),
            (ends, max_hops // 2, False),
        ):
            found, partial_here = _read_around(
                expand, roots, depth, forward=None if both_ways else forward
            )
            batches += found
            cut += partial_here
        return edge_graph(_joined(batches)), tuple(dict.fromkeys(cut))

    def _expand(self) -> Expand:
        return partial(
            self.store.expand,
            self.collection,
            at=self.at,
            edge_filter=self.edge_filter,
            principal=self.principal,
        )


def edges_of_kinds(kinds: Iterable[EdgeType]) -> EdgeFilter:
    """Return the filter of these kinds of knowledge edges; none given: all of them."""
    wanted = frozenset(kinds) - {EdgeType.MENTIONS}
    return EdgeFilter(kinds=wanted) if wanted else KNOWLEDGE


def nodes_of(found: Retrieval | Answer) -> list[int]:
    """Return the nodes of a retrieved subgraph: those of its context and of its paths."""
    retrieval = found.retrieval if isinstance(found, Answer) else found
    nodes = {item.node for item in retrieval.provenance}
    nodes |= {
        end for path in retrieval.paths for step in path.steps for end in (step.source, step.target)
    }
    return sorted(nodes)


def _read_around(
    expand: Expand, roots: Sequence[int], depth: int, *, forward: bool | None
) -> tuple[list[EdgeBatch], list[str]]:
    """Return the edges met within `depth` hops of the roots; `forward` None: in both directions."""
    seen = np.unique(np.array(roots, np.int64))
    frontier = seen
    batches: list[EdgeBatch] = []
    cut: list[str] = []
    for _ in range(depth):
        batch = expand(frontier, limit=FAN_OUT)
        if len(batch.source) and np.unique(batch.source, return_counts=True)[1].max() >= FAN_OUT:
            cut.append(f"of a node with many edges the surest {FAN_OUT} were followed")
        if forward is not None:
            batch = _taken(batch, batch.forward == forward)
        batches.append(batch)
        frontier = np.setdiff1d(batch.target, seen)
        if len(seen) + len(frontier) > NODE_BUDGET:
            cut.append(f"the search read {NODE_BUDGET} nodes from one end and went no further")
            break
        seen = np.union1d(seen, frontier)
        if not len(frontier):
            break
    return batches, cut


def _taken(batch: EdgeBatch, rows: Booleans) -> EdgeBatch:
    return EdgeBatch(**{column.name: getattr(batch, column.name)[rows] for column in fields(batch)})


def _joined(batches: Sequence[EdgeBatch]) -> EdgeBatch:
    return EdgeBatch(
        **{
            column.name: np.concatenate([getattr(batch, column.name) for batch in batches])
            for column in fields(EdgeBatch)
        }
    )
