"""Shortest ways against the enumeration of all simple ways on small graphs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import EdgeBatch, Ids
from clew.core.knowledge import EDGE_TYPE_CODES, EDGE_TYPES, EdgeType
from clew.graph import shortest_ways as module
from clew.graph.shortest_ways import (
    KNOWLEDGE,
    Arc,
    Way,
    confidence,
    read_arcs,
    shortest_ways,
    way_rank,
)

RELATED = EDGE_TYPE_CODES[EdgeType.RELATED_TO]
MENTIONS = EDGE_TYPE_CODES[EdgeType.MENTIONS]

Row = tuple[int, int, int, float]
"""Source, target, code of the kind and confidence; the id of an edge is its place plus 100."""


class Graph:
    """Edges in memory, read as a store gives them; counts the nodes that are expanded."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self.expanded = 0

    def __call__(self, nodes: Ids, *, limit: int | None) -> EdgeBatch:
        self.expanded += len(nodes)
        found: list[tuple[int, int, int, int, bool, float]] = []
        for node in nodes.tolist():
            edges = [
                (
                    node,
                    target if source == node else source,
                    100 + place,
                    kind,
                    source == node,
                    sure,
                )
                for place, (source, target, kind, sure) in enumerate(self.rows)
                if node in (source, target)
            ]
            found += sorted(edges, key=lambda edge: (-edge[5], edge[2]))[:limit]
        open_ends = np.full(len(found), "NaT", "datetime64[us]")
        return EdgeBatch(
            source=np.array([row[0] for row in found], np.int64),
            target=np.array([row[1] for row in found], np.int64),
            edge=np.array([row[2] for row in found], np.int64),
            kind=np.array([row[3] for row in found], np.int8),
            forward=np.array([row[4] for row in found], np.bool_),
            confidence=np.array([row[5] for row in found], np.float32),
            occurred_at=open_ends,
            valid_from=open_ends,
            valid_to=open_ends,
        )

    def all_ways(self, start: int, ends: set[int], max_hops: int) -> Iterator[Way]:
        """Yield every way that meets no node twice, by depth-first search."""

        def walk(node: int, seen: tuple[int, ...], way: Way) -> Iterator[Way]:
            if node in ends:
                yield way
                return
            if len(way) == max_hops:
                return
            for place, (source, target, kind, sure) in enumerate(self.rows):
                if node not in (source, target):
                    continue
                other = target if source == node else source
                if other not in seen:
                    arc = Arc(node, other, 100 + place, EDGE_TYPES[kind], source == node, sure)
                    yield from walk(other, (*seen, other), (*way, arc))

        yield from walk(start, (start,), ())


def related(*ends: tuple[int, int], sure: float = 1.0) -> list[Row]:
    return [(source, target, RELATED, sure) for source, target in ends]


def nodes_on(way: Way) -> list[int]:
    return [way[0].source, *(arc.target for arc in way)]


