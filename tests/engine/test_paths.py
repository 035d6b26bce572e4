from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import EdgeBatch
from clew.core.knowledge import EDGE_TYPE_CODES, EdgeType
from clew.engine.path_finding import connecting_ways
from clew.graph.shortest_ways import KNOWLEDGE, confidence

Row = tuple[int, int, int, EdgeType, float]
"""Source, target, edge, kind, confidence."""

R, M = EdgeType.RELATED_TO, EdgeType.MENTIONS


class Graph:
    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)

    def expand(self, nodes, *, edge_filter, limit):
        found = []
        for node in nodes.tolist():
            for source, target, edge, kind, certainty in self.rows:
                if edge_filter.kinds is not None and kind not in edge_filter.kinds:
                    continue
                if source == node:
                    found.append((node, target, edge, kind, True, certainty))
                elif target == node:
                    found.append((node, source, edge, kind, False, certainty))
        columns = list(zip(*found, strict=True)) if found else [()] * 6
        none = np.full(len(found), np.datetime64("NaT"), "datetime64[us]")
        return EdgeBatch(
            np.array(columns[0], np.int64),
            np.array(columns[1], np.int64),
            np.array(columns[2], np.int64),
            np.array([EDGE_TYPE_CODES[kind] for kind in columns[3]], np.int8),
            np.array(columns[4], np.bool_),
            np.array(columns[5], np.float32),
            none,
            none,
            none,
        )


def edges(way):
    return [arc.edge for arc in way]


def ways(rows, starts, ends, *, max_hops=4, limit=10):
    return connecting_ways(Graph(rows).expand, starts, ends, max_hops=max_hops, limit=limit)


def test_of_equally_long_ways_the_surer_comes_first():
    rows = [(1, 2, 12, R, 0.9), (2, 4, 24, R, 0.5), (1, 3, 13, R, 0.8), (3, 4, 34, R, 0.8)]
    found = ways(rows, [1], [4])
    assert [edges(way) for way in found] == [[13, 34], [12, 24]]
    assert confidence(found[0]) == pytest.approx(0.64)


def test_an_edge_is_walked_against_its_direction_and_says_so():
    (way,) = ways([(2, 1, 21, R, 1.0), (2, 3, 23, R, 1.0)], [1], [3])
    assert [(arc.source, arc.target, arc.forward) for arc in way] == [
        (1, 2, False),
        (2, 3, True),
    ]


def test_parallel_edges_are_ways_of_their_own():
    assert [edges(way) for way in ways([(1, 2, 5, R, 0.3), (2, 1, 6, R, 0.6)], [1], [2])] == [
        [6],
        [5],
    ]


def test_a_passage_joins_two_names_by_two_hops_and_yields_to_knowledge_of_the_same_length():
    passage = [(100, 1, 71, M, 1.0), (100, 3, 73, M, 1.0)]
    knowledge = [(1, 2, 12, R, 0.2), (2, 3, 23, R, 0.2)]
    assert [edges(way) for way in ways(passage, [1], [3])] == [[71, 73]]
    assert [edges(way) for way in ways(passage + knowledge, [1], [3])] == [[12, 23], [71, 73]]


def test_longer_knowledge_is_found_beside_a_shorter_way_through_a_passage():
    rows = [
        (100, 1, 71, M, 1.0),
        (100, 4, 74, M, 1.0),
        (1, 2, 12, R, 0.9),
        (2, 3, 23, R, 0.9),
        (3, 4, 34, R, 0.9),
    ]
    assert [edges(way) for way in ways(rows, [1], [4])] == [[71, 74], [12, 23, 34]]
    assert [edges(way) for way in ways(rows, [1], [4], max_hops=2)] == [[71, 74]]


def test_there_is_no_way_beyond_the_longest_allowed_and_between_parts():
    chain = [(n, n + 1, n, R, 1.0) for n in range(1, 6)]
    assert ways(chain, [1], [6], max_hops=4) == []
    assert len(ways(chain, [1], [6], max_hops=5)) == 1
    assert ways(chain, [1], [9], max_hops=4) == []


def test_any_of_several_starts_and_ends_will_do():
    rows = [(1, 2, 12, R, 1.0), (2, 3, 23, R, 1.0), (9, 3, 93, R, 1.0)]
    assert [edges(way) for way in ways(rows, [1, 9], [3, 77])] == [[93]]


def _all_shortest(rows, start, end, max_hops):
    """Return edges of all shortest ways by trying every sequence of edges, shortest first."""
    for length in range(1, max_hops + 1):
        found = set()
        for chosen in product(rows, repeat=length):
            here, visited = {start}, [start]
            for source, target, *_ in chosen:
                step = {target} if source in here else {source} if target in here else set()
                here = step
                visited += list(step)
            if here == {end} and len(set(visited)) == length + 1:
                found.add(tuple(edge for _, _, edge, *_ in chosen))
        if found:
            return found
    return set()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=7))
def test_all_shortest_ways_are_found_as_by_trying_every_sequence(pairs):
    rows = [(a, b, 100 + n, R, 0.5) for n, (a, b) in enumerate(pairs) if a != b]
    found = {tuple(edges(way)) for way in ways(rows, [0], [5], max_hops=3, limit=1000)}
    assert found == _all_shortest(rows, 0, 5, 3)


def test_mentions_are_no_knowledge():
    assert KNOWLEDGE.kinds == frozenset(EdgeType) - {EdgeType.MENTIONS}
