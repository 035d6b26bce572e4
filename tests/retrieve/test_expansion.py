"""Stage 2: guided expansion on hand-made graphs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import EdgeBatch
from clew.core.calibration import Calibration
from clew.core.knowledge import EdgeType, Period, Standing
from clew.core.query import Filter, Principal, Query
from clew.retrieve.deadline import NO_DEADLINE, Deadline
from clew.retrieve.expansion import WAYS_KEPT, Expansion, ExpansionSettings, expand_seeds
from clew.retrieve.path_pruner import IntelligentPathPruner
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, edge, node_of, say
from tests.retrieve.worlds import ids_of, place, ready, tell

CHAIN = ("A", "B", "C", "D", "E", "F", "G")
ASK = Query("who", collection=MAIN, vector_expansion=False, max_hops=2)


def expanded(
    store: MemoryStore,
    query: Query,
    *seeds: str,
    calibration: Calibration | None = None,
    settings: ExpansionSettings | None = None,
    pruner: IntelligentPathPruner | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> Expansion:
    return expand_seeds(
        replace(ready(query), deadline=deadline),
        ids_of(*seeds),
        graph=store,
        calibration=calibration or Calibration(),
        settings=settings,
        pruner=pruner,
    )


def distances(found: Expansion, traversal: int = 0) -> dict[int, int]:
    return found.traversals[traversal].distance


def by_name(**hops: int) -> dict[int, int]:
    return {node_of(name): hop for name, hop in hops.items()}


def chain() -> MemoryStore:
    store = MemoryStore()
    tell(store, "s", CHAIN, *(edge(a, b) for a, b in pairwise(CHAIN)))
    return store


class TestDepth:
    @pytest.mark.parametrize("hops", [1, 2, 5])
    def test_no_further_than_max_hops(self, hops: int) -> None:
        found = expanded(chain(), replace(ASK, max_hops=hops), "A")
        assert distances(found) == {node_of(CHAIN[hop]): hop for hop in range(hops + 1)}

    def test_edges_are_walked_both_ways(self) -> None:
        found = expanded(chain(), ASK, "C")
        assert distances(found) == by_name(C=0, B=1, D=1, A=2, E=2)

    def test_each_seed_has_its_traversal(self) -> None:
        found = expanded(chain(), replace(ASK, max_hops=1), "A", "C")
        assert [traversal.seed for traversal in found.traversals] == ids_of("A", "C").tolist()
        assert distances(found, 0) == by_name(A=0, B=1)
        assert distances(found, 1) == by_name(C=0, B=1, D=1)

    def test_no_seeds_give_no_traversals(self) -> None:
        assert expanded(chain(), ASK) == Expansion((), {})

    def test_a_seed_without_edges_is_alone(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["A"])
        assert distances(expanded(store, ASK, "A")) == by_name(A=0)

    def test_mentions_and_inferred_edges_are_not_walked(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["A", "B", "C"], edge("A", "B", standing=Standing.INFERRED))
        tell(store, "t", ["A", "C"], edge("A", "C", standing=Standing.ASSUMED))
        assert distances(expanded(store, ASK, "A")) == by_name(A=0, C=1)

    def test_an_edge_to_itself_changes_nothing(self) -> None:
        store = MemoryStore()
        tell(store, "s", ["A"], edge("A", "A"))
        found = expanded(store, ASK, "A")
        assert distances(found) == by_name(A=0)
        assert found.traversals[0].arcs == {node_of("A"): []}


class TestThreshold:
    def star(self) -> MemoryStore:
        """A with neighbours whose raw cosines are .8, .7, .6 and .5, and one without vector."""
        store = MemoryStore()
        names = ["A", "N8", "N7", "N6", "N5", "Blank"]
        entry = tell(store, "s", names, *(edge("A", name) for name in names[1:]))
        place(store, entry, {"A": 0.9, "N8": 0.8, "N7": 0.7, "N6": 0.6, "N5": 0.5})
        return store

    def test_threshold_on_a_spread_scale(self) -> None:
        query = replace(ASK, vector_expansion=True, vector_expansion_threshold=0.65)
        found = expanded(self.star(), query, "A")
        assert distances(found) == by_name(A=0, N8=1, N7=1)

    def test_threshold_applies_to_the_calibrated_value(self) -> None:
        # Background .5: .8 -> .6, .7 -> .4, .6 -> .2, .5 -> 0; identity stays 1.
        query = replace(ASK, vector_expansion=True, vector_expansion_threshold=0.35)
        found = expanded(self.star(), query, "A", calibration=Calibration(question_node=0.5))
        assert distances(found) == by_name(A=0, N8=1, N7=1)
        assert found.similarity[node_of("N8")] == pytest.approx(0.6, abs=1e-6)
        assert found.similarity[node_of("N5")] == pytest.approx(0.0, abs=1e-6)
        assert found.similarity[node_of("A")] == pytest.approx(0.8, abs=1e-6)

    def test_other_backgrounds_do_not_count(self) -> None:
        other = Calibration(question_passage=0.5, name_name=0.5)
        found = expanded(self.star(), ASK, "A", calibration=other)
        assert found.similarity[node_of("N8")] == pytest.approx(0.8, abs=1e-6)

    def test_a_node_without_vector_counts_as_unrelated(self) -> None:
        calibration = Calibration(question_node=0.5)
        at_zero = replace(ASK, vector_expansion=True, vector_expansion_threshold=0.0)
        above = replace(ASK, vector_expansion=True, vector_expansion_threshold=0.01)
        blank = node_of("Blank")
        assert blank in distances(expanded(self.star(), at_zero, "A", calibration=calibration))
        found = expanded(self.star(), above, "A", calibration=calibration)
        assert blank not in distances(found)
        assert found.similarity[blank] == 0.0

    def test_the_threshold_itself_passes(self) -> None:
        store = MemoryStore()
        entry = tell(store, "s", ["A", "B"], edge("A", "B"))
        place(store, entry, {"A": 1.0, "B": 0.25})
        query = replace(ASK, vector_expansion=True, vector_expansion_threshold=0.25)
        assert node_of("B") in distances(expanded(store, query, "A"))

    def test_a_seed_stays_whatever_its_cosine(self) -> None:
        store = MemoryStore()
        entry = tell(store, "s", ["A", "B"], edge("A", "B"))
        place(store, entry, {"A": -1.0, "B": 1.0})
        found = expanded(store, replace(ASK, vector_expansion=True), "A")
        assert distances(found) == by_name(A=0, B=1)

    def test_what_is_left_out_is_not_walked_through(self) -> None:
        store = MemoryStore()
        entry = tell(store, "s", ["A", "B", "C"], edge("A", "B"), edge("B", "C"))
        place(store, entry, {"A": 1.0, "B": 0.1, "C": 1.0})
        found = expanded(store, replace(ASK, vector_expansion=True), "A")
        assert distances(found) == by_name(A=0)

    def test_without_vector_expansion_all_are_included(self) -> None:
        query = replace(ASK, vector_expansion=False, vector_expansion_threshold=1.0)
        assert len(distances(expanded(self.star(), query, "A"))) == 6


class TestBudgets:
    def test_max_nodes_counts_the_seed_and_keeps_the_nearest(self) -> None:
        store = MemoryStore()
        names = [f"N{place}" for place in range(9)]
        entry = tell(store, "s", ["A", *names], *(edge("A", name) for name in names))
        place(store, entry, {"A": 0.0} | {f"N{row}": 0.1 + row / 20 for row in range(9)})
        found = expanded(store, replace(ASK, max_nodes=5), "A")
        assert distances(found) == by_name(A=0, N8=1, N7=1, N6=1, N5=1)

    def test_max_nodes_holds_for_each_traversal(self) -> None:
        store = MemoryStore()
        names = [f"N{place}" for place in range(9)]
        rows = [edge(seed, name) for seed in ("A", "B") for name in names]
        tell(store, "s", ["A", "B", *names], *rows)
        found = expanded(store, replace(ASK, max_nodes=6), "A", "B")
        assert [len(traversal.distance) for traversal in found.traversals] == [6, 6]

    def test_of_a_hub_the_surest_edges_are_followed(self) -> None:
        store = MemoryStore()
        names = [f"N{place}" for place in range(6)]
        rows = [
            edge("Hub", name, confidence=confidence)
            for name, confidence in zip(names, (0.5, 0.9, 0.6, 0.8, 0.55, 0.7), strict=True)
        ]
        tell(store, "s", ["Hub", *names], *rows)
        found = expanded(store, ASK, "Hub", settings=ExpansionSettings(fan_out=3, hub_edges=3))
        assert distances(found) == by_name(Hub=0, N1=1, N3=1, N5=1)

    def test_the_cap_holds_for_each_node_of_the_frontier(self) -> None:
        settings = ExpansionSettings(fan_out=2, hub_edges=2)
        store = MemoryStore()
        rows = [edge("A", "X"), edge("A", "Y"), edge("B", "Z"), edge("B", "W")]
        tell(store, "s", ["A", "B", "W", "X", "Y", "Z"], *rows)
        found = expanded(store, replace(ASK, max_hops=1), "A", "B", settings=settings)
        assert [len(traversal.distance) for traversal in found.traversals] == [3, 3]


class TestHubs:
    def hub(self) -> MemoryStore:
        """A hub whose surest edges lead to what is far from the question, the weakest to N5."""
        store = MemoryStore()
        names = [f"N{place}" for place in range(6)]
        rows = [edge("Hub", f"N{place}", confidence=0.9 - place / 10) for place in range(6)]
        entry = tell(store, "s", ["Hub", *names], *rows)
        place(store, entry, {"Hub": 0.5} | {f"N{row}": row / 10 for row in range(6)})
        return store

    def test_the_nearest_are_chosen_among_the_surest(self) -> None:
        found = expanded(self.hub(), ASK, "Hub", settings=ExpansionSettings(fan_out=2, hub_edges=4))
        assert distances(found) == by_name(Hub=0, N3=1, N2=1)

    def test_all_edges_may_be_looked_at(self) -> None:
        found = expanded(self.hub(), ASK, "Hub", settings=ExpansionSettings(fan_out=1, hub_edges=9))
        assert distances(found) == by_name(Hub=0, N5=1)


class Ticks:
    """A clock that goes on by one second each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class TestWorkIsBounded:
    def test_the_edge_budget_ends_it_and_is_said(self) -> None:
        found = expanded(
            chain(), replace(ASK, max_hops=5), "A", settings=ExpansionSettings(2, 2, edge_budget=5)
        )
        # A has one edge, B and C two each: after them nothing is left for D.
        assert distances(found) == by_name(A=0, B=1, C=2, D=3)
        assert found.partial == ("the expansion reached its budget of 5 edges",)

    def test_what_can_be_afforded_goes_to_the_nearest(self) -> None:
        store = MemoryStore()
        entry = tell(store, "s", ["A", "B", "X", "Y"], edge("A", "X"), edge("B", "Y"))
        place(store, entry, {"A": 0.2, "B": 0.9})
        found = expanded(store, ASK, "A", "B", settings=ExpansionSettings(1, 1, edge_budget=1))
        assert distances(found, 0) == by_name(A=0)
        assert distances(found, 1) == by_name(B=0, Y=1)
        assert found.partial != ()

    @given(st.integers(0, 12), st.integers(1, 5))
    @settings(deadline=None, max_examples=30)
    def test_never_more_edges_than_the_budget(self, budget: int, hops: int) -> None:
        store = CountsEdges()
        tell(store, "s", CHAIN, *(edge(a, b) for a in CHAIN for b in CHAIN if a < b))
        bounds = ExpansionSettings(fan_out=3, hub_edges=3, edge_budget=budget)
        found = expanded(store, replace(ASK, max_hops=hops), "A", "D", settings=bounds)
        assert store.edges_read <= budget
        assert bool(found.partial) <= (budget < 12 * hops)

    def test_the_deadline_ends_it_between_hops(self) -> None:
        found = expanded(
            chain(), replace(ASK, max_hops=4), "A", deadline=Deadline(3.0, clock=Ticks())
        )
        assert distances(found) == by_name(A=0, B=1, C=2)
        assert found.partial == ("the expansion ran out of time after 2 of 4 hops",)

    def test_without_either_nothing_is_partial(self) -> None:
        assert expanded(chain(), replace(ASK, max_hops=5), "A").partial == ()


