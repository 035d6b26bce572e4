"""Causal order: topological first, then time, then as given."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from clew.graph.causal_order import causal_sequence


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def test_statements_come_before_the_given_order() -> None:
    assert causal_sequence([1, 2, 3], [(3, 2), (2, 1)], {}).nodes == (3, 2, 1)


def test_time_decides_where_statements_do_not() -> None:
    found = causal_sequence([1, 2, 3], [], {1: year(1990), 3: year(1980)})
    assert found.nodes == (3, 1, 2)


def test_what_has_no_time_does_not_hold_back_what_it_precedes() -> None:
    found = causal_sequence([1, 2, 3], [(2, 3)], {1: year(1990), 3: year(1980)})
    assert found.nodes == (2, 3, 1)


def test_statements_win_over_dates_and_the_contradiction_is_told() -> None:
    found = causal_sequence([1, 2], [(1, 2)], {1: year(1990), 2: year(1980)})
    assert found.nodes == (1, 2)
    assert found.against_time == ((1, 2),)


def test_cycles_are_reported_and_ordered_by_time() -> None:
    found = causal_sequence(
        [1, 2, 3, 4], [(1, 2), (2, 3), (3, 1), (3, 4)], {1: year(1990), 3: year(1980)}
    )
    assert found.nodes == (3, 1, 2, 4)
    assert found.cycles == ((3, 1, 2),)


def test_strangers_and_loops_are_left_out() -> None:
    found = causal_sequence([2, 1, 2], [(1, 1), (1, 9)], {})
    assert (found.nodes, found.cycles) == ((2, 1), ())


def test_nothing() -> None:
    assert causal_sequence([], [], {}).nodes == ()


@given(
    st.permutations(range(7)),
    st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))),
    st.dictionaries(st.integers(0, 6), st.integers(1900, 1910).map(year)),
)
def test_orders_are_complete_and_keep_what_can_be_kept(
    nodes: list[int], pairs: set[tuple[int, int]], times: dict[int, datetime]
) -> None:
    acyclic = sorted((a, b) for a, b in pairs if a < b)
    found = causal_sequence(nodes, acyclic, times)
    assert sorted(found.nodes) == list(range(7))
    assert not found.cycles
    place = {node: index for index, node in enumerate(found.nodes)}
    assert all(place[a] < place[b] for a, b in acyclic)
    if not acyclic:
        dated = [times[node] for node in found.nodes if node in times]
        assert dated == sorted(dated)
