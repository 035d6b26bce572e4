"""Cheapest routes against the enumeration of all simple ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.graph.cheapest_paths import Network, cheapest_routes
from tests.graph.graphs import graph_of

rows = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0.05, 1.0)), min_size=1, max_size=18
)
some = st.sets(st.integers(0, 6), min_size=1, max_size=3)


def every_route(
    network: Network, starts: set[int], ends: set[int], max_hops: int
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield the cost and rows of every simple route that stops at its first end."""

    def grow(way: tuple[int, ...], cost: float) -> Iterator[tuple[float, tuple[int, ...]]]:
        if way[-1] in ends:
            yield cost, way
        elif len(way) <= max_hops:
            for link in network.leaving[way[-1]]:
                if link.target not in way:
                    yield from grow((*way, link.target), cost + link.cost)

    for start in starts - ends:
        yield from grow((start,), 0.0)


@settings(deadline=None, max_examples=300)
@given(
    rows,
    some,
    some,
    st.integers(1, 5),
    st.integers(1, 12),
    st.booleans(),
    st.sampled_from([0.0, 0.1]),
)
def test_they_are_the_cheapest_of_all(edges, starts, ends, max_hops, limit, both_ways, hop_cost):
    graph = graph_of(edges)
    network = Network(graph, hop_cost=hop_cost, both_ways=both_ways)
    here = {row for row in starts if row < len(graph.ids)}
    there = {row for row in ends if row < len(graph.ids)}
    found = cheapest_routes(network, here, there, max_hops=max_hops, limit=limit)
    wanted = sorted(every_route(network, here, there, max_hops))
    assert [route.cost for route in found] == pytest.approx([cost for cost, _ in wanted[:limit]])
    assert {route.rows for route in found} <= {way for _, way in wanted}
    assert len({route.rows for route in found}) == len(found)


def test_costs_by_hand():
    """1 to 3 straight is unsure (.1: 2.40), over 2 it is likely (.9 and .8: .53 with two hops)."""
    graph = graph_of([(1, 2, 0.9), (2, 3, 0.8), (1, 3, 0.1)])
    network = Network(graph, hop_cost=0.1, both_ways=False)
    found = cheapest_routes(network, [0], [2], max_hops=3, limit=5)
    assert [route.rows for route in found] == [(0, 1, 2), (0, 2)]
    assert [route.cost for route in found] == pytest.approx(
        [0.2 - log(0.9) - log(0.8), 0.1 - log(0.1)], rel=1e-6
    )


def test_one_hop_is_all_that_is_allowed():
    network = Network(
        graph_of([(1, 2, 0.9), (2, 3, 0.8), (1, 3, 0.1)]), hop_cost=0.1, both_ways=False
    )
    assert [route.rows for route in cheapest_routes(network, [0], [2], max_hops=1, limit=5)] == [
        (0, 2)
    ]


def test_direction_counts_unless_both_ways_are_open():
    graph = graph_of([(2, 1, 0.9)])
    one_way = Network(graph, hop_cost=0.1, both_ways=False)
    assert cheapest_routes(one_way, [0], [1], max_hops=2, limit=1) == []
    (route,) = cheapest_routes(
        Network(graph, hop_cost=0.1, both_ways=True), [0], [1], max_hops=2, limit=1
    )
    assert [link.forward for link in route.links] == [False]


def test_of_parallel_edges_the_surest_is_walked():
    network = Network(graph_of([(1, 2, 0.3), (1, 2, 0.7)]), hop_cost=0.1, both_ways=False)
    (route,) = cheapest_routes(network, [0], [1], max_hops=1, limit=3)
    assert [link.edge for link in route.links] == [101]
