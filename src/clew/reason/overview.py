"""Answers of mode `global`: what the summaries say is mapped to points, and reduced to an answer.

After the map and reduce steps of Edge et al., From Local to Global: A Graph RAG Approach to
Query-Focused Summarization (2024), by quoting: a point is a sentence of a summary with the score
that the question gives it, and every point is cited down to the passage in which it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from clew.core.arrays import Floats
from clew.core.documents import Span
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.results import Answer, Retrieval
from clew.reason.abstention import ABSTAINED_CONFIDENCE, SUPPORT_THRESHOLD, abstention_text
from clew.reason.citations import Quotation, answer_text, cited_sources, number_passages
from clew.reason.evidence import Passage, gather_passages
from clew.reason.language import question_language
from clew.reason.question_terms import covered, text_keys, weighted_terms
from clew.reason.similarity import question_similarity
from clew.text.overview_words import asks_for_overview
from clew.text.tokens import terms

POINTS_A_SENTENCE = 2
"""An overview quotes twice as many sentences as an answer to one question."""

_PASSAGES = 60
_SIMILARITY = 0.6
_COVERAGE = 0.2
_COMMUNITY = 0.2
_SAME_COMMUNITY = 0.5
_REPEATED = 0.6
_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Point:
    """A sentence of the summary ranked `community`, as it stands in its passage; `score` 0..1."""

    community: int
    passage: Passage
    span: Span
    text: str
    score: float


class OverviewAnswerer:
    """Implements `core.ports.Answerer` for what mode `global` retrieves.

    A question that asks for an overview of the collection is answered as long as there is a
    summary in scope; any other needs a point whose support reaches the threshold. The confidence
    is the mean support of what is quoted: how near it is to the question, not how likely right.
    """

    def __init__(
        self,
        *,
        chunks: ChunkStore,
        graph: GraphStore,
        embedder: Embedder,
        max_sentences: int = 4,
        support_threshold: float = SUPPORT_THRESHOLD,
    ) -> None:
        self._chunks = chunks
        self._graph = graph
        self._embedder = embedder
        self._max_points = POINTS_A_SENTENCE * max_sentences
        self._support_threshold = support_threshold

    def answer(
        self, retrieval: Retrieval, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Return the points that answer best, with their citations, or an abstention.

        `on_text` is given the whole text at once.

        Raises:
            StoreError: a store cannot be read; no answer is made from a part of the evidence.
        """
        start = perf_counter()
        question = retrieval.query.text
        chosen = reduce_points(self.map_points(retrieval), limit=self._max_points)
        support = max((point.score for point in chosen), default=0.0)
        answered = bool(chosen) and (
            asks_for_overview(question) or support >= self._support_threshold
        )
        quoted = [Quotation(point.passage, point.span, point.score) for point in chosen]
        markers = number_passages(one.passage.chunk.id for one in quoted)
        mean = float(np.mean([point.score for point in chosen])) if chosen else 0.0
        text = (
            answer_text(quoted, markers)
            if answered
            else abstention_text(question_language(question), evidence=bool(quoted))
        )
        if on_text is not None:
            on_text(text)
        return Answer(
            question=question,
            text=text,
            answered=answered,
            sources=cited_sources(quoted, markers, paths=()),
            confidence=mean if answered else min(mean, ABSTAINED_CONFIDENCE),
            reasoning_path=(),
            retrieval=retrieval,
            timings={**retrieval.timings, "answer": (perf_counter() - start) * 1000.0},
        )

    def map_points(self, retrieval: Retrieval) -> list[Point]:
        """Return every sentence of the summaries with its score, summary by summary.

        A score is .6 calibrated cosine to the question + .2 share of the question's terms that the
        sentence holds + .2 calibrated cosine of the whole summary. For an overview it is what the
        sentence is worth to its summary times the summary's share of all members.
        """
        passages = {
            passage.chunk.id: passage
            for passage in gather_passages(
                retrieval, paths=(), chunks=self._chunks, graph=self._graph, limit=_PASSAGES
            )
        }
        rows = [
            (rank, passages[evidence.chunk], evidence)
            for rank, one in enumerate(retrieval.communities)
            for evidence in one.community.evidence
            if evidence.chunk in passages
        ]
        texts = [
            passage.chunk.text[evidence.span.start : evidence.span.end]
            for _, passage, evidence in rows
        ]
        ranked = retrieval.communities
        question = retrieval.query.text
        if asks_for_overview(question):
            most = max((one.score for one in ranked), default=1.0)
            scores = np.array(
                [evidence.confidence * ranked[rank].score / most for rank, _, evidence in rows]
            )
        else:
            whole = np.array([ranked[rank].calibrated or 0.0 for rank, *_ in rows], np.float32)
            scores = (
                _SIMILARITY * self._similarity(question, [passage for _, passage, _ in rows], texts)
                + _COVERAGE * _coverage(question, texts)
                + _COMMUNITY * np.clip(whole, 0.0, 1.0)
            )
        return [
            Point(rank, passage, evidence.span, text, float(score))
            for (rank, passage, evidence), text, score in zip(rows, texts, scores, strict=True)
        ]

    def _similarity(
        self, question: str, passages: Sequence[Passage], texts: Sequence[str]
    ) -> Floats:
        titled = list(zip(passages, texts, strict=True))
        return question_similarity(self._embedder, question, titled)


def reduce_points(points: Sequence[Point], *, limit: int) -> list[Point]:
    """Return at most `limit` points, best first, from as many communities as have something to say.

    Chosen one by one: each chosen point of its community halves what a point is worth, one that
    repeats the words of a chosen one is out, and so is what is worth less than half of the first.
    """
    waiting = list(points)
    words = {id(point): frozenset(terms(point.text)) for point in points}
    chosen: list[Point] = []
    while waiting and len(chosen) < limit:
        best = max(waiting, key=lambda point: _worth(point, chosen))
        if chosen and _worth(best, chosen) < _LEAST_SHARE * chosen[0].score:
            break
        chosen.append(best)
        waiting = [
            point
            for point in waiting
            if point is not best and _overlap(words[id(point)], words[id(best)]) < _REPEATED
        ]
    return chosen


def _worth(point: Point, chosen: Sequence[Point]) -> float:
    told = sum(other.community == point.community for other in chosen)
    return point.score * _SAME_COMMUNITY**told


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    least = min(len(one), len(other))
    return len(one & other) / least if least else 1.0


def _coverage(question: str, texts: Sequence[str]) -> Floats:
    """Return the weight of the question's terms that each text holds, 0..1."""
    keys = [text_keys(text) for text in texts]
    weighted = weighted_terms(question, keys)
    return np.asarray(covered(weighted, keys) @ weighted.weights, np.float32)