class CountsEdges(MemoryStore):
    edges_read = 0

    def expand(self, *arguments: Any, **further: Any) -> EdgeBatch:
        batch = super().expand(*arguments, **further)
        self.edges_read += len(batch.edge)
        return batch


class TestPruning:
    def store(self) -> MemoryStore:
        """A (.9) to B (.5) to C (.1), and A to D (.8) by an edge of confidence .2."""
        store = MemoryStore()
        rows = [edge("A", "B"), edge("B", "C"), edge("A", "D", confidence=0.2)]
        entry = tell(store, "s", ["A", "B", "C", "D"], *rows)
        place(store, entry, {"A": 0.9, "B": 0.5, "C": 0.1, "D": 0.8})
        return store

    def test_a_path_is_relevant_by_the_mean_of_its_nodes(self) -> None:
        # A, B: .7; A, B, C: .5.
        for threshold, expected in ((0.49, by_name(A=0, B=1, C=2)), (0.51, by_name(A=0, B=1))):
            pruner = IntelligentPathPruner(threshold)
            assert distances(expanded(self.store(), ASK, "A", pruner=pruner)) == expected

    def test_an_edge_of_low_confidence_is_not_followed(self) -> None:
        pruner = IntelligentPathPruner()
        assert node_of("D") not in distances(expanded(self.store(), ASK, "A", pruner=pruner))
        assert pruner.pruning_stats == {"pruned": 1, "kept": 2}

    def test_a_threshold_below_all_changes_nothing(self) -> None:
        pruned = expanded(self.store(), ASK, "A", pruner=IntelligentPathPruner(-1.0))
        plain = expanded(self.store(), ASK, "A")
        assert distances(pruned) == distances(plain)


