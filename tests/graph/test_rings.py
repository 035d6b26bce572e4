"""Rings against enumeration, and by hand."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.graph.rings import cycles, dense_groups, density
from tests.graph.graphs import graph_of

pairs = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20)


@settings(deadline=None)
@given(pairs, st.integers(2, 4), st.integers(0, 2))
def test_cycles_are_all_simple_cycles(links, smallest, more):
    graph = graph_of([(source, target, 1.0) for source, target in sorted(links)])
    row = {int(node): place for place, node in enumerate(graph.ids)}
    there = {(row[source], row[target]) for source, target in links}
    wanted = {
        way
        for length in range(smallest, smallest + more + 1)
        for way in permutations(range(len(graph.ids)), length)
        if way[0] == min(way)
        and all(link in there for link in zip(way, (*way[1:], way[0]), strict=True))
    }
    found = cycles(graph, smallest=smallest, largest=smallest + more)
    assert found.complete
    assert len(found.cycles) == len(set(found.cycles))
    assert set(found.cycles) == wanted


@settings(deadline=None)
@given(pairs, st.integers(3, 5))
def test_dense_groups_are_parts_of_the_truss(links, smallest):
    graph = graph_of([(source, target, 1.0) for source, target in sorted(links)])
    left = {
        frozenset(pair)
        for pair in zip(graph.source.tolist(), graph.target.tolist(), strict=True)
        if pair[0] != pair[1]
    }
    while True:
        weak = {
            link
            for link in left
            if sum(
                all(frozenset((end, third)) in left for end in link)
                for third in range(len(graph.ids))
                if third not in link
            )
            < smallest - 2
        }
        if not weak:
            break
        left -= weak
    groups: list[set[int]] = []
    for link in left:
        joined = [group for group in groups if group & link]
        groups = [group for group in groups if not group & link]
        groups.append(set(link).union(*joined))
    assert sorted(dense_groups(graph, smallest=smallest)) == sorted(
        tuple(sorted(group)) for group in groups
    )


def test_a_clique_of_four_with_a_tail():
    edges = [(a, b, 1.0) for a, b in combinations((1, 2, 3, 4), 2)]
    graph = graph_of([*edges, (4, 5, 1.0), (5, 6, 1.0)])
    assert dense_groups(graph, smallest=4) == [(0, 1, 2, 3)]
    assert density(graph, (0, 1, 2, 3)) == 1.0
    assert density(graph, (0, 1, 2, 3, 4)) == pytest.approx(7 / 10)


def test_a_budget_that_ends_is_reported():
    everyone = [(a, b, 1.0) for a, b in permutations(range(8), 2)]
    found = cycles(graph_of(everyone), smallest=3, largest=8, step_budget=500)
    assert not found.complete
    assert all(len(set(cycle)) == len(cycle) >= 3 for cycle in found.cycles)


def test_nothing_has_no_rings():
    assert cycles(graph_of([]), smallest=3, largest=4).cycles == ()
    assert dense_groups(graph_of([]), smallest=3) == []
