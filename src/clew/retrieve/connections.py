"""How the things that a question names are connected: shortest ways between each two of them."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from clew.core.ports import GraphStore
from clew.core.query import Query
from clew.graph.shortest_ways import KNOWLEDGE, Way, confidence, shortest_ways
from clew.retrieve.named_nodes import NamedNodes

_NAMES = 3
_WAYS_A_PAIR = 3


def find_connections(query: Query, named: NamedNodes, *, graph: GraphStore) -> list[Way]:
    """Return the shortest ways over knowledge edges between the rarest names, surest first.

    Two names may lie twice `max_hops` apart: each is expanded to that depth.
    """
    expand = partial(
        graph.expand, query.collection, at=query.temporal_at, principal=query.principal
    )
    by_name: dict[int, list[int]] = {}
    for node, name in zip(named.ids.tolist(), named.names.tolist(), strict=True):
        by_name.setdefault(name, []).append(node)
    weight = dict(zip(named.ids.tolist(), named.weights.tolist(), strict=True))
    rarest = sorted(by_name.values(), key=lambda nodes: -max(weight[node] for node in nodes))
    ways = [
        way
        for starts, ends in combinations(rarest[:_NAMES], 2)
        for way in shortest_ways(
            partial(expand, edge_filter=KNOWLEDGE),
            starts,
            ends,
            max_hops=2 * query.max_hops,
            limit=_WAYS_A_PAIR,
        )
    ]
    return sorted(ways, key=lambda way: (len(way), -confidence(way)))