class TestShortestWays:
    def test_at_most_three_last_arcs_and_the_surest_of_them(self) -> None:
        store = MemoryStore()
        rows = [
            edge("A", "B", relation=f"r{place}", confidence=0.5 + place / 10) for place in range(5)
        ]
        tell(store, "s", ["A", "B"], *rows)
        (traversal,) = expanded(store, ASK, "A").traversals
        assert WAYS_KEPT == 3
        assert [arc.edge for arc in traversal.arcs[node_of("B")]] == [
            rows[4].id,
            rows[3].id,
            rows[2].id,
        ]

    def test_longer_ways_are_not_kept(self) -> None:
        store = MemoryStore()
        rows = [edge("A", "B"), edge("B", "C"), edge("A", "C")]
        tell(store, "s", ["A", "B", "C"], *rows)
        (traversal,) = expanded(store, ASK, "A").traversals
        assert [arc.edge for arc in traversal.arcs[node_of("C")]] == [rows[2].id]
        assert [arc.edge for arc in traversal.arcs[node_of("B")]] == [rows[0].id]


class TestTime:
    def test_periods_and_points_at_a_time(self) -> None:
        year = {number: datetime(number, 1, 1, tzinfo=UTC) for number in range(2019, 2026)}
        store = MemoryStore()
        rows = [
            edge("A", "Ended", period=Period(valid_from=year[2019], valid_to=year[2021])),
            edge("A", "Now", period=Period(valid_from=year[2021], valid_to=year[2024])),
            edge("A", "Later", period=Period(valid_from=year[2024])),
            edge("A", "Past", period=Period(occurred_at=year[2020])),
            edge("A", "Future", period=Period(occurred_at=year[2025])),
            edge("A", "Always"),
        ]
        names = ["A", "Ended", "Now", "Later", "Past", "Future", "Always"]
        tell(store, "s", names, *rows)
        at = replace(ASK, temporal_at=year[2021])
        assert distances(expanded(store, at, "A")) == by_name(A=0, Now=1, Past=1, Always=1)
        assert len(distances(expanded(store, ASK, "A"))) == 7


