"""Stage 4: the subgraph of the context, and the guide's response schema."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from clew.core.hybrid_response import hybrid_response
from clew.core.ids import format_id
from clew.core.ports import Store
from clew.core.query import Filter, FusionMode, Query, RetrievalMode
from clew.core.results import Answer
from clew.retrieve.context import context_edges
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, edge
from tests.retrieve.asking import ASK, graph_modes
from tests.retrieve.library import Library
from tests.retrieve.worlds import ids_of, tell

QUERY = Query("who", collection=MAIN)


def inside(store: Store, query: Query, *names: str):
    nodes = store.nodes(MAIN, ids_of(*names).tolist())
    steps = context_edges(query, nodes, graph=store, chunks=store)
    return [(step.source_name, step.relation, step.target_name) for step in steps]


class TestEdges:
    def test_those_between_the_nodes_each_once_surest_first(self) -> None:
        store = MemoryStore()
        tell(
            store,
            "s",
            ["A", "B", "C", "D"],
            edge("A", "B", relation="weak", confidence=0.5),
            edge("B", "A", relation="sure", confidence=0.9),
            edge("A", "A", relation="itself", confidence=0.7),
            edge("C", "D", relation="outside"),
            edge("A", "C", relation="leaves"),
        )
        assert inside(store, QUERY, "A", "B") == [
            ("B", "sure", "A"),
            ("A", "itself", "A"),
            ("A", "weak", "B"),
        ]
        assert inside(store, QUERY) == []

    def test_out_of_scope_edges_are_out(self) -> None:
        store = MemoryStore()
        tell(store, "one", ["A", "B"], edge("A", "B", relation="one"))
        tell(store, "two", ["A", "B"], edge("A", "B", relation="two"))
        query = replace(QUERY, filter=Filter(sources=frozenset({"two"})))
        assert inside(store, query, "A", "B") == [("A", "two", "B")]


@graph_modes
class TestSubgraph:
    def test_nodes_are_those_of_the_provenance(self, library: Library, mode: RetrievalMode) -> None:
        found = library.retriever.retrieve(replace(ASK, mode=mode, vector_expansion=False))
        assert [node.id for node in found.subgraph.nodes] == [row.node for row in found.provenance]
        ends = {(step.source_name, step.target_name) for step in found.subgraph.edges}
        assert ("Acme Corp", "Blue Whale") in ends
        names = {node.id for node in found.subgraph.nodes}
        assert all({step.source, step.target} <= names for step in found.subgraph.edges)

    def test_max_nodes_bounds_it(self, library: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode, vector_expansion=False, max_nodes=5, seed_k=3)
        assert len(library.retriever.retrieve(query).subgraph.nodes) <= 5

    def test_time_is_up_at_once(self, library: Library, mode: RetrievalMode, monkeypatch) -> None:
        monkeypatch.setattr("clew.retrieve.question.deadline_in", lambda limit: _Passed(limit))
        found = library.retriever.retrieve(replace(ASK, mode=mode, time_limit_ms=1))
        assert "the expansion ran out of time after 0 of 2 hops" in found.partial
        assert "the walk ran out of time" in found.partial

    def test_pruning_is_counted(self, library: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode, vector_expansion=False)
        assert library.retriever.retrieve(query).pruning_stats == {}
        pruned = library.retriever.retrieve(replace(query, path_pruning=True, pruning_threshold=1))
        assert pruned.pruning_stats["pruned"] > 0
        assert pruned.pruning_stats["kept"] == 0
        assert {row.hop_distance for row in pruned.provenance} == {0}


class _Passed:
    passed = True

    def __init__(self, limit: int | None) -> None:
        assert limit == 1


def test_the_response_has_the_guides_fields(library: Library) -> None:
    query = replace(ASK, mode=RetrievalMode.HYBRID, fusion_mode=FusionMode.GRAPH_FIRST)
    retrieval = library.retriever.retrieve(query)
    answer = Answer(ASK.text, "an answer", True, (), 0.5, (), retrieval, {"total": 236.6})
    found = json.loads(json.dumps(hybrid_response(answer)))
    assert found.keys() >= {
        "answer",
        "subgraph",
        "retrieval_provenance",
        "path_relevance_scores",
        "retrieval_mode",
        "fusion_alpha",
        "seed_fusion_stats",
        "inferred_edges",
        "query_time_ms",
    }
    assert (found["retrieval_mode"], found["fusion_alpha"]) == ("graph_first", 0.8)
    assert (found["answer"], found["query_time_ms"]) == ("an answer", 237)
    assert found["subgraph"].keys() >= {"nodes", "paths"}
    first = found["retrieval_provenance"][0]
    assert first.keys() >= {
        "node_id",
        "vector_score",
        "graph_degree",
        "seed_rank",
        "hop_distance",
        "fused_score",
        "signals",
    }
    assert first["node_id"] == format_id(retrieval.provenance[0].node)
    scores = found["path_relevance_scores"]
    assert [row["path_index"] for row in scores] == list(range(len(retrieval.paths)))
    assert scores[0]["path_description"] == retrieval.paths[0].description
    assert scores[0]["relevance_score"] == pytest.approx(retrieval.paths[0].relevance_score)
    explicit = replace(retrieval, query=replace(query, fusion_alpha=0.25))
    assert hybrid_response(replace(answer, retrieval=explicit))["fusion_alpha"] == 0.25
