"""Dates of questions and the causal guard in the modes that walk the graph."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from clew.core.causality import CausalGuard
from clew.core.knowledge import Edge, EdgeType, Period
from clew.core.query import Query, RetrievalMode
from clew.core.results import Retrieval
from clew.core.temporal import NO_CONSTRAINT
from clew.retrieve.modes import ModeRetriever
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, edge
from tests.retrieve.asking import graph_modes
from tests.retrieve.worlds import StubEmbedder, tell

OLD = edge(
    "Acme", "Ada", relation="led by", period=Period(valid_to=datetime(1990, 1, 1, tzinfo=UTC))
)
NEW = edge(
    "Acme", "Bob", relation="led by", period=Period(valid_from=datetime(1990, 1, 1, tzinfo=UTC))
)
DOUBT = edge("Acme", "Flood", kind=EdgeType.CAUSES, relation="causes", confidence=0.3)
ASK = Query("Who led Acme in 1995?", collection=MAIN, vector_expansion=False)


def found(query: Query, *edges: Edge) -> Retrieval:
    store = MemoryStore()
    tell(store, "s", ["Acme", "Ada", "Bob", "Flood"], *edges)
    return ModeRetriever(chunks=store, graph=store, embedder=StubEmbedder()).retrieve(query)


def on_paths(retrieval: Retrieval) -> set[int]:
    return {step.edge for path in retrieval.paths for step in path.steps}


def in_context(retrieval: Retrieval) -> set[int]:
    return {step.edge for step in retrieval.subgraph.edges}


@graph_modes
def test_a_date_in_the_question_filters_periods(mode: RetrievalMode) -> None:
    dated = found(replace(ASK, mode=mode), OLD, NEW)
    assert dated.temporal.words == "in 1995"
    assert on_paths(dated) == in_context(dated) == {NEW.id}
    undated = found(replace(ASK, mode=mode, text="Who led Acme?"), OLD, NEW)
    assert undated.temporal == NO_CONSTRAINT
    assert on_paths(undated) == in_context(undated) == {OLD.id, NEW.id}


@graph_modes
def test_relative_words_count_from_the_reference_date(mode: RetrievalMode) -> None:
    query = replace(
        ASK,
        mode=mode,
        text="Who led Acme last year?",
        reference_date=datetime(1990, 6, 1, tzinfo=UTC),
    )
    assert on_paths(found(query, OLD, NEW)) == {OLD.id}


@graph_modes
def test_the_guard_refuses_warns_or_is_off(mode: RetrievalMode) -> None:
    query = replace(ASK, mode=mode, text="What did Acme lead to?")
    strict = found(replace(query, causal_guard=CausalGuard.STRICT), NEW, DOUBT)
    assert on_paths(strict) == in_context(strict) == {NEW.id}
    assert [(row.edge, row.followed) for row in strict.refused] == [(DOUBT.id, False)]
    warned = found(query, NEW, DOUBT)
    assert on_paths(warned) == in_context(warned) == {NEW.id, DOUBT.id}
    assert [(row.edge, row.followed) for row in warned.refused] == [(DOUBT.id, True)]
    assert found(replace(query, causal_guard=CausalGuard.OFF), NEW, DOUBT).refused == ()