class TestScope:
    def two_sources(self) -> MemoryStore:
        """A to B stated by "open", B to C by "closed" (for staff), A to D by both."""
        store = MemoryStore()
        both = edge("A", "D")
        tell(store, "open", ["A", "B", "C", "D"], edge("A", "B"), both)
        tell(store, "closed", ["B", "C"], edge("B", "C"), both, acl=["staff"])
        return store

    def test_an_edge_of_an_excluded_document_is_not_walked(self) -> None:
        query = replace(ASK, filter=Filter(sources=frozenset({"open"})))
        assert distances(expanded(self.two_sources(), query, "A")) == by_name(A=0, B=1, D=1)
        assert len(distances(expanded(self.two_sources(), ASK, "A"))) == 4

    def test_an_edge_that_one_document_in_scope_states_is_walked(self) -> None:
        query = replace(ASK, filter=Filter(sources=frozenset({"closed"})))
        assert distances(expanded(self.two_sources(), query, "A")) == by_name(A=0, D=1)

    def test_an_edge_that_the_principal_may_not_see_is_not_walked(self) -> None:
        query = replace(ASK, principal=GUEST)
        assert distances(expanded(self.two_sources(), query, "A")) == by_name(A=0, B=1, D=1)
        staff = replace(ASK, principal=Principal(frozenset({"staff"})))
        assert len(distances(expanded(self.two_sources(), staff, "A"))) == 4

    def test_an_edge_that_a_person_assumed_stands_in_no_document(self) -> None:
        store = MemoryStore()
        entry = tell(store, "s", ["A", "B"])
        say(store, entry, edge("A", "B", standing=Standing.ASSUMED, kind=EdgeType.CAUSES))
        query = replace(ASK, filter=Filter(sources=frozenset({"s"})))
        assert distances(expanded(store, query, "A")) == by_name(A=0)
        assert distances(expanded(store, ASK, "A")) == by_name(A=0, B=1)
