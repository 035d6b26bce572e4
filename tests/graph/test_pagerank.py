"""PageRank by iteration against the exact solution of its linear system."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.graph.edge_graph import EdgeGraph, edge_graph, induced
from clew.graph.pagerank import pagerank, restart_at
from tests.graph.graphs import batch, graph_of

rows = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0.05, 1.0)), min_size=1, max_size=25
)


def exact(graph: EdgeGraph, restart: np.ndarray, damping: float, *, both_ways: bool) -> np.ndarray:
    """Solve (I - damping M) p = (1 - damping) restart with a dense M, column by column."""
    size = len(graph.ids)
    walk = np.zeros((size, size))
    for source, target, weight in zip(graph.source, graph.target, graph.confidence, strict=True):
        walk[target, source] += weight
        if both_ways and source != target:
            walk[source, target] += weight
    for column in range(size):
        total = walk[:, column].sum()
        walk[:, column] = walk[:, column] / total if total else restart
    return np.linalg.solve(np.eye(size) - damping * walk, (1 - damping) * restart)


@settings(deadline=None)
@given(rows, st.sampled_from([0.5, 0.85]), st.booleans(), st.integers(0, 7))
def test_iteration_gives_the_exact_solution(edges, damping, both_ways, seed):
    graph = graph_of(edges)
    start = np.full(len(graph.ids), 1.0 / len(graph.ids))
    found = pagerank(graph, damping=damping, both_ways=both_ways)
    np.testing.assert_allclose(found, exact(graph, start, damping, both_ways=both_ways), atol=1e-8)
    restart = restart_at(graph, {int(graph.ids[seed % len(graph.ids)]): 2.0})
    found = pagerank(graph, restart=restart, damping=damping, both_ways=both_ways)
    wanted = exact(graph, restart, damping, both_ways=both_ways)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


def test_two_nodes_by_hand():
    """1 -> 2, nothing leaves 2: p1 = .5 (1-d) + d p2 / 2 and p1 + p2 = 1, so p1 = 1 / (2 + d)."""
    found = pagerank(graph_of([(1, 2, 0.4)]), damping=0.5)
    np.testing.assert_allclose(found, [0.4, 0.6], atol=1e-9)


def test_confidence_divides_the_walk():
    found = pagerank(graph_of([(1, 2, 0.9), (1, 3, 0.1), (2, 1, 1.0), (3, 1, 1.0)]), damping=0.85)
    even = 0.15 / 3
    one = (even + 0.85 * 2 * even) / (1 - 0.85**2)
    np.testing.assert_allclose(
        found, [one, even + 0.85 * 0.9 * one, even + 0.85 * 0.1 * one], atol=1e-8
    )


def test_an_empty_graph_has_no_ranks():
    assert pagerank(graph_of([])).shape == (0,)


def test_an_unknown_start_weighs_nothing():
    assert restart_at(graph_of([(1, 2, 1.0)]), {9: 1.0}).tolist() == [0.0, 0.0]


def test_a_batch_of_both_directions_gives_each_edge_once():
    found = edge_graph(batch([(5, 3, 0.5), (3, 9, 1.0)], both=True))
    assert found.ids.tolist() == [3, 5, 9]
    pairs = zip(found.ids[found.source], found.ids[found.target], strict=True)
    assert sorted((int(a), int(b)) for a, b in pairs) == [(3, 9), (5, 3)]


def test_an_induced_graph_keeps_what_lies_within():
    graph = induced(graph_of([(1, 2, 0.5), (2, 3, 0.6), (3, 1, 0.7)]), np.array([3, 2, 77]))
    assert graph.ids.tolist() == [2, 3]
    assert graph.ids[graph.source].tolist() == [2]
    assert graph.confidence.tolist() == pytest.approx([0.6])
