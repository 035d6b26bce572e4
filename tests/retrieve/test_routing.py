"""Where questions go, and why."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from clew.core.batches import CommunityBatch, no_vectors
from clew.core.errors import QueryError
from clew.core.knowledge import Community
from clew.core.query import FusionMode, Query, RetrievalMode
from clew.core.results import Retrieval
from clew.core.routing import QuestionShape
from clew.retrieve.adaptive import AdaptiveMode
from clew.retrieve.mode_costs import ModeCosts
from clew.retrieve.modes import MODES
from clew.retrieve.routing import DEEP_HOPS, route, routed
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN
from tests.retrieve.asking import ASK, ids
from tests.retrieve.library import Library

KEYWORD, VECTOR, GRAPH, HYBRID, COMMUNITY, GLOBAL = (
    RetrievalMode.KEYWORD,
    RetrievalMode.VECTOR_ONLY,
    RetrievalMode.KG_ONLY,
    RetrievalMode.HYBRID,
    RetrievalMode.COMMUNITY,
    RetrievalMode.GLOBAL,
)
MS = {KEYWORD: 1, VECTOR: 20, GRAPH: 50, HYBRID: 100, COMMUNITY: 200, GLOBAL: 5000}
HERE = frozenset({KEYWORD, VECTOR, GRAPH, HYBRID})
ADAPTIVE = replace(ASK, mode=RetrievalMode.ADAPTIVE)


def send(question, *, budget=None, available=HERE):
    query = Query(question, mode=RetrievalMode.ADAPTIVE, latency_budget_ms=budget)
    return route(query, available=available, expected_ms=MS.__getitem__)


@pytest.mark.parametrize(
    ("question", "shape", "mode"),
    [
        ("who wrote Emma", QuestionShape.SINGLE, VECTOR),
        ("What is a covenant?", QuestionShape.SINGLE, VECTOR),
        ("Where was the director of the film that won born?", QuestionShape.MULTI, HYBRID),
        ("Which came out first, Jaws or the film by Ada Roe?", QuestionShape.MULTI, HYBRID),
        ("How is Acme connected to Beta Labs?", QuestionShape.MULTI, HYBRID),
        ("Why did sales fall?", QuestionShape.MULTI, HYBRID),
        ("Analyze the outage", QuestionShape.MULTI, HYBRID),
        ("What are the main themes?", QuestionShape.OVERVIEW, HYBRID),
        ("Quem fundou a empresa?", QuestionShape.MULTI, HYBRID),
        ("termination notice period", QuestionShape.MULTI, HYBRID),
    ],
)
def test_the_decision_rules(question, shape, mode):
    found = send(question)
    assert (found.shape, found.mode) == (shape, mode)
    assert 0.5 <= found.confidence <= 1
    assert found.reason
    assert found.within_budget


def test_links_go_deep_and_doubtful_ones_start_at_passages():
    deep = send("How is Acme connected to Beta Labs?")
    assert (deep.fusion_mode, deep.max_hops) == (FusionMode.GRAPH_FIRST, DEEP_HOPS)
    assert "'how is acme connected'" in deep.reason
    unsure = send("What is the population of the town of Ghent?")
    assert (unsure.shape, unsure.mode) == (QuestionShape.SINGLE, HYBRID)
    assert unsure.fusion_mode is FusionMode.VECTOR_FIRST
    assert send("Why did sales fall?").fusion_mode is None


def test_a_view_of_the_whole_needs_its_modes():
    question = "What are the main themes of the documents?"
    assert send(question, available=HERE | {COMMUNITY, GLOBAL}).mode is GLOBAL
    assert send(question, available=HERE | {COMMUNITY}).mode is COMMUNITY
    assert "'global' is not available here" in send(question).reason


@pytest.mark.parametrize(
    ("budget", "mode", "within"),
    [
        (None, HYBRID, True),
        (100, HYBRID, True),
        (99, GRAPH, True),
        (49, VECTOR, True),
        (19, KEYWORD, True),
    ],
)
def test_a_budget_moves_on_to_the_next_mode(budget, mode, within):
    found = send("How is Acme connected to Beta Labs?", budget=budget)
    assert (found.mode, found.within_budget) == (mode, within)
    assert found.expected_ms == MS[mode]
    assert found.latency_budget_ms == budget
    assert (f"budget of {budget} ms" in found.reason) == (mode is not HYBRID)
    assert found.max_hops == (DEEP_HOPS if mode is HYBRID else None)


def test_where_nothing_keeps_to_the_budget_the_cheapest_runs_and_it_is_said():
    slow = Query("How is Acme connected to Beta?", latency_budget_ms=1)
    found = route(slow, available=HERE, expected_ms=lambda mode: MS[mode] + 10.0)
    assert (found.mode, found.within_budget) == (KEYWORD, False)


def test_explicit_values_win_over_the_advice():
    advice = send("How is Acme connected to Beta Labs?")
    plain = routed(Query("x", mode=RetrievalMode.ADAPTIVE), advice)
    assert (plain.mode, plain.fusion_mode, plain.max_hops) == (
        HYBRID,
        FusionMode.GRAPH_FIRST,
        DEEP_HOPS,
    )
    chosen = routed(Query("x", fusion_mode=FusionMode.VECTOR_FIRST, max_hops=1), advice)
    assert (chosen.fusion_mode, chosen.max_hops) == (FusionMode.VECTOR_FIRST, 1)
    assert routed(Query("x", fusion_alpha=0.5), advice).fusion_mode is FusionMode.BALANCED


def test_a_budget_must_be_in_range():
    with pytest.raises(QueryError, match="latency_budget_ms is 0"):
        Query("x", latency_budget_ms=0)


def test_adaptive_gives_what_its_mode_gives(library: Library):
    found = library.retriever.retrieve(ADAPTIVE)
    assert found.routing is not None
    assert found.query.mode is found.routing.mode
    fixed = library.retriever.retrieve(found.query)
    assert fixed.routing is None
    assert ids(found) == ids(fixed)
    tight = library.retriever.retrieve(replace(ADAPTIVE, latency_budget_ms=1))
    assert tight.routing is not None
    assert tight.routing.mode is KEYWORD


def test_every_mode_that_works_has_a_cost():
    costs = ModeCosts()
    assert all(costs.expected(mode) > 0 for mode in MODES)


def test_costs_are_learnt():
    """A fifth of each observation: 100, then 100 + .2 x 50 with deviation .2 x 50."""
    costs = ModeCosts({HYBRID: 100.0})
    assert costs.expected(HYBRID) == 100.0
    costs.observe(HYBRID, 150.0)
    assert costs.expected(HYBRID) == pytest.approx(110 + 2 * 10)
    costs.observe(HYBRID, 1_000_000.0)
    assert costs.expected(HYBRID) == pytest.approx(110 + 0.2 * 330 + 2 * (10 + 0.2 * (330 - 10)))
    for _ in range(60):
        costs.observe(HYBRID, 5.0)
    assert costs.expected(HYBRID) == pytest.approx(5.0, abs=0.5)


def test_what_was_observed_decides():
    """The clock says that each search takes a second: hybrid no longer keeps to half of one."""
    ticks = count()
    mode = AdaptiveMode(graph=MemoryStore(), modes=HERE, clock=lambda: float(next(ticks)))
    query = Query("Why did it fall?", mode=RetrievalMode.ADAPTIVE, latency_budget_ms=500)
    seen = [mode.retrieve(query, lambda asked: Retrieval(asked, ())).query.mode for _ in range(3)]
    assert seen[0] is HYBRID
    assert HYBRID not in seen[1:]


def test_communities_are_asked_only_where_they_were_built():
    store = MemoryStore()
    mode = AdaptiveMode(graph=store, modes=HERE | {COMMUNITY})
    query = Query("What are the main themes?", mode=RetrievalMode.ADAPTIVE, collection=MAIN)
    assert mode.retrieve(query, lambda asked: Retrieval(asked, ())).query.mode is HYBRID
    built = Community(id=1, level=0, path="level0_1", members=())
    store.write_communities(MAIN, CommunityBatch((built,), no_vectors()))
    assert mode.retrieve(query, lambda asked: Retrieval(asked, ())).query.mode is COMMUNITY
