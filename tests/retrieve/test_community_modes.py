"""Modes `community` and `global` and the paper's presets, in every store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from clew.core.arrays import Floats
from clew.core.batches import CommunityBatch, Vectors
from clew.core.documents import Span
from clew.core.errors import QueryError
from clew.core.knowledge import Community, Evidence
from clew.core.query import Filter, Query, RetrievalMode, RetrievalPreset
from clew.core.results import Retrieval
from clew.retrieve.modes import ModeRetriever
from clew.retrieve.rerank import Reranking
from clew.testing.store_samples import GUEST, MAIN, STAFF, MakeStore, node_of
from tests.retrieve.asking import ASK, QUESTION, ids
from tests.retrieve.library import EMBEDDER, SECRETS, Library, cosine, write_library

COMMUNITY = replace(ASK, mode=RetrievalMode.COMMUNITY)
GLOBAL = replace(ASK, mode=RetrievalMode.GLOBAL)

# path, title, source of the passage, its ordinal, members, acl
WRITTEN = (
    ("level0_0", "Blue Whale, Acme Corp", "whale.md", 0, ("Blue Whale", "Acme Corp"), ()),
    ("level0_0.level1_0", "Blue Whale", "whale.md", 0, ("Blue Whale",), ()),
    ("level0_0.level1_1", "Acme Corp", "acme.md", 0, ("Acme Corp",), ()),
    ("level0_1", "Ada Lovelace", "ada.md", 0, ("Ada Lovelace", "Charles Babbage", "London"), ()),
    ("level0_2", "Beta Inc", "beta.md", 0, ("Beta Inc",), ()),
    ("level0_0", "Zanzibar Vault", "secret.md", 0, ("Zanzibar Vault",), ("staff",)),
    ("level0_3", "Zanzibar Vault", "secret.md", 1, ("Zanzibar Vault",), ()),
)
"""The last one was made when its source was open to all."""


@pytest.fixture(scope="module")
def shelf(make_store: MakeStore) -> Library:
    """Give the library with communities whose summary is one sentence."""
    library = write_library(make_store())
    communities = [_community(library, place) for place in range(len(WRITTEN))]
    vectors = EMBEDDER.embed_passages([f"{one.title}\n{one.summary}" for one in communities])
    numbers = np.array([one.id for one in communities], np.int64)
    library.store.write_communities(
        MAIN, CommunityBatch(tuple(communities), Vectors(numbers, vectors))
    )
    return library


def _community(library: Library, place: int) -> Community:
    path, title, source, ordinal, names, acl = WRITTEN[place]
    held = next(entry for entry in library.filed if entry.document.source == source)
    chunk = held.chunks[ordinal]
    return Community(
        place + 1,
        path.count("."),
        path,
        tuple(node_of(name) for name in names),
        title=title,
        summary=chunk.text,
        evidence=(Evidence(chunk.id, Span(0, len(chunk.text)), 1.0),),
        acl=frozenset(acl),
    )


def paths(found: Retrieval) -> list[str]:
    return [one.community.path for one in found.communities]


def summary_cosines(library: Library, *numbers: int) -> dict[int, float]:
    question = EMBEDDER.embed_questions([QUESTION])[0]
    rows = [_community(library, number - 1) for number in numbers]
    vectors = EMBEDDER.embed_passages([f"{one.title}\n{one.summary}" for one in rows])
    return dict(zip(numbers, (vectors @ question).tolist(), strict=True))


class TestCommunity:
    def test_passages_and_summaries_are_one_list(self, shelf: Library) -> None:
        found = shelf.retriever.retrieve(replace(COMMUNITY, top_k=6, principal=GUEST))
        assert len(found.results) + len(found.communities) == 6
        # Of levels in one line the nearest; brute force over both kinds.
        summaries = summary_cosines(shelf, 1, 2, 3, 4, 5)
        if summaries[1] >= max(summaries[2], summaries[3]):
            del summaries[2], summaries[3]
        else:
            del summaries[1]
        open_chunks = [chunk for chunk in shelf.chunks if not shelf.document_of(chunk).acl]
        scores = {("chunk", row): cosine(shelf, row, QUESTION) for row in open_chunks}
        scores |= {("community", row): score for row, score in summaries.items()}
        expected = sorted(scores, key=lambda row: -scores[row])[:6]
        together = [("chunk", row.id, row.score) for row in found.results]
        together += [("community", one.community.id, one.score) for one in found.communities]
        ranked = sorted(together, key=lambda row: -row[2])
        assert [row[:2] for row in ranked] == expected
        for kind, identifier, score in ranked:
            assert score == pytest.approx(scores[kind, identifier], abs=1e-5)

    def test_a_line_of_communities_is_told_once(self, shelf: Library) -> None:
        found = shelf.retriever.retrieve(replace(COMMUNITY, top_k=100))
        held = paths(found)
        assert len(held) == len(set(held))
        assert not any(one.startswith(f"{other}.") for one in held for other in held)

    def test_a_level_is_kept_to(self, shelf: Library) -> None:
        query = replace(COMMUNITY, top_k=100, community_level=1)
        found = shelf.retriever.retrieve(query)
        assert sorted(paths(found)) == ["level0_0.level1_0", "level0_0.level1_1"]

    @pytest.mark.parametrize("mode", [RetrievalMode.COMMUNITY, RetrievalMode.GLOBAL])
    def test_scopes(self, shelf: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode, top_k=100)
        scope = Filter(sources=frozenset({"ada.md", "beta.md"}))
        found = shelf.retriever.retrieve(replace(query, filter=scope))
        assert sorted(paths(found)) == ["level0_1", "level0_2"]
        sources = {shelf.document_of(row).source for row in ids(found)}
        assert sources <= {"ada.md", "beta.md"}
        portuguese = Filter(languages=frozenset({"pt"}))
        assert paths(shelf.retriever.retrieve(replace(query, filter=portuguese))) == ["level0_2"]

    @pytest.mark.parametrize("mode", [RetrievalMode.COMMUNITY, RetrievalMode.GLOBAL])
    def test_principals(self, shelf: Library, mode: RetrievalMode) -> None:
        query = replace(ASK, mode=mode, top_k=100, text="What does the Zanzibar Vault hold?")
        seen = shelf.retriever.retrieve(replace(query, principal=STAFF))
        assert any(word in str(seen.communities) for word in SECRETS)
        hidden = shelf.retriever.retrieve(replace(query, principal=GUEST))
        shown = str((hidden.results, hidden.communities))
        assert not any(word in shown for word in SECRETS)
        assert str(node_of("Zanzibar Vault")) not in shown


class Longest:
    """A reranker that prefers long texts, and remembers what it was given."""

    def __init__(self) -> None:
        self.passages: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        assert question == QUESTION
        self.passages = list(passages)
        return np.array([len(text) for text in passages], np.float32)


def reranking(library: Library, reranker: Longest) -> ModeRetriever:
    return ModeRetriever(
        chunks=library.store, graph=library.store, embedder=EMBEDDER, reranking=Reranking(reranker)
    )


class TestPresets:
    def test_v1_reranks_ten_bare_passages_to_two(self, shelf: Library) -> None:
        query = replace(
            ASK, mode=RetrievalMode.VECTOR_ONLY, preset=RetrievalPreset.PAPER_V1, top_k=2
        )
        reranker = Longest()
        found = reranking(shelf, reranker).retrieve(query)
        question = EMBEDDER.embed_questions([QUESTION])[0]
        distances = {
            row: float(np.linalg.norm(question - shelf.store.vectors(MAIN, np.array([row]))[0]))
            for row in shelf.chunks
        }
        nearest = sorted(distances, key=lambda row: (round(distances[row], 6), row))
        tenth = sorted(distances.values())[9]
        texts = {shelf.chunks[row].text: distances[row] for row in nearest}
        assert len(reranker.passages) == 10
        assert all(texts[passage] <= tenth + 1e-6 for passage in reranker.passages)
        longest = sorted(map(len, reranker.passages), reverse=True)[:2]
        assert [len(result.content) for result in found.results] == longest
        assert found.communities == ()

    def test_v1_without_a_reranker_is_by_cosine(self, shelf: Library) -> None:
        query = replace(ASK, mode=RetrievalMode.VECTOR_ONLY, top_k=2)
        preset = shelf.retriever.retrieve(replace(query, preset=RetrievalPreset.PAPER_V1))
        assert ids(preset) == ids(shelf.retriever.retrieve(query))

    def test_v2_reranks_both_kinds_with_titles_to_five(self, shelf: Library) -> None:
        reranker = Longest()
        query = replace(COMMUNITY, preset=RetrievalPreset.PAPER_V2, top_k=5)
        found = reranking(shelf, reranker).retrieve(query)
        assert len(found.results) + len(found.communities) == 5
        assert 10 < len(reranker.passages) <= 20
        beta = next(entry for entry in shelf.filed if entry.document.source == "beta.md")
        # Once as a passage of a document and once as the summary of a community, both titled so.
        assert reranker.passages.count(f"Beta Inc\n{beta.chunks[0].text}") == 2
        kept = [row.score for row in found.results] + [row.score for row in found.communities]
        longest = sorted(map(len, reranker.passages), reverse=True)[:5]
        assert sorted(kept, reverse=True) == longest


class TestGlobal:
    def test_the_best_summaries_of_the_coarsest_level(self, shelf: Library) -> None:
        found = shelf.retriever.retrieve(replace(GLOBAL, top_k=3, principal=GUEST))
        scores = summary_cosines(shelf, 1, 4, 5)
        expected = sorted(scores, key=lambda row: -scores[row])
        assert [one.community.id for one in found.communities] == expected
        for one in found.communities:
            assert one.score == pytest.approx(scores[one.community.id], abs=1e-5)

    def test_results_are_the_passages_behind_them(self, shelf: Library) -> None:
        found = shelf.retriever.retrieve(replace(GLOBAL, principal=GUEST))
        behind = [row.chunk for one in found.communities for row in one.community.evidence]
        assert ids(found) == behind
        assert all(result.signals == ("community",) for result in found.results)

    def test_another_level(self, shelf: Library) -> None:
        found = shelf.retriever.retrieve(replace(GLOBAL, community_level=1))
        assert {one.community.level for one in found.communities} == {1}

    @pytest.mark.parametrize(
        "text", ["What are the main themes of these documents?", "Quais são os principais temas?"]
    )
    def test_an_overview_takes_the_largest(self, shelf: Library, text: str) -> None:
        found = shelf.retriever.retrieve(replace(GLOBAL, text=text, principal=GUEST))
        assert paths(found) == ["level0_1", "level0_0", "level0_2"]
        assert [one.score for one in found.communities] == pytest.approx([3 / 6, 2 / 6, 1 / 6])

    def test_without_communities_there_is_nothing(self, library: Library) -> None:
        found = library.retriever.retrieve(GLOBAL)
        assert (found.results, found.communities) == ((), ())
        passages = library.retriever.retrieve(COMMUNITY)
        flat = library.retriever.retrieve(replace(ASK, mode=RetrievalMode.VECTOR_ONLY))
        assert ids(passages) == ids(flat)


@pytest.mark.parametrize("level", [-1, 10])
def test_levels_out_of_range_are_refused(level: int) -> None:
    with pytest.raises(QueryError, match=r"community_level.*0\.\.9"):
        Query("x", community_level=level)
