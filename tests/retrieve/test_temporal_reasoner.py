"""`TemporalReasoner` on results, claims, edges and paths."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from clew.core.knowledge import EdgeType, Node, Period
from clew.core.results import Result
from clew.core.temporal import NO_CONSTRAINT, TemporalType
from clew.retrieve.temporal import TemporalReasoner
from clew.testing.store_samples import edge, node_of

TODAY = datetime(2026, 5, 20, tzinfo=UTC)
REASONER = TemporalReasoner(clock=lambda: TODAY)


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def passage(place: int, text: str) -> Result:
    return Result(place, 1, text, 1.0)


def node(name: str, **properties: str) -> Node:
    return Node(node_of(name), name, properties=properties)


def test_today_comes_from_the_clock_or_the_caller() -> None:
    assert REASONER.extract_temporal_constraints("who left last year?").start == year(2025)
    told = REASONER.extract_temporal_constraints("who left last year?", reference=year(2001))
    assert (told.type, told.start, told.end) == (TemporalType.RELATIVE, year(2000), year(2001))


def test_passages_whose_dates_contradict_are_left_out() -> None:
    results = [
        passage(1, "He led the club from 1990 to 1995."),
        passage(2, "She led the club in 1984."),
        passage(3, "The club is old."),
        passage(4, "He was born in 1960 and left in 1994."),
    ]
    constraint = REASONER.extract_temporal_constraints("who led the club in 1994?")
    assert [row.id for row in REASONER.filter_by_temporal(results, constraint)] == [1, 3, 4]
    assert REASONER.filter_by_temporal(results, NO_CONSTRAINT) == results


def test_edges_are_judged_by_their_period() -> None:
    early = edge("A", "B", period=Period(valid_to=year(1990)))
    late = edge("A", "C", period=Period(valid_from=year(1990)))
    constraint = REASONER.extract_temporal_constraints("who held it before 1990?")
    assert REASONER.filter_by_temporal([early, late], constraint) == [early]


def test_a_path_follows_precedes_then_time() -> None:
    fire, inquiry, law = node("Fire"), node("Inquiry", date="1988-02-01"), node("Law")
    edges = [
        edge("Law", "Inquiry", kind=EdgeType.RELATED_TO, period=Period(year(1990))),
        edge("Fire", "Inquiry", kind=EdgeType.PRECEDES),
    ]
    found = REASONER.order_by_causality([law, inquiry, fire], edges)
    assert [pair[0].name for pair in found] == ["Fire", "Inquiry", "Law"]
    assert [pair[1] for pair in found] == [None, edges[1], edges[0]]
    assert (len(found), found.cycles, found.against_time) == (3, (), ())


def test_cycles_are_told() -> None:
    path = [node("A"), node("B")]
    edges = [edge("A", "B", kind=EdgeType.CAUSES), edge("B", "A", kind=EdgeType.PRECEDES)]
    assert REASONER.order_by_causality(path, edges).cycles == ((node_of("A"), node_of("B")),)


def test_what_is_denied_or_retired_orders_nothing() -> None:
    path = [node("A"), node("B")]
    denied = replace(edge("B", "A", kind=EdgeType.PRECEDES), negated=True)
    retired = edge("B", "A", kind=EdgeType.CAUSES, retired_at=year(2020))
    found = REASONER.order_by_causality(path, [denied, retired])
    assert [pair[0].name for pair in found] == ["A", "B"]


def test_dates_against_a_statement_are_told() -> None:
    path = [node("A", date="1990-01-01"), node("B", date="1980-01-01")]
    found = REASONER.order_by_causality(path, [edge("A", "B", kind=EdgeType.PRECEDES)])
    assert found.against_time == ((node_of("A"), node_of("B")),)