class TestByHand:
    def test_one_edge(self) -> None:
        (way,) = shortest_ways(Graph(related((1, 2))), [1], [2], max_hops=1, limit=5)
        assert way == (Arc(1, 2, 100, EdgeType.RELATED_TO, True, 1.0),)

    def test_against_the_edge(self) -> None:
        (way,) = shortest_ways(Graph(related((2, 1))), [1], [2], max_hops=1, limit=5)
        assert way == (Arc(1, 2, 100, EdgeType.RELATED_TO, False, 1.0),)

    def test_the_direction_of_every_step_is_from_start_to_end(self) -> None:
        graph = Graph(related((1, 2), (3, 2), (3, 4), (5, 4)))
        (way,) = shortest_ways(graph, [1], [5], max_hops=4, limit=5)
        assert nodes_on(way) == [1, 2, 3, 4, 5]
        assert [arc.forward for arc in way] == [True, False, True, False]
        assert [arc.edge for arc in way] == [100, 101, 102, 103]

    def test_shorter_beats_surer(self) -> None:
        rows = [*related((1, 2), (2, 3)), (1, 3, RELATED, 0.01)]
        (way,) = shortest_ways(Graph(rows), [1], [3], max_hops=4, limit=5)
        assert [arc.edge for arc in way] == [102]

    def test_surer_comes_first_by_the_product(self) -> None:
        rows = [
            (1, 2, RELATED, 0.9),
            (2, 9, RELATED, 0.3),
            (1, 3, RELATED, 0.6),
            (3, 9, RELATED, 0.6),
        ]
        first, second = shortest_ways(Graph(rows), [1], [9], max_hops=2, limit=5)
        assert (nodes_on(first), nodes_on(second)) == ([1, 3, 9], [1, 2, 9])
        assert confidence(first) == pytest.approx(0.36)
        assert confidence(second) == pytest.approx(0.27)

    def test_the_limit_keeps_the_surest(self) -> None:
        rows = [(1, 2, RELATED, sure) for sure in (0.2, 0.9, 0.4)]
        found = shortest_ways(Graph(rows), [1], [2], max_hops=2, limit=2)
        assert [arc.edge for (arc,) in found] == [101, 102]

    def test_few_passages_before_sure_ones(self) -> None:
        rows = [
            (1, 50, MENTIONS, 1.0),
            (50, 2, MENTIONS, 1.0),
            (1, 3, RELATED, 0.1),
            (3, 2, RELATED, 0.1),
        ]
        first, second = shortest_ways(Graph(rows), [1], [2], max_hops=2, limit=5)
        assert (nodes_on(first), nodes_on(second)) == ([1, 3, 2], [1, 50, 2])
        assert way_rank(first) < way_rank(second)

    def test_no_way(self) -> None:
        assert shortest_ways(Graph(related((1, 2), (3, 4))), [1], [4], max_hops=9, limit=5) == []

    @pytest.mark.parametrize(("hops", "count"), [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)])
    def test_max_hops(self, hops: int, count: int) -> None:
        graph = Graph(related((1, 2), (2, 3), (3, 4)))
        assert len(shortest_ways(graph, [1], [4], max_hops=hops, limit=5)) == count

    @pytest.mark.parametrize(("starts", "ends"), [([], [1]), ([1], []), ([], [])])
    def test_no_ends(self, starts: list[int], ends: list[int]) -> None:
        assert shortest_ways(Graph(related((1, 2))), starts, ends, max_hops=4, limit=5) == []

    def test_a_node_that_is_start_and_end_gives_none(self) -> None:
        graph = Graph(related((1, 2), (1, 3), (2, 3)))
        assert shortest_ways(graph, [1], [1], max_hops=6, limit=5) == []
        ways = shortest_ways(graph, [1, 2], [1, 3], max_hops=6, limit=5)
        assert [nodes_on(way) for way in ways] == [[2, 3]]

    def test_an_edge_to_itself_is_no_way(self) -> None:
        graph = Graph(related((1, 1), (1, 2), (2, 2)))
        assert [nodes_on(way) for way in shortest_ways(graph, [1], [2], max_hops=3, limit=5)] == [
            [1, 2]
        ]

    def test_the_smaller_side_is_read(self) -> None:
        """From a hub of a hundred and a leaf two hops away, the hub's leaves are never expanded."""
        graph = Graph([*related(*((1, 10 + leaf) for leaf in range(100))), *related((10, 9))])
        (way,) = shortest_ways(graph, [1], [9], max_hops=6, limit=5)
        assert nodes_on(way) == [1, 10, 9]
        assert graph.expanded == 2

    def test_of_a_hub_the_surest_edges_are_followed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "FAN_OUT", 2)
        rows = [(1, 10 + leaf, RELATED, 0.9 - leaf / 10) for leaf in range(4)]
        rows += related((10, 9), (12, 8))
        assert shortest_ways(Graph(rows), [1], [9], max_hops=2, limit=5)
        assert shortest_ways(Graph(rows), [1], [12], max_hops=1, limit=5) == []

    def test_many_equal_ways_cost_no_more_than_the_limit(self) -> None:
        """Twenty layers of three have 3**19 ways; three are kept on the way."""
        layers = [[10 * layer + place for place in range(3)] for layer in range(1, 20)]
        rows = related(*((1, node) for node in layers[0]), *((node, 2) for node in layers[-1]))
        for here, there in pairwise(layers):
            rows += related(*((a, b) for a in here for b in there))
        found = shortest_ways(Graph(rows), [1], [2], max_hops=20, limit=3)
        assert [len(way) for way in found] == [20] * 3

    def test_knowledge_is_every_kind_but_mentions(self) -> None:
        assert KNOWLEDGE.kinds == frozenset(EdgeType) - {EdgeType.MENTIONS}


class TestArcs:
    def test_turned_twice_is_the_same(self) -> None:
        arc = Arc(1, 2, 7, EdgeType.CAUSES, True, 0.5)
        assert arc.turned() == Arc(2, 1, 7, EdgeType.CAUSES, False, 0.5)
        assert arc.turned().turned() == arc

    def test_rows_are_read_in_order(self) -> None:
        batch = Graph(related((1, 2), (3, 1)))(np.array([1], np.int64), limit=None)
        assert read_arcs(batch) == [
            Arc(1, 2, 100, EdgeType.RELATED_TO, True, 1.0),
            Arc(1, 3, 101, EdgeType.RELATED_TO, False, 1.0),
        ]


rows_of_graphs = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.integers(0, 6),
        st.sampled_from([RELATED, RELATED, MENTIONS]),
        st.sampled_from([0.25, 0.5, 1.0]),
    ),
    max_size=14,
)


@given(
    rows_of_graphs,
    st.sets(st.integers(0, 6), min_size=1, max_size=2),
    st.sets(st.integers(0, 6), min_size=1, max_size=2),
    st.integers(1, 6),
    st.integers(1, 4),
)
@settings(deadline=None, max_examples=150)
def test_enumeration_gives_the_same(
    rows: list[Row], starts: set[int], ends: set[int], max_hops: int, limit: int
) -> None:
    graph = Graph(rows)
    shared = starts & ends
    starts, ends = starts - shared, ends - shared
    every = [
        way
        for start in starts
        for way in graph.all_ways(start, ends, max_hops)
        if not set(nodes_on(way)[1:]) & starts
    ]
    shortest = min((len(way) for way in every), default=0)
    best = sorted((way for way in every if len(way) == shortest), key=way_rank)

    found = shortest_ways(
        graph, sorted(starts | shared), sorted(ends | shared), max_hops=max_hops, limit=limit
    )

    assert len(found) == min(limit, len(best))
    assert len(set(found)) == len(found)
    assert set(found) <= set(best)
    # Confidences are quarters and halves, so products are exact; ties may be cut either way.
    assert [_worth(way) for way in found] == [_worth(way) for way in best[:limit]]


def _worth(way: Way) -> tuple[int, int, float]:
    mentions = sum(arc.kind is EdgeType.MENTIONS for arc in way)
    return len(way), mentions, -math.prod(arc.confidence for arc in way)
