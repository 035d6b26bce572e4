"""Anchors: the passages that answer the question best by themselves; the walk starts from them.

Vector and keyword scores are blended after each is scaled by its best (relative score fusion), and
the page of a thing that the question names gets a bonus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats, Hits, Ids, Matrix, empty_hits, top_hits
from clew.core.calibration import Calibration, PairKind
from clew.core.knowledge import PAGE_CONFIDENCE, EdgeType
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import EdgeFilter
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.question import Question

VECTOR_WEIGHT = 0.5
KEYWORD_WEIGHT = 0.3
PAGE_WEIGHT = 0.5

_VECTOR_POOL = 50
_KEYWORD_POOL = 200
_PAGE_LIMIT = 16


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well any passage fits the question, on the scale of the best passage.

    `best_similarity` is the calibrated cosine of the best passage, `keyword` the BM25 hits.
    """

    vector: Floats
    calibration: Calibration
    best_similarity: float
    keyword: Hits

    def similarity(self, vectors: Matrix) -> Floats:
        """Return calibrated cosines over the best passage's, at least 0, shape (n,)."""
        if not vectors.shape[1]:
            return np.zeros(len(vectors), np.float32)
        cosine = np.asarray(vectors @ self.vector, dtype=np.float32)
        calibrated = self.calibration.apply(cosine, PairKind.QUESTION_PASSAGE)
        return np.asarray(np.maximum(calibrated / self.best_similarity, 0.0), np.float32)

    def keyword_score(self, chunks: Ids) -> Floats:
        """Return BM25 over the best passage's, 0 outside the pool, shape (n,)."""
        scores = np.zeros(len(chunks), np.float32)
        if len(self.keyword.ids):
            order = np.argsort(self.keyword.ids)
            place = np.searchsorted(self.keyword.ids, chunks, sorter=order)
            row = order[np.minimum(place, len(order) - 1)]
            found = self.keyword.ids[row] == chunks
            scores[found] = self.keyword.scores[row[found]] / float(self.keyword.scores[0])
        return scores


@dataclass(frozen=True, slots=True)
class Anchors:
    """Ranked passages with what found them, and the relevance measure for others."""

    hits: Hits
    vector_hits: Hits
    relevance: Relevance


def find_anchors(
    question: Question,
    named: NamedNodes,
    *,
    chunks: ChunkStore,
    graph: GraphStore,
    calibration: Calibration,
) -> Anchors:
    """Return the passages that fit the question best by vector, keyword and named page."""
    query = question.query
    vector_hits = chunks.search_vector(
        query.collection,
        question.vector,
        limit=max(_VECTOR_POOL, query.top_k),
        filter=query.filter,
        principal=query.principal,
    )
    keyword_hits = chunks.search_text(
        query.collection,
        query.text,
        limit=max(_KEYWORD_POOL, query.top_k),
        filter=query.filter,
        principal=query.principal,
    )
    relevance = Relevance(
        question.vector,
        calibration,
        _best_similarity(vector_hits, calibration),
        keyword_hits,
    )
    pages = _pages(question, named, graph=graph)
    pool = np.unique(np.concatenate([vector_hits.ids, keyword_hits.ids[:_VECTOR_POOL], pages.ids]))
    if not len(pool):
        return Anchors(empty_hits(), vector_hits, relevance)
    vectors = chunks.vectors(query.collection, pool)
    scores = (
        VECTOR_WEIGHT * relevance.similarity(vectors)
        + KEYWORD_WEIGHT * relevance.keyword_score(pool)
        + PAGE_WEIGHT * _lookup(pages, pool)
    )
    return Anchors(top_hits(pool, scores.astype(np.float32), len(pool)), vector_hits, relevance)


def _best_similarity(hits: Hits, calibration: Calibration) -> float:
    if not len(hits.ids):
        return 1.0
    best = float(calibration.apply(hits.scores[:1], PairKind.QUESTION_PASSAGE)[0])
    return max(best, 1e-3)


def _pages(question: Question, named: NamedNodes, *, graph: GraphStore) -> Hits:
    """Return the pages of named nodes; a name of n pages gives each 1 / sqrt(n)."""
    query = question.query
    edges = graph.expand(
        query.collection,
        named.ids,
        edge_filter=EdgeFilter(
            kinds=frozenset({EdgeType.MENTIONS}), minimum_confidence=PAGE_CONFIDENCE
        ),
        limit=_PAGE_LIMIT,
        filter=query.filter,
        principal=query.principal,
    )
    if not len(edges.target):
        return empty_hits()
    _, row, count = np.unique(edges.source, return_inverse=True, return_counts=True)
    share = (1.0 / np.sqrt(count))[row].astype(np.float32)
    order = np.lexsort((-share, edges.target))
    ids, first = np.unique(edges.target[order], return_index=True)
    return Hits(ids, share[order][first])


def _lookup(hits: Hits, ids: Ids) -> Floats:
    scores = np.zeros(len(ids), np.float32)
    if len(hits.ids):
        place = np.minimum(np.searchsorted(hits.ids, ids), len(hits.ids) - 1)
        found = hits.ids[place] == ids
        scores[found] = hits.scores[place[found]]
    return scores
