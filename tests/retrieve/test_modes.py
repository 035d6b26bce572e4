"""Every working mode, in every store, under one signature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clew.core.calibration import Calibration
from clew.core.errors import QueryError, UnsupportedModeError
from clew.core.knowledge import Period
from clew.core.query import Query, RetrievalMode
from clew.retrieve import modes as module
from clew.retrieve.modes import ModeRetriever
from clew.retrieve.walk import WalkSettings
from clew.testing.fakes import HashingEmbedder
from clew.testing.store_samples import (
    MAIN,
    NEW_YEAR,
    MakeStore,
    edge,
    filed,
    node_of,
    write,
)
from tests.retrieve.asking import ASK, QUESTION, WORKING, every_mode, graph_modes, ids
from tests.retrieve.library import EMBEDDER, Library, cosine
from tests.retrieve.worlds import tell


class Calibrated(HashingEmbedder):
    """Passages that have nothing to do with a question are .2 near to it."""

    @property
    def calibration(self) -> Calibration:
        return Calibration(question_passage=0.2)


class TestResults:
    @every_mode
    @pytest.mark.parametrize("top_k", [1, 3, 1000])
    def test_top_k(self, library: Library, mode: RetrievalMode, top_k: int) -> None:
        found = library.retriever.retrieve(replace(ASK, mode=mode, top_k=top_k))
        everything = library.retriever.retrieve(replace(ASK, mode=mode, top_k=1000))
        assert len(everything.results) >= 3
        assert len(found.results) == min(top_k, len(everything.results))
        assert ids(found) == ids(everything)[:top_k]

    @every_mode
    def test_results_are_passages_best_first(self, library: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode)
        found = library.retriever.retrieve(query)
        assert found.query == query
        assert len(set(ids(found))) == len(ids(found))
        scores = [result.score for result in found.results]
        assert scores == sorted(scores, reverse=True)
        for result in found.results:
            assert result.content == library.chunks[result.id].text
            assert result.document == library.chunks[result.id].document
            assert result.signals

    @pytest.mark.parametrize("mode", [mode for mode in WORKING if mode != RetrievalMode.KEYWORD])
    def test_similarity_is_raw_and_calibrated(self, library: Library, mode: RetrievalMode) -> None:
        embedder = Calibrated(EMBEDDER.dimensions)
        retriever = ModeRetriever(chunks=library.store, graph=library.store, embedder=embedder)
        for result in retriever.retrieve(replace(ASK, mode=mode)).results:
            raw = cosine(library, result.id, QUESTION)
            assert result.similarity == pytest.approx(raw, abs=1e-5)
            assert result.calibrated == pytest.approx((raw - 0.2) / 0.8, abs=1e-5)

    def test_keyword_computes_no_similarity(self, library: Library) -> None:
        for result in library.retriever.retrieve(replace(ASK, mode=RetrievalMode.KEYWORD)).results:
            assert (result.similarity, result.calibrated) == (None, None)

    @every_mode
    def test_asking_twice_gives_the_same(self, library: Library, mode: RetrievalMode) -> None:
        first, second = (library.retriever.retrieve(replace(ASK, mode=mode)) for _ in range(2))
        assert replace(first, timings={}) == replace(second, timings={})

    @every_mode
    def test_timings(self, library: Library, mode: RetrievalMode) -> None:
        timings = library.retriever.retrieve(replace(ASK, mode=mode)).timings
        assert {"embed", "read", "total"} <= timings.keys()
        assert all(value >= 0 for value in timings.values())
        laps = sum(value for stage, value in timings.items() if stage != "total")
        assert timings["total"] >= laps - 1e-6

    @every_mode
    def test_an_empty_collection_gives_nothing(self, library: Library, mode: RetrievalMode) -> None:
        found = library.retriever.retrieve(replace(ASK, mode=mode, collection="empty"))
        assert (found.results, found.paths, found.provenance) == ((), (), ())
        assert found.partial == ()

    @every_mode
    def test_passages_without_vectors_do_not_stop_it(
        self, make_store: MakeStore, mode: RetrievalMode
    ) -> None:
        store = make_store()
        entry = filed("s", "Ada Lovelace founded Acme Corp")
        write(store, entry)
        retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER)
        found = retriever.retrieve(replace(ASK, mode=mode, text="Who founded Acme Corp?"))
        searches_text = mode in {RetrievalMode.KEYWORD, RetrievalMode.HYBRID}
        assert ids(found) == (entry.ids if searches_text else [])

    def test_signals_tell_what_found_a_passage(self, library: Library) -> None:
        query = replace(ASK, mode=RetrievalMode.HYBRID, top_k=1000)
        signals = [result.signals for result in library.retriever.retrieve(query).results]
        walked = ["graph" in found for found in signals]
        assert set(walked) == {True, False}
        assert {signal for found in signals for signal in found} == {"vector", "keyword", "graph"}


@every_mode
def test_that_nothing_is_inferred_is_said(library: Library, mode: RetrievalMode) -> None:
    found = library.retriever.retrieve(replace(ASK, mode=mode, write_inferred=True))
    assert "write_inferred" in found.notes[-1]
    assert library.retriever.retrieve(replace(ASK, mode=mode)).notes == ()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_hops": 0}, "max_hops is 0; it must lie in 1..5"),
        ({"max_hops": 6}, "max_hops is 6"),
        ({"seed_k": 21}, "seed_k is 21; it must lie in 1..20"),
        ({"max_nodes": 4}, "max_nodes is 4; it must lie in 5..200"),
        ({"fusion_alpha": 1.5}, "fusion_alpha is 1.5"),
        ({"vector_expansion_threshold": 2}, "vector_expansion_threshold is 2"),
        ({"pruning_threshold": -2}, "pruning_threshold is -2"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"temperature": 2.5}, "temperature is 2.5"),
        ({"time_limit_ms": 0}, "time_limit_ms is 0"),
        ({"top_k": 0}, "top_k is 0"),
        ({"text": " "}, "empty"),
    ],
)
def test_parameters_out_of_range_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(QueryError, match=said):
        replace(ASK, **wrong)


class TestModesThatAreNotInTheTable:
    def test_the_names_are_those_of_the_table(
        self, library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = {RetrievalMode.KEYWORD: module.MODES[RetrievalMode.KEYWORD]}
        monkeypatch.setattr(module, "MODES", table)
        with pytest.raises(UnsupportedModeError, match="keyword") as caught:
            library.retriever.retrieve(replace(ASK, mode=RetrievalMode.HYBRID))
        assert "kg_only" not in str(caught.value)


class TestGraphModes:
    @graph_modes
    def test_paths_provenance_and_stats(self, library: Library, mode: RetrievalMode) -> None:
        found = library.retriever.retrieve(replace(ASK, mode=mode, vector_expansion=False))
        descriptions = [path.description for path in found.paths]
        forth = "AL-9 → FOUNDED → Acme Corp → BUILT → Blue Whale"
        back = "Blue Whale ← BUILT ← Acme Corp ← FOUNDED ← AL-9"
        assert (forth in descriptions) != (back in descriptions)
        assert [path.score for path in found.paths] == sorted(
            (path.score for path in found.paths), reverse=True
        )
        stats = found.seed_fusion_stats
        assert stats.entity_seeds == 2  # Blue Whale and London
        assert 1 <= stats.fused_seeds <= ASK.seed_k
        ranks = [row.seed_rank for row in found.provenance if row.seed_rank]
        assert ranks == list(range(1, stats.fused_seeds + 1))
        assert len(found.provenance) <= ASK.max_nodes
        assert (stats.keyword_seeds > 0) is (mode is RetrievalMode.HYBRID)

    @graph_modes
    def test_two_hops_lead_to_the_founder(self, library: Library, mode: RetrievalMode) -> None:
        """The founder stands in a passage that says nothing of the ship."""
        query = replace(ASK, text="Who founded the builder of the Blue Whale?", mode=mode)
        contents = [result.content for result in library.retriever.retrieve(query).results]
        assert "Acme Corp was founded by Ada Lovelace." in contents

    @graph_modes
    def test_given_seeds_lead_to_their_passages(
        self, make_store: MakeStore, mode: RetrievalMode
    ) -> None:
        store = make_store()
        one = tell(store, "one", ["Ada"], vector=EMBEDDER.embed_passages(["grain"])[0])
        tell(store, "two", ["Bob"], vector=EMBEDDER.embed_passages(["coal"])[0])
        retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER)
        query = Query("tell me", mode=mode, collection=MAIN, seed_node_ids=(node_of("Ada"),))
        found = retriever.retrieve(query)
        assert ids(found)[0] == one.ids[0]
        assert found.provenance[0].node == node_of("Ada")
        assert found.provenance[0].signals[-1] == "given"

    @graph_modes
    def test_time_filters_edges(self, make_store: MakeStore, mode: RetrievalMode) -> None:
        store = make_store()
        row = edge("Ada Lovelace", "Beta Inc", relation="OWNED", period=Period(valid_from=NEW_YEAR))
        tell(
            store, "s", ["Ada Lovelace", "Beta Inc"], row, vector=EMBEDDER.embed_passages(["x"])[0]
        )
        retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER)
        query = Query("Ada Lovelace, Beta Inc", mode=mode, collection=MAIN)
        query = replace(query, vector_expansion=False)
        assert len(retriever.retrieve(replace(query, temporal_at=NEW_YEAR)).paths) == 1
        before = NEW_YEAR.replace(year=2023)
        assert retriever.retrieve(replace(query, temporal_at=before)).paths == ()

    @graph_modes
    def test_what_a_budget_cut_short_is_said(self, library: Library, mode: RetrievalMode) -> None:
        store = library.store
        small = ModeRetriever(
            chunks=store, graph=store, embedder=EMBEDDER, walk=WalkSettings(edge_budget=1)
        )
        assert small.retrieve(replace(ASK, mode=mode)).partial != ()
        assert library.retriever.retrieve(replace(ASK, mode=mode)).partial == ()

    @graph_modes
    def test_strong_relations_are_a_setting(self, library: Library, mode: RetrievalMode) -> None:
        store = library.store
        query = replace(ASK, mode=mode, text="Acme Corp", vector_expansion=False, max_hops=1)
        scores = {}
        for strong in ((), ("BUILT",)):
            retriever = ModeRetriever(
                chunks=store, graph=store, embedder=EMBEDDER, strong_relations=strong
            )
            scores[strong] = {
                path.steps[0].relation: path.score
                for path in retriever.retrieve(query).paths
                if len(path.steps) == 1
            }
        gain = {name: scores[("BUILT",)][name] - score for name, score in scores[()].items()}
        assert gain.pop("BUILT") == pytest.approx(0.1)
        assert set(gain.values()) == {0.0}


HOSTILE = {
    "ten thousand characters": "Ada Lovelace of Acme Corp? " * 370,
    "ten thousand letters": "x" * 10_000,
    "emoji": "\U0001f469\u200d\U0001f680\U0001f680 Ada \U0001f40b",
    "nul": "Ada\x00Lovelace \x00",
    "only stop words": "who is it that was the one of",
    "only punctuation": "?!?! ... --- ((( \"'",
    "sql": "'; DROP TABLE chunks; -- Robert') OR 1=1 UNION SELECT * FROM nodes",
    "operators of a search syntax": 'title:"Acme" AND (ship OR +whale -blue) ~2 ^3 [a TO b] /x.*/',
    "right to left": "\u202eadA \u05d0\u05d1\u05d2 \u0661\u0669\u0668\u0664",
    "combining marks": "A\u0301\u0301\u0301da Z\u0351\u0343algo",
    "a lone surrogate": "Ada \ud800 Lovelace",
}


@every_mode
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_questions_do_not_crash(library: Library, mode: RetrievalMode, name: str) -> None:
    found = library.retriever.retrieve(replace(ASK, text=HOSTILE[name], mode=mode))
    assert len(found.results) <= ASK.top_k


@every_mode
def test_what_was_erased_answers_no_more(make_store: MakeStore, mode: RetrievalMode) -> None:
    store = make_store()
    vector = EMBEDDER.embed_passages(["Ada"])[0]
    gone = tell(store, "gone", ["Ada", "Bob"], edge("Ada", "Bob"), vector=vector)
    kept = tell(store, "kept", ["Ada"], vector=vector)
    retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER)
    query = Query("text about Ada and Bob", mode=mode, collection=MAIN)
    assert set(ids(retriever.retrieve(query))) == {*gone.ids, *kept.ids}
    with store.transaction():
        store.erase(MAIN, gone.origin)
        store.remove_document(MAIN, gone.document.id)
    found = retriever.retrieve(query)
    assert ids(found) == kept.ids
    assert found.paths == ()
    assert "Bob" not in {row.name for row in found.provenance}
