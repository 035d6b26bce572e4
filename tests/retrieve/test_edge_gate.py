"""The gate: edges that fit the time asked about, and causes that pass the guard."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from clew.core.causality import CausalGuard, CausalRefusal
from clew.core.knowledge import Edge, EdgeType, Period, Standing
from clew.core.query import Query
from clew.core.temporal import NO_CONSTRAINT, TemporalConstraint, TemporalType
from clew.graph.shortest_ways import KNOWLEDGE
from clew.retrieve.edge_gate import EdgeGate
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, edge, node_of
from tests.retrieve.worlds import ids_of, tell

ASK = Query("why", collection=MAIN, causal_guard=CausalGuard.STRICT)
CAUSE = edge("Rain", "Flood", kind=EdgeType.CAUSES, relation="causes", confidence=0.8)


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def admitted(
    *edges: Edge,
    query: Query = ASK,
    constraint: TemporalConstraint = NO_CONSTRAINT,
    start: str = "Rain",
) -> tuple[set[int], tuple[CausalRefusal, ...]]:
    """Return the edges from `start` that the gate lets through, and what it refused."""
    store = MemoryStore()
    tell(store, "s", ["Rain", "Flood", "Town"], *edges)
    gate = EdgeGate(query, constraint)
    found = gate.admit(store.expand(MAIN, ids_of(start), edge_filter=KNOWLEDGE), graph=store)
    return set(found.edge.tolist()), gate.refused()


def reasons(*edges: Edge, query: Query = ASK) -> tuple[str, ...]:
    _, refused = admitted(*edges, query=query)
    return refused[0].reasons if refused else ()


class TestCauses:
    def test_a_stated_and_sure_cause_passes(self) -> None:
        assert admitted(CAUSE) == ({CAUSE.id}, ())

    def test_doubt_is_refused_and_named(self) -> None:
        doubtful = replace(CAUSE, confidence=0.4)
        passed, refused = admitted(doubtful)
        assert passed == set()
        assert refused == (
            CausalRefusal(
                CAUSE.id,
                node_of("Rain"),
                node_of("Flood"),
                "causes",
                ("its confidence 0.40 is below 0.50",),
                followed=False,
            ),
        )

    def test_the_least_confidence_is_a_parameter(self) -> None:
        assert (
            reasons(replace(CAUSE, confidence=0.4), query=replace(ASK, causal_confidence=0.4)) == ()
        )
        assert reasons(CAUSE, query=replace(ASK, causal_confidence=0.81))

    def test_warn_follows_and_reports(self) -> None:
        query = replace(ASK, causal_guard=CausalGuard.WARN)
        passed, refused = admitted(replace(CAUSE, confidence=0.4), query=query)
        assert passed == {CAUSE.id}
        assert [row.followed for row in refused] == [True]

    def test_off_checks_nothing(self) -> None:
        query = replace(ASK, causal_guard=CausalGuard.OFF)
        assert admitted(replace(CAUSE, confidence=0.1), query=query) == ({CAUSE.id}, ())

    def test_what_is_denied_is_refused(self) -> None:
        assert reasons(replace(CAUSE, negated=True)) == ("the text denies it",)

    def test_what_a_person_accepted_needs_no_confidence(self) -> None:
        assert reasons(replace(CAUSE, confidence=0.1, standing=Standing.ASSUMED)) == ()

    def test_an_effect_that_precedes_its_cause(self) -> None:
        before = edge("Flood", "Rain", kind=EdgeType.PRECEDES, relation="precedes")
        assert reasons(CAUSE, before) == ("its effect is said to precede its cause",)

    def test_a_cause_that_precedes_its_effect(self) -> None:
        before = edge("Rain", "Flood", kind=EdgeType.PRECEDES, relation="precedes")
        assert reasons(CAUSE, before) == ()

    def test_a_cause_after_the_effect_was_over(self) -> None:
        rain = edge("Rain", "Town", relation="fell on", period=Period(year(1990)))
        flood = edge("Flood", "Town", relation="hit", period=Period(year(1980)))
        assert reasons(CAUSE, rain, flood) == (
            "the cause begins on 1990-01-01, when the effect was over (before 1981-01-01)",
        )

    @pytest.mark.parametrize("when", [1980, 1979])
    def test_the_same_year_or_an_earlier_one_contradicts_nothing(self, when: int) -> None:
        rain = edge("Rain", "Town", relation="fell on", period=Period(year(when)))
        flood = edge("Flood", "Town", relation="hit", period=Period(year(1980)))
        assert reasons(CAUSE, rain, flood) == ()

    def test_an_open_end_contradicts_nothing(self) -> None:
        rain = edge("Rain", "Town", relation="fell on", period=Period(year(1990)))
        flood = edge("Flood", "Town", relation="hits", period=Period(valid_from=year(1980)))
        assert reasons(CAUSE, rain, flood) == ()

    def test_other_kinds_are_not_judged(self) -> None:
        other = edge("Rain", "Flood", confidence=0.1)
        assert admitted(other) == ({other.id}, ())


class TestView:
    NINETIES = TemporalConstraint(TemporalType.DURING, year(1990), year(2000))

    def passes(self, period: Period, constraint: TemporalConstraint, query: Query = ASK) -> bool:
        row = edge("Rain", "Town", period=period)
        return admitted(row, query=query, constraint=constraint)[0] == {row.id}

    @pytest.mark.parametrize(
        ("period", "kept"),
        [
            (Period(valid_from=year(1985), valid_to=year(1991)), True),
            (Period(valid_from=year(1985), valid_to=year(1990)), False),
            (Period(valid_from=year(2000)), False),
            (Period(valid_from=year(1999)), True),
            (Period(year(1970)), True),
            (Period(year(2000)), False),
            (Period(), True),
        ],
    )
    def test_periods_that_touch_and_points_up_to_it(self, period: Period, kept: bool) -> None:  # noqa: FBT001
        assert self.passes(period, self.NINETIES) is kept

    def test_a_date_that_names_something_filters_nothing(self) -> None:
        assert self.passes(Period(valid_from=year(2000)), replace(self.NINETIES, names=True))

    def test_temporal_at_goes_before_the_question(self) -> None:
        query = replace(ASK, temporal_at=year(2010))
        assert self.passes(Period(valid_from=year(2000)), self.NINETIES, query)
