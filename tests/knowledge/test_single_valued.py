"""Which statement of a single-valued relation stands."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from clew.core.documents import Span
from clew.core.knowledge import Edge, EdgeType, Evidence, Period
from clew.knowledge.single_valued import is_single_valued, supersessions

ACME, ADA, BOB, CY = 1, 2, 3, 4


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def leads(edge: int, target: int, *, chunk: int = 0, source: int = ACME, **fields: Any) -> Edge:
    stated = Edge(
        edge,
        source,
        target,
        EdgeType.RELATED_TO,
        "LED_BY",
        evidence=(Evidence(chunk, Span(0, 1), 1.0),),
    )
    return replace(stated, **fields)


def found(*edges: Edge, published: dict[int, datetime] | None = None) -> set[tuple[int, int]]:
    return {(one.older.id, one.newer.id) for one in supersessions(edges, published or {})}


def test_the_document_published_last_wins_whatever_was_recorded_last() -> None:
    old = leads(10, ADA, chunk=1, recorded_at=year(2025))
    new = leads(11, BOB, chunk=2, recorded_at=year(2024))
    published = {1: year(2001), 2: year(2002)}
    assert found(old, new, published=published) == {(10, 11)}


def test_a_period_counts_before_publication() -> None:
    since_2010 = leads(10, ADA, chunk=1, period=Period(valid_from=year(2010)))
    in_2005 = leads(11, BOB, chunk=2, period=Period(occurred_at=year(2005)))
    published = {1: year(2011), 2: year(2020)}
    assert found(since_2010, in_2005, published=published) == {(11, 10)}


def test_without_dates_the_last_recorded_wins() -> None:
    assert found(
        leads(10, ADA, recorded_at=year(2002)), leads(11, BOB, recorded_at=year(2001))
    ) == {(11, 10)}


def test_the_newest_evidence_of_an_edge_counts() -> None:
    twice = leads(10, ADA, evidence=tuple(Evidence(c, Span(0, 1), 1.0) for c in (1, 3)))
    once = leads(11, BOB, chunk=2)
    published = {1: year(2001), 2: year(2002), 3: year(2003)}
    assert found(twice, once, published=published) == {(11, 10)}


def test_the_same_object_and_another_subject_do_not_contradict() -> None:
    assert found(leads(10, ADA), leads(11, ADA), leads(12, BOB, source=CY)) == set()


def test_periods_that_do_not_meet_both_hold() -> None:
    first = leads(10, ADA, period=Period(valid_from=year(2000), valid_to=year(2005)))
    second = leads(11, BOB, period=Period(valid_from=year(2005), valid_to=year(2009)))
    third = leads(12, CY, period=Period(valid_from=year(2008)))
    assert found(first, second, third) == {(11, 12)}


def test_three_values_give_way_to_the_newest() -> None:
    edges = [
        leads(10 + n, target, recorded_at=year(2000 + n)) for n, target in enumerate((2, 3, 4))
    ]
    assert found(*edges) == {(10, 12), (11, 12)}


def test_relations_compare_by_stem_and_denials_state_nothing() -> None:
    stems = frozenset({"led by"})
    assert is_single_valued(leads(10, ADA), stems)
    assert not is_single_valued(leads(10, ADA, negated=True), stems)
    assert not is_single_valued(leads(10, ADA, relation="SUED"), stems)
