"""The cheapest paths between things, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from clew.core.algorithms import CostedPath, CostedPaths
from clew.core.knowledge import EDGE_TYPES
from clew.core.results import Path
from clew.engine.algorithms.reading import Scope
from clew.engine.path_finding import labels_of
from clew.graph.cheapest_paths import Network, Route, cheapest_routes
from clew.graph.edge_graph import EdgeGraph
from clew.graph.shortest_ways import Arc, Way


def costed_paths(
    scope: Scope,
    starts: Sequence[int],
    ends: Sequence[int],
    *,
    max_hops: int,
    limit: int,
    hop_cost: float,
    both_ways: bool,
    within: Sequence[int] | None = None,
) -> CostedPaths:
    """Return at most `limit` paths from a start to an end, cheapest first.

    `within` keeps to these nodes and the ends; a node that is start and end gives no path.
    """
    partial: tuple[str, ...] = ()
    if within is None:
        graph, partial = scope.between(starts, ends, max_hops=max_hops, both_ways=both_ways)
    else:
        graph = scope.within(np.unique(np.array([*within, *starts, *ends], np.int64)))
    routes = cheapest_routes(
        Network(graph, hop_cost=hop_cost, both_ways=both_ways),
        _rows(graph, starts),
        _rows(graph, ends),
        max_hops=max_hops,
        limit=limit,
    )
    ways = [_way(graph, route) for route in routes]
    labels = labels_of(scope.store, scope.collection, ways, scope.principal)
    found = []
    for route, way in zip(routes, ways, strict=True):
        likely = prod(arc.confidence for arc in way)
        path = Path(tuple(map(labels.step, way)), relevance_score=likely)
        nodes = tuple(graph.ids[list(route.rows)].tolist())
        found.append(CostedPath(path, route.cost, likely, nodes))
    return CostedPaths(tuple(found), partial)


def _rows(graph: EdgeGraph, nodes: Sequence[int]) -> list[int]:
    return [int(row) for row in graph.rows(np.array(nodes, np.int64))]


def _way(graph: EdgeGraph, route: Route) -> Way:
    return tuple(
        Arc(
            int(graph.ids[link.source]),
            int(graph.ids[link.target]),
            link.edge,
            EDGE_TYPES[link.kind],
            link.forward,
            link.confidence,
        )
        for link in route.links
    )
