"""Every working mode, in every store, under one signature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from clew.core.calibration import Calibration
from clew.core.documents import Document
from clew.core.errors import UnsupportedModeError
from clew.core.knowledge import Period
from clew.core.query import Comparison, Condition, Filter, Principal, Query, RetrievalMode
from clew.core.results import Retrieval
from clew.retrieve import modes as module
from clew.retrieve.modes import ModeRetriever
from clew.retrieve.walk import WalkSettings
from clew.testing.fakes import HashingEmbedder
from clew.testing.store_samples import (
    GUEST,
    MAIN,
    NEW_YEAR,
    STAFF,
    MakeStore,
    edge,
    filed,
    node_of,
    write,
)
from tests.retrieve.library import EMBEDDER, SECRETS, Library, bm25, cosine, secret_nodes
from tests.retrieve.worlds import tell

WORKING = [
    RetrievalMode.VECTOR_ONLY,
    RetrievalMode.KEYWORD,
    RetrievalMode.KG_ONLY,
    RetrievalMode.HYBRID,
]
GRAPH = [RetrievalMode.KG_ONLY, RetrievalMode.HYBRID]
QUESTION = "Who founded the company that built the ship Blue Whale in London?"
ASK = Query(QUESTION, collection=MAIN, top_k=5)

every_mode = pytest.mark.parametrize("mode", WORKING)
graph_modes = pytest.mark.parametrize("mode", GRAPH)


class Calibrated(HashingEmbedder):
    """Passages that have nothing to do with a question are .2 near to it."""

    @property
    def calibration(self) -> Calibration:
        return Calibration(question_passage=0.2)


def ids(found: Retrieval) -> list[int]:
    return [result.id for result in found.results]


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


class TestModesThatDoNotWorkYet:
    @pytest.mark.parametrize("mode", ["dual", "community", "global", "adaptive"])
    def test_the_error_names_those_that_work(self, library: Library, mode: str) -> None:
        query = replace(ASK, mode=RetrievalMode(mode))
        with pytest.raises(UnsupportedModeError, match=mode) as caught:
            library.retriever.retrieve(query)
        for working in WORKING:
            assert working.value in str(caught.value)

    def test_the_names_are_those_of_the_table(
        self, library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = {RetrievalMode.KEYWORD: module.MODES[RetrievalMode.KEYWORD]}
        monkeypatch.setattr(module, "MODES", table)
        with pytest.raises(UnsupportedModeError, match="keyword") as caught:
            library.retriever.retrieve(replace(ASK, mode=RetrievalMode.HYBRID))
        assert "kg_only" not in str(caught.value)


Holds = Callable[[Library, int], bool]
"""Whether a chunk is in scope, by an independent test of each filter."""


def by_document(test: Callable[[Document], bool]) -> Holds:
    return lambda library, chunk: test(library.document_of(chunk))


FILTERS: dict[str, tuple[Callable[[Library], Filter], Holds]] = {
    "documents": (
        lambda library: Filter(
            documents=frozenset({library.document("acme.md").id, library.document("ada.md").id})
        ),
        by_document(lambda document: document.source in {"acme.md", "ada.md"}),
    ),
    "sources": (
        lambda _: Filter(sources=frozenset({"whale.md", "filler5.md"})),
        by_document(lambda document: document.source in {"whale.md", "filler5.md"}),
    ),
    "languages": (
        lambda _: Filter(languages=frozenset({"pt"})),
        by_document(lambda document: document.language == "pt"),
    ),
    "metadata": (
        lambda _: Filter(metadata=Condition("year", Comparison.AT_LEAST, 2021)),
        by_document(lambda document: document.metadata["year"] in {2021, 2022, 2023}),
    ),
    "labels": (
        lambda _: Filter(labels=frozenset({"Company"})),
        lambda library, chunk: "Company" in library.labels_of(chunk),
    ),
    "labels and sources": (
        lambda _: Filter(
            labels=frozenset({"Person"}), sources=frozenset({"acme.md", "beta.md", "ada.md"})
        ),
        lambda library, chunk: (
            "Person" in library.labels_of(chunk)
            and library.document_of(chunk).source in {"acme.md", "beta.md", "ada.md"}
        ),
    ),
    "nothing": (
        lambda _: Filter(sources=frozenset({"no such source"})),
        by_document(lambda document: False),
    ),
}
every_filter = pytest.mark.parametrize("name", FILTERS)


class TestFilters:
    @every_filter
    @pytest.mark.parametrize(
        ("mode", "measure"), [(RetrievalMode.VECTOR_ONLY, cosine), (RetrievalMode.KEYWORD, bm25)]
    )
    def test_exact_modes_equal_brute_force(
        self,
        library: Library,
        name: str,
        mode: RetrievalMode,
        measure: Callable[[Library, int, str], float],
    ) -> None:
        make, holds = FILTERS[name]
        query = replace(ASK, mode=mode, filter=make(library), top_k=3)
        found = library.retriever.retrieve(query)
        scores = {
            chunk: measure(library, chunk, QUESTION)
            for chunk in library.chunks
            if holds(library, chunk)
        }
        if mode is RetrievalMode.KEYWORD:
            scores = {chunk: score for chunk, score in scores.items() if score > 0}
        best = sorted(scores.values(), reverse=True)[:3]
        assert [result.score for result in found.results] == pytest.approx(best, abs=1e-5)
        for result in found.results:
            assert result.score == pytest.approx(scores[result.id], abs=1e-5)

    @every_filter
    @every_mode
    def test_nothing_out_of_scope_shows(
        self, library: Library, name: str, mode: RetrievalMode
    ) -> None:
        make, holds = FILTERS[name]
        text = f"{QUESTION} Zanzibar Vault, Grace Hopper, Beta Inc and Charles Babbage?"
        query = replace(ASK, text=text, mode=mode, filter=make(library), top_k=100)
        found = library.retriever.retrieve(query)
        scope = {chunk for chunk in library.chunks if holds(library, chunk)}
        seen = {node_of(each) for chunk in scope for each in library.names[chunk]}
        assert set(ids(found)) <= scope
        assert {row.node for row in found.provenance} <= seen
        steps = [step for path in found.paths for step in path.steps]
        assert {step.chunk for step in steps} <= scope
        assert {end for step in steps for end in (step.source, step.target)} <= seen

    @graph_modes
    def test_seeds_have_the_labels_asked_for(self, library: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode, filter=Filter(labels=frozenset({"Company"})))
        found = library.retriever.retrieve(query)
        seeds = {row.name for row in found.provenance if row.seed_rank}
        assert seeds == {"Acme Corp", "Beta Inc"}


class TestPrincipals:
    TEXT = "What does Agent Nine hide in the Zanzibar Vault for Acme Corp and Ada Lovelace?"

    def shown(self, found: Retrieval) -> str:
        return repr((found.results, found.paths, found.provenance, found.partial, found.notes))

    @every_mode
    @pytest.mark.parametrize("text", [TEXT, "AL-9 GUARDS_FOR ledgers", QUESTION])
    def test_nothing_hidden_shows(self, library: Library, mode: RetrievalMode, text: str) -> None:
        query = replace(ASK, text=text, mode=mode, principal=GUEST, top_k=100)
        found = library.retriever.retrieve(query)
        shown = self.shown(found)
        assert [secret for secret in SECRETS if secret in shown] == []
        hidden = {chunk for chunk in library.chunks if library.document_of(chunk).acl}
        assert not hidden & set(ids(found))
        nodes = {row.node for row in found.provenance}
        nodes |= {end for path in found.paths for step in path.steps for end in (step.source,)}
        nodes |= {step.target for path in found.paths for step in path.steps}
        assert not secret_nodes() & nodes

    @every_mode
    @pytest.mark.parametrize("principal", [STAFF, Principal()])
    def test_who_may_see_it_does(
        self, library: Library, mode: RetrievalMode, principal: Principal
    ) -> None:
        query = replace(ASK, text=self.TEXT, mode=mode, principal=principal, top_k=100)
        shown = self.shown(library.retriever.retrieve(query))
        assert "Zanzibar" in shown

    @graph_modes
    def test_a_hidden_alias_is_no_name(self, library: Library, mode: RetrievalMode) -> None:
        guest = replace(ASK, mode=mode, principal=GUEST)
        names = {row.name for row in library.retriever.retrieve(guest).provenance}
        assert "Ada Lovelace" in names
        everyone = {
            row.name for row in library.retriever.retrieve(replace(ASK, mode=mode)).provenance
        }
        assert "AL-9" in everyone


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
