"""The answer without a language model: the best supported sentences, cited, and the path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from clew.core.arrays import Floats, Ids
from clew.core.knowledge import Edge
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.results import Answer, Path, Retrieval, Source
from clew.reason.abstention import (
    ABSTAINED_CONFIDENCE,
    SUPPORT_THRESHOLD,
    abstention_text,
    is_supported,
    missing_names,
)
from clew.reason.answer_type import expected_answer, names_answer
from clew.reason.bridges import bridge_strengths
from clew.reason.candidates import Sentence, candidate_sentences
from clew.reason.citations import Quotation, answer_text, cited_sources, number_passages
from clew.reason.confidence import (
    FITTED,
    AnswerSignals,
    ConfidenceModel,
    SentenceColumns,
    answer_signals,
)
from clew.reason.display import display_text
from clew.reason.evidence import Passage, gather_passages
from clew.reason.language import question_language
from clew.reason.leading_path import (
    evidence_spans,
    joins_what_is_named,
    leading_path,
    stating_rows,
)
from clew.reason.path_evidence import edge_strengths, path_places, stated_edges, step_span
from clew.reason.path_words import best_path, good_paths, path_lines
from clew.reason.question_terms import covered
from clew.reason.scoring import SentenceSignals, SentenceWeights, sentence_scores
from clew.reason.selection import SelectionWeights, reasoning_order, select_sentences
from clew.reason.similarity import question_similarity

_PASSAGES = 10
_PATHS = 20
_PATHS_READ = 3


@dataclass(frozen=True, slots=True)
class Examination:
    """The evidence of one question: passages, candidate sentences and what was chosen of them.

    `chosen` are rows of `sentences` in reading order, `path` the one that the answer follows.
    """

    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    scores: Floats
    chosen: tuple[int, ...]
    signals: AnswerSignals
    paths: tuple[Path, ...]
    path: Path | None
    edges: dict[int, Edge]


class ExtractiveAnswerer:
    """Implements `core.ports.Answerer` by quoting."""

    def __init__(
        self,
        *,
        chunks: ChunkStore,
        graph: GraphStore,
        embedder: Embedder,
        max_sentences: int = 4,
        support_threshold: float = SUPPORT_THRESHOLD,
        confidence: ConfidenceModel = FITTED,
        path_threshold: float = 0.3,
        candidates: int = 24,
        sentence_weights: SentenceWeights = SentenceWeights(),  # noqa: B008 - frozen
        selection_weights: SelectionWeights = SelectionWeights(),  # noqa: B008 - frozen
    ) -> None:
        self._chunks = chunks
        self._graph = graph
        self._embedder = embedder
        self._max_sentences = max_sentences
        self._support_threshold = support_threshold
        self._confidence = confidence
        self._path_threshold = path_threshold
        self._candidates = candidates
        self._sentence_weights = sentence_weights
        self._selection_weights = selection_weights

    def answer(
        self, retrieval: Retrieval, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Return the best supported sentences with their citations, or an abstention.

        `on_text` is given the whole text at once.

        Raises:
            StoreError: a store cannot be read; no answer is made from a part of the evidence.
        """
        start = perf_counter()
        seen = self.examine(retrieval)
        made = self.quote(retrieval, seen, answered=self.supports(seen))
        if on_text is not None:
            on_text(made.text)
        elapsed = (perf_counter() - start) * 1000.0
        return replace(made, timings={**retrieval.timings, "answer": elapsed})

    def supports(self, seen: Examination) -> bool:
        """Return whether the evidence is strong enough for an answer."""
        return bool(seen.chosen) and is_supported(seen.signals, threshold=self._support_threshold)

    def quote(self, retrieval: Retrieval, seen: Examination, *, answered: bool) -> Answer:
        """Return the chosen sentences as the answer, or an abstention that shows them."""
        question = retrieval.query.text
        path = seen.path if answered else None
        quoted = quotations(seen)
        resting = path_quotations(seen, path, quoted)
        markers = number_passages(one.passage.chunk.id for one in [*quoted, *resting])
        text = (
            answer_text(quoted, markers)
            if answered
            else abstention_text(
                question_language(question),
                evidence=bool(quoted),
                missing=missing_names(
                    display_text(question),
                    [f"{one.document.title} {one.chunk.text}" for one in seen.passages],
                ),
            )
        )
        return Answer(
            question=question,
            text=text,
            answered=answered,
            sources=evidence_sources(seen, path, [*quoted, *resting], markers),
            confidence=self.probability(seen, answered=answered),
            reasoning_path=path_words(seen, path, markers),
            retrieval=retrieval,
            timings=retrieval.timings,
        )

    def probability(self, seen: Examination, *, answered: bool) -> float:
        """Return how likely the quoted answer is right; an abstention has little."""
        probability = self._confidence.probability(seen.signals) if seen.chosen else 0.0
        return probability if answered else min(probability, ABSTAINED_CONFIDENCE)

    def examine(self, retrieval: Retrieval) -> Examination:
        """Return the sentences that would be quoted, with the signals of their support."""
        question = retrieval.query.text
        paths = good_paths(retrieval.paths, least_relevance=self._path_threshold, limit=_PATHS)
        passages = gather_passages(
            retrieval,
            paths=paths[:_PATHS_READ],
            chunks=self._chunks,
            graph=self._graph,
            limit=_PASSAGES,
        )
        edges = self._edges(retrieval, paths)
        leading = leading_path(paths, question)
        sentences, terms = candidate_sentences(
            question,
            passages,
            limit=self._candidates,
            stating=evidence_spans(leading, edges) if leading else {},
        )
        coverage = covered(terms, [one.keys for one in sentences])
        kind = expected_answer(question)
        signals = SentenceSignals(
            similarity=self._similarity(question, passages, sentences),
            overlap=np.asarray(coverage @ terms.weights, np.float32),
            relevance=np.array([passages[one.passage].relevance for one in sentences], np.float32),
            edge=edge_strengths(sentences, passages, paths=paths, edges=edges),
            typed=np.array(
                [names_answer(one.text, kind, question=question) for one in sentences], np.float32
            ),
        )
        scores = sentence_scores(signals, self._sentence_weights)
        bridges = bridge_strengths(sentences, passages, question=question)
        rows = np.array([one.passage for one in sentences], np.int64)
        columns = SentenceColumns(
            similarity=signals.similarity,
            coverage=coverage,
            bridges=bridges,
            passages=rows,
            documents=np.array([passages[row].document.id for row in rows], np.int64),
        )
        stating: list[int] = []
        if leading:
            stating = stating_rows(leading, sentences, passages, edges=edges, scores=scores)
            if not joins_what_is_named(leading, question):
                # The path leads to the answer and does not hold it: leave room for what does.
                stating = stating[: self._max_sentences // 2]
        chosen = select_sentences(
            scores=scores,
            coverage=coverage,
            term_weights=terms.weights,
            bridges=bridges,
            passages=rows,
            limit=self._max_sentences,
            weights=self._selection_weights,
            first=stating,
        )
        stated = stated_edges([sentences[row] for row in chosen], passages, edges)
        path = (best_path([leading], stated) if leading else None) or best_path(paths, stated)
        return Examination(
            passages=tuple(passages),
            sentences=tuple(sentences),
            scores=scores,
            chosen=tuple(_in_order(chosen, sentences, passages, bridges, rows, path)),
            signals=answer_signals(
                columns,
                chosen,
                term_weights=terms.weights,
                found_by=[passage.signals for passage in passages],
            ),
            paths=paths,
            path=path,
            edges=edges,
        )

    def _edges(self, retrieval: Retrieval, paths: Sequence[Path]) -> dict[int, Edge]:
        ids = dict.fromkeys(step.edge for path in paths for step in path.steps)
        query = retrieval.query
        found = self._graph.edges(query.collection, list(ids), principal=query.principal)
        return {edge.id: edge for edge in found}

    def _similarity(
        self, question: str, passages: Sequence[Passage], sentences: Sequence[Sentence]
    ) -> Floats:
        """Return the calibrated cosine of question and sentence, each led by its title, 0..1."""
        titled = [(passages[one.passage], one.text) for one in sentences]
        return question_similarity(self._embedder, question, titled)


def _in_order(
    chosen: list[int],
    sentences: Sequence[Sentence],
    passages: Sequence[Passage],
    bridges: Floats,
    rows: Ids,
    path: Path | None,
) -> list[int]:
    return reasoning_order(
        chosen,
        bridges=bridges,
        passages=rows,
        starts=np.array([one.span.start for one in sentences], np.int64),
        path_places=path_places(sentences, passages, path),
    )


def quotations(seen: Examination) -> list[Quotation]:
    """Return the chosen sentences as quotations, in reading order."""
    rows = ((seen.sentences[row], float(seen.scores[row])) for row in seen.chosen)
    return [Quotation(seen.passages[one.passage], one.span, support) for one, support in rows]


def path_quotations(
    seen: Examination, path: Path | None, quoted: Sequence[Quotation]
) -> list[Quotation]:
    """Return the evidence of the path's steps that rest on passages not quoted already."""
    known = {one.passage.chunk.id for one in quoted}
    by_chunk = {passage.chunk.id: passage for passage in seen.passages}
    found: dict[int, Quotation] = {}
    for step in path.steps if path else ():
        passage = by_chunk.get(step.chunk) if step.chunk is not None else None
        if passage is not None and passage.chunk.id not in known:
            span = step_span(step, passage, seen.edges)
            found.setdefault(passage.chunk.id, Quotation(passage, span, step.confidence))
    return list(found.values())


def evidence_sources(
    seen: Examination,
    path: Path | None,
    quoted: Sequence[Quotation],
    markers: Mapping[int, int],
) -> tuple[Source, ...]:
    """Return the sources of an answer that follows `path`."""
    paths = seen.paths if path is None else (path, *seen.paths)
    return cited_sources(quoted, markers, paths=paths)


def path_words(seen: Examination, path: Path | None, markers: Mapping[int, int]) -> tuple[str, ...]:
    """Return the path in words, nothing without one."""
    if path is None:
        return ()
    negated = [edge.id for edge in seen.edges.values() if edge.negated]
    return path_lines(path, markers, negated=negated)
