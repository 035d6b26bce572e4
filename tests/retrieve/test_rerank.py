"""Reordering by a model: alone, blended, and in every mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from clew.core.arrays import Floats
from clew.core.errors import ModelError, QueryError
from clew.core.query import Query, RetrievalMode
from clew.core.results import Result, Retrieval
from clew.retrieve.modes import ModeRetriever
from clew.retrieve.rerank import Reranking, rerank
from tests.retrieve.asking import ASK, every_mode, ids
from tests.retrieve.library import EMBEDDER, Library


@dataclass
class ByLength:
    """Prefers short passages; remembers how many it was given."""

    given: list[int] = field(default_factory=list)

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        self.given.append(len(passages))
        return np.array([-len(passage) for passage in passages], np.float32)


def found(*rows: tuple[str, float]) -> Retrieval:
    results = tuple(Result(place, 1, text, score) for place, (text, score) in enumerate(rows))
    return Retrieval(Query("who"), results, timings={"total": 5.0})


class TestOrder:
    def test_the_model_alone(self) -> None:
        reranked = rerank(found(("aaa", 3), ("a", 2), ("aa", 1)), Reranking(ByLength()), top_k=2)
        assert ids(reranked) == [1, 2]
        assert [row.score for row in reranked.results] == pytest.approx([1.0, 0.5])
        assert reranked.results[0].score_parts == {"retrieval": 2, "reranker": -1.0}
        assert reranked.timings["total"] >= 5.0
        assert "model_rerank" in reranked.timings

    def test_a_blend_by_hand(self) -> None:
        # Retrieval spread: 1, .5, 0; model spread: 0, 1, .5; blend at .4: .6, .7, .2.
        rows = (("aaa", 3), ("a", 2), ("aa", 1))
        reranked = rerank(found(*rows), Reranking(ByLength(), weight=0.4), top_k=3)
        assert ids(reranked) == [1, 0, 2]
        assert [row.score for row in reranked.results] == pytest.approx([0.7, 0.6, 0.2])

    def test_a_weight_of_zero_keeps_the_order(self) -> None:
        rows = (("aaa", 3), ("a", 2), ("aa", 1))
        assert ids(rerank(found(*rows), Reranking(ByLength(), weight=0.0), top_k=3)) == [0, 1, 2]

    def test_only_candidates_are_read_and_the_rest_follows(self) -> None:
        model = ByLength()
        rows = (("aaa", 3.0), ("aa", 2.0), ("a", 1.0))
        assert ids(rerank(found(*rows), Reranking(model, candidates=2), top_k=3)) == [1, 0, 2]
        assert model.given == [2]

    def test_the_model_reads_titles(self) -> None:
        read: list[str] = []

        class Reads:
            def score(self, question: str, passages: Sequence[str]) -> Floats:
                read.extend(passages)
                return np.zeros(len(passages), np.float32)

        rerank(found(("text", 1)), Reranking(Reads()), top_k=1, titles={1: "Title"})
        rerank(found(("text", 1)), Reranking(Reads()), top_k=1, titles={1: ""})
        assert read == ["Title\ntext", "text"]

    def test_equal_scores_keep_the_order(self) -> None:
        assert ids(rerank(found(("b", 1), ("a", 1)), Reranking(ByLength()), top_k=2)) == [0, 1]

    def test_nothing(self) -> None:
        assert rerank(found(), Reranking(ByLength()), top_k=2).results == ()

    @pytest.mark.parametrize("scores", [[1.0], [1.0, float("nan")]])
    def test_a_model_must_score_every_passage(self, scores: list[float]) -> None:
        class Broken:
            def score(self, question: str, passages: Sequence[str]) -> Floats:
                return np.array(scores, np.float32)

        with pytest.raises(ModelError, match="for 2 passages"):
            rerank(found(("a", 1), ("b", 1)), Reranking(Broken()), top_k=2)


class TestModes:
    def retriever(self, library: Library, model: ByLength | None) -> ModeRetriever:
        return ModeRetriever(
            chunks=library.store,
            graph=library.store,
            embedder=EMBEDDER,
            reranking=Reranking(model, candidates=8) if model else None,
        )

    @every_mode
    def test_more_candidates_than_results_are_read(
        self, library: Library, mode: RetrievalMode
    ) -> None:
        model = ByLength()
        query = replace(ASK, mode=mode, top_k=2)
        reranked = self.retriever(library, model).retrieve(query)
        plain = library.retriever.retrieve(query)
        assert reranked.query == query
        assert len(reranked.results) == 2
        if mode is RetrievalMode.DUAL:
            assert (model.given, ids(reranked)) == ([], ids(plain))
            return
        wide = library.retriever.retrieve(replace(query, top_k=8))

        def length(row: Result) -> int:
            return len(library.document_of(row.id).title) + len(row.content)

        assert [length(row) for row in reranked.results] == sorted(map(length, wide.results))[:2]
        assert model.given == [len(wide.results)]
        off = self.retriever(library, model).retrieve(replace(query, rerank=False))
        assert ids(off) == ids(plain)

    def test_asking_for_what_is_not_there(self, library: Library) -> None:
        with pytest.raises(QueryError, match="no reranker is configured"):
            self.retriever(library, None).retrieve(replace(ASK, rerank=True))
        dual = replace(ASK, mode=RetrievalMode.DUAL, rerank=True)
        with pytest.raises(QueryError, match="evidence ranking"):
            self.retriever(library, ByLength()).retrieve(dual)
