"""Nodes ranked by PageRank, around given ones or over the whole graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from clew.core.algorithms import RankedNode
from clew.engine.algorithms.reading import Scope
from clew.graph.edge_graph import EdgeGraph, Weights
from clew.graph.pagerank import pagerank, restart_at

_PAGE = 500


def ranked_nodes(
    scope: Scope, *, limit: int, labels: Collection[str], damping: float
) -> tuple[RankedNode, ...]:
    """Return the nodes of highest PageRank over directed edges."""
    graph = scope.whole()
    return _best(scope, graph, pagerank(graph, damping=damping), limit, labels, ())


def nodes_near(
    scope: Scope,
    seeds: Sequence[int],
    *,
    limit: int,
    labels: Collection[str],
    damping: float,
    skip_known: bool,
) -> tuple[RankedNode, ...]:
    """Return the nodes of highest personalised PageRank, the walk going both ways from the seeds.

    `skip_known` leaves out the seeds and what an edge joins to one.
    """
    graph = scope.whole()
    start = restart_at(graph, dict.fromkeys(seeds, 1.0))
    if not start.any():
        return ()
    share = pagerank(graph, restart=start, damping=damping, both_ways=True)
    known = _known(graph, seeds) if skip_known else ()
    return _best(scope, graph, share, limit, labels, known)


def _known(graph: EdgeGraph, seeds: Sequence[int]) -> set[int]:
    rows = graph.rows(np.array(seeds, np.int64))
    beside = np.concatenate(
        [
            graph.target[np.isin(graph.source, rows)],
            graph.source[np.isin(graph.target, rows)],
        ]
    )
    return {*seeds, *graph.ids[beside].tolist()}


def _best(
    scope: Scope,
    graph: EdgeGraph,
    share: Weights,
    limit: int,
    labels: Collection[str],
    known: Collection[int],
) -> tuple[RankedNode, ...]:
    """Return the visible nodes of highest share, ties by id, page by page until there are enough."""
    order = np.lexsort((graph.ids, -share))
    order = order[share[order] > 0]
    found: list[RankedNode] = []
    for start in range(0, len(order), _PAGE):
        rows = order[start : start + _PAGE]
        scores = dict(zip(graph.ids[rows].tolist(), share[rows].tolist(), strict=True))
        found += [
            RankedNode(node.id, node.name, node.label, scores[node.id])
            for node in scope.nodes(list(scores))
            if node.id not in known and (not labels or node.label in labels)
        ]
        if len(found) >= limit:
            break
    return tuple(found[:limit])
