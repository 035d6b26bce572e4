"""Mode `dual`: agreement of two stores, every strategy, and evidence parts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from clew.core.errors import QueryError, UnsupportedModeError
from clew.core.query import Filter, FusionStrategy, Query, RetrievalMode
from clew.core.results import Path
from clew.retrieve.dual_store_retriever import DualStoreRetriever
from clew.retrieve.evidence_ranking import EvidenceWeights
from clew.retrieve.graph_search import project_to_chunks
from clew.retrieve.modes import ModeRetriever
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, MakeStore, edge, filed, say, write
from tests.retrieve.asking import ASK
from tests.retrieve.library import EMBEDDER, Library
from tests.retrieve.test_cross_store_reranker import step
from tests.retrieve.worlds import hits, said, scores_of

DUAL = replace(ASK, mode=RetrievalMode.DUAL)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class TestProjection:
    def test_evidence_of_paths_follows_what_the_walk_reached(self) -> None:
        first = Path((replace(step("A", "B"), chunk=7), replace(step("B", "C"), chunk=8)))
        second = Path((replace(step("A", "D"), chunk=8), replace(step("D", "E"), chunk=9)))
        found, path_of = project_to_chunks(hits((5, 0.5), (8, 0.25)), [first, second])
        assert found.ids.tolist() == [5, 8, 7, 9]
        assert scores_of(found) == pytest.approx({5: 0.5, 8: 0.25, 7: 0.125, 9: 0.25 / 3})
        assert path_of == {7: first, 8: first, 9: second}

    def test_a_step_without_passage_has_none(self) -> None:
        found, path_of = project_to_chunks(hits((5, 0.5)), [Path((step("A", "B"),))])
        assert (found.ids.tolist(), path_of) == ([5], {})


class TestDual:
    def test_parts_make_up_the_score(self, library: Library) -> None:
        found = library.retriever.retrieve(DUAL)
        assert found.results
        for result in found.results:
            parts = result.score_parts
            base = (
                0.6 * parts["similarity"]
                + 0.15 * parts["agreement"]
                + 0.25 * parts["path_coherence"]
                - parts["novelty_penalty"]
            )
            assert parts["evidence_similarity"] == pytest.approx(max(base, 0.0), abs=1e-5)
            assert parts["evidence_confidence"] == pytest.approx(min(parts["fused"], 1.0))
            evidence = 0.4 * parts["evidence_similarity"] + 0.2 * (
                parts["evidence_recency"]
                + parts["evidence_authority"]
                + parts["evidence_confidence"]
            )
            assert result.score == pytest.approx(evidence, abs=1e-6)
            assert parts["agreement"] == float({"vector", "graph"} <= set(result.signals))
        scores = [result.score for result in found.results]
        assert scores == sorted(scores, reverse=True)

    def test_both_stores_agree_on_some_and_each_has_its_own(self, library: Library) -> None:
        every = library.retriever.retrieve(replace(DUAL, top_k=100)).results
        signals = {result.signals for result in every}
        assert ("vector", "graph") in signals
        assert ("vector",) in signals
        assert any(result.path is not None for result in every)

    @pytest.mark.parametrize("strategy", list(FusionStrategy))
    def test_every_strategy_runs(self, library: Library, strategy: FusionStrategy) -> None:
        weights = (0.3, 0.7) if strategy is FusionStrategy.LEARNED else None
        query = replace(DUAL, fusion_strategy=strategy, fusion_weights=weights)
        found = library.retriever.retrieve(query)
        assert len(found.results) == ASK.top_k

    def test_rrf_by_hand(self, library: Library) -> None:
        query = replace(DUAL, top_k=100, fusion_alpha=0.2)
        fused = {
            row.id: row.score_parts["fused"] for row in library.retriever.retrieve(query).results
        }
        near, graph = (
            [
                row.id
                for row in library.retriever.retrieve(replace(query, mode=mode, top_k=50)).results
                if mode is RetrievalMode.KG_ONLY or (row.calibrated or 0.0) > 0
            ]
            for mode in (RetrievalMode.VECTOR_ONLY, RetrievalMode.KG_ONLY)
        )
        checked = 0
        for chunk in set(near) & set(graph) & fused.keys():
            expected = 61 * (0.8 / (61 + near.index(chunk)) + 0.2 / (61 + graph.index(chunk)))
            checked += 1
            assert fused[chunk] == pytest.approx(expected, rel=1e-5)
        assert checked > 2

    def test_weights_decide_which_store_counts(self, library: Library) -> None:
        only_graph = replace(DUAL, top_k=100, fusion_weights=(0.0, 1.0))
        found = library.retriever.retrieve(only_graph).results
        assert found
        assert all("graph" in result.signals for result in found)

    def test_newer_and_better_known_documents_rise(self, make_store: MakeStore) -> None:
        store = make_store()
        vector = EMBEDDER.embed_passages(["grain"])[0]
        entries = {}
        for name, days, authority in (("old", 730, 0.1), ("new", 0, 0.9)):
            entry = filed(name, f"grain {name}", published_at=NOW - timedelta(days=days))
            entry = replace(entry, document=replace(entry.document, authority=authority))
            write(store, entry, vectors=[vector])
            entries[name] = entry.ids[0]
        retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER, clock=lambda: NOW)
        query = Query("grain", mode=RetrievalMode.DUAL, collection=MAIN)
        first, second = retriever.retrieve(query).results
        assert (first.id, second.id) == (entries["new"], entries["old"])
        assert first.score_parts["evidence_recency"] == 1.0
        assert second.score_parts["evidence_recency"] == pytest.approx(0.25)
        alike = ModeRetriever(
            chunks=store,
            graph=store,
            embedder=EMBEDDER,
            clock=lambda: NOW,
            evidence=EvidenceWeights(recency=0, authority=0, confidence=0),
        )
        scores = [row.score for row in alike.retrieve(query).results]
        assert scores[0] - scores[1] == pytest.approx(0.1)  # the second repeats the first

    def test_the_age_counts_from_the_date_asked_about(self, library: Library) -> None:
        store = MemoryStore()
        entry = filed("s", "grain", published_at=NOW - timedelta(days=365))
        write(store, entry, vectors=[EMBEDDER.embed_passages(["grain"])[0]])
        retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER, clock=lambda: NOW)
        query = Query(
            "grain",
            mode=RetrievalMode.DUAL,
            collection=MAIN,
            temporal_at=NOW - timedelta(days=365),
        )
        (found,) = retriever.retrieve(query).results
        assert found.score_parts["evidence_recency"] == 1.0

    @pytest.mark.parametrize("mode", [RetrievalMode.HYBRID, RetrievalMode.VECTOR_ONLY])
    def test_other_modes_have_one_strategy(self, library: Library, mode: RetrievalMode) -> None:
        query = replace(DUAL, mode=mode, fusion_strategy=FusionStrategy.MAX_SCORE)
        with pytest.raises(UnsupportedModeError, match="max_score"):
            library.retriever.retrieve(query)


class TestWeights:
    def test_presets_and_an_explicit_alpha(self) -> None:
        assert Query("q").store_weights == (0.5, 0.5)
        assert Query("q", fusion_alpha=0.25).store_weights == (0.75, 0.25)
        assert Query("q", fusion_alpha=0.25, fusion_weights=(3.0, 1.0)).store_weights == (3.0, 1.0)

    @pytest.mark.parametrize(
        "weights", [(0.0, 0.0), (-1.0, 1.0), (float("inf"), 1.0), (1.0,), (1.0, 1.0, 1.0)]
    )
    def test_unusable_weights_are_refused(self, weights: tuple[float, float]) -> None:
        with pytest.raises(QueryError, match="fusion_weights"):
            Query("q", fusion_weights=weights)

    def test_learned_needs_weights(self) -> None:
        with pytest.raises(QueryError, match="learned"):
            Query("q", fusion_strategy=FusionStrategy.LEARNED)


class TestDualStoreRetriever:
    def test_two_stores_answer_together(self) -> None:
        """Passages live in one store and the graph in another."""
        chunks, graph = MemoryStore(), MemoryStore()
        entry = filed("s", "Ada founded Acme.", "Grain and coal.")
        vectors = [EMBEDDER.embed_passages([chunk.text])[0] for chunk in entry.chunks]
        write(chunks, entry, vectors=vectors)
        (first, _) = entry.chunks
        say(graph, entry, *said(first, "Ada", "Acme"), edge("Ada", "Acme", first))
        retriever = DualStoreRetriever(
            chunks=chunks, graph=graph, embedder=EMBEDDER, collection=MAIN
        )
        found = retriever.search("Who founded Acme?")
        assert found[0].id == first.id
        assert set(found[0].signals) == {"vector", "graph"}
        assert np.isclose(found[0].score_parts["agreement"], 1.0)

    def test_search_is_retrieve_with_a_filter(self, library: Library) -> None:
        retriever = DualStoreRetriever(
            chunks=library.store, graph=library.store, embedder=EMBEDDER, collection=MAIN
        )
        scope = Filter(sources=frozenset({"acme.md"}))
        found = retriever.search(ASK.text, scope, top_k=3)
        assert {library.document_of(row.id).source for row in found} == {"acme.md"}
        assert (
            tuple(found) == library.retriever.retrieve(replace(DUAL, filter=scope, top_k=3)).results
        )

    @pytest.mark.parametrize("mode", [RetrievalMode.VECTOR_ONLY, RetrievalMode.KG_ONLY])
    def test_each_store_alone(self, library: Library, mode: RetrievalMode) -> None:
        retriever = DualStoreRetriever(
            chunks=library.store,
            graph=library.store,
            embedder=EMBEDDER,
            collection=MAIN,
            fusion_strategy=FusionStrategy.LEARNED,
            fusion_weights=(0.3, 0.7),
        )
        found = retriever.search(ASK.text, mode=mode, top_k=ASK.top_k)
        assert tuple(found) == library.retriever.retrieve(replace(ASK, mode=mode)).results
        assert retriever.search(ASK.text)
