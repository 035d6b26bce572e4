"""Reranking across stores (guide, part 5.2): coherence between what the stores found.

score = .6 similarity + .15 if both stores found it + .25 path coherence - novelty penalty, where
similarity is the calibrated cosine to the question, path coherence the mean calibrated similarity of
neighbouring nodes of the result's path times the mean confidence of its edges, and the penalty .1
times how far the nearest result chosen before exceeds a similarity of .8, scaled to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.core.arrays import Floats, Ids, Matrix
from clew.core.calibration import Calibration, PairKind
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.results import Path, PathStep, RankedResult, Result
from clew.retrieve.duplicates import content_signature


@dataclass(frozen=True, slots=True)
class RerankTerms:
    """Weights of the terms, and the similarity from which a result is redundant."""

    similarity: float = 0.6
    agreement: float = 0.15
    coherence: float = 0.25
    novelty: float = 0.1
    redundant_from: float = 0.8


class CrossStoreReranker:
    """Reranks what two stores found. Vectors come from the stores: only the question is embedded."""

    def __init__(
        self,
        *,
        collection: str,
        embedder: Embedder,
        chunks: ChunkStore,
        graph: GraphStore,
        terms: RerankTerms | None = None,
    ) -> None:
        self._collection = collection
        self._embedder = embedder
        self._chunks = chunks
        self._graph = graph
        self._terms = terms or RerankTerms()

    def rerank(
        self,
        query: str,
        vector_results: Sequence[Result],
        kg_results: Sequence[Result],
        top_k: int = 10,
    ) -> list[RankedResult]:
        """Return the best of both, best first; a text that an earlier result has is left out.

        What both hold counts once, with the path of the graph's. Each result's `score_parts` name
        the terms.
        """
        vector = self._embedder.embed_questions([query])[0]
        return self.rerank_for(vector, vector_results, kg_results, top_k=top_k)

    def rerank_for(
        self,
        question: Floats,
        vector_results: Sequence[Result],
        kg_results: Sequence[Result],
        *,
        top_k: int,
    ) -> list[RankedResult]:
        """Return what `rerank` does for a question that is embedded already."""
        results = _distinct(vector_results, kg_results)
        if not results:
            return []
        both = {row.id for row in vector_results} & {row.id for row in kg_results}
        vectors = self._chunks.vectors(
            self._collection, np.array([result.id for result in results], np.int64)
        )
        calibration = self._embedder.calibration
        similarity = _similarity(vectors, question, calibration, PairKind.QUESTION_PASSAGE)
        agreement = np.array([result.id in both for result in results], np.float32)
        coherence = self._coherence(results)
        terms = self._terms
        base = (
            terms.similarity * similarity
            + terms.agreement * agreement
            + terms.coherence * coherence
        )
        redundancy = _between(vectors, calibration)
        parts = [
            {"similarity": near, "agreement": agreed, "path_coherence": coherent}
            for near, agreed, coherent in zip(
                similarity.tolist(), agreement.tolist(), coherence.tolist(), strict=True
            )
        ]
        return [
            RankedResult(
                replace(
                    results[row],
                    score_parts={
                        **results[row].score_parts,
                        **parts[row],
                        "novelty_penalty": penalty,
                    },
                ),
                float(base[row]) - penalty,
            )
            for row, penalty in novel_first(base, redundancy, terms=terms, limit=top_k)
        ]

    def _coherence(self, results: Sequence[Result]) -> Floats:
        """Return the path coherence of each result, 0 without a path, shape (n,)."""
        paths = [result.path for result in results]
        nodes = np.array(
            sorted({end for path in paths if path for step in path.steps for end in _ends(step)}),
            np.int64,
        )
        if not len(nodes):
            return np.zeros(len(results), np.float32)
        vectors = self._graph.node_vectors(self._collection, nodes)
        calibration = self._embedder.calibration
        return np.array(
            [path_coherence(path, nodes, vectors, calibration) if path else 0.0 for path in paths],
            np.float32,
        )


def path_coherence(path: Path, nodes: Ids, vectors: Matrix, calibration: Calibration) -> float:
    """Return the mean similarity of neighbouring nodes times the mean confidence of the edges.

    `nodes` is sorted and holds those of the path; `vectors` are theirs. A node without a vector is
    like nothing.
    """
    if not path.steps or not vectors.shape[1]:
        return 0.0
    rows = np.searchsorted(nodes, [[step.source, step.target] for step in path.steps])
    first, second = vectors[rows[:, 0]], vectors[rows[:, 1]]
    cosine = np.asarray(np.einsum("ij,ij->i", first, second), np.float32)
    near = np.clip(calibration.apply(cosine, PairKind.QUESTION_NODE), 0.0, 1.0)
    near = np.where(first.any(axis=1) & second.any(axis=1), near, 0.0)
    return float(near.mean() * np.mean([step.confidence for step in path.steps]))


def novel_first(
    base: Floats, redundancy: Matrix, *, terms: RerankTerms, limit: int
) -> list[tuple[int, float]]:
    """Return (row, penalty) greedily: each time the best row after its penalty, ties by row.

    `redundancy` has shape (n, n): the similarity of each two results.
    """
    nearest = np.full(len(base), -np.inf, np.float32)
    open_rows = np.ones(len(base), np.bool_)
    room = 1.0 - terms.redundant_from
    chosen: list[tuple[int, float]] = []
    for _ in range(min(limit, len(base))):
        excess = np.clip((nearest - terms.redundant_from) / room, 0.0, 1.0)
        penalty = terms.novelty * excess
        row = int(np.argmax(np.where(open_rows, base - penalty, -np.inf)))
        chosen.append((row, float(penalty[row])))
        open_rows[row] = False
        nearest = np.maximum(nearest, redundancy[row])
    return chosen


def _distinct(vector_results: Sequence[Result], kg_results: Sequence[Result]) -> list[Result]:
    """Return each result once, in order of first appearance, texts that repeat left out."""
    found: dict[int, Result] = {}
    texts: set[tuple[str, ...]] = set()
    for result in (*vector_results, *kg_results):
        known = found.get(result.id)
        if known is not None:
            found[result.id] = _joined(known, result)
            continue
        signature = content_signature(result.content) or (result.content,)
        if signature not in texts:
            texts.add(signature)
            found[result.id] = result
    return list(found.values())


def _joined(first: Result, second: Result) -> Result:
    return replace(
        first,
        path=first.path or second.path,
        signals=tuple(dict.fromkeys((*first.signals, *second.signals))),
        score_parts={**second.score_parts, **first.score_parts},
    )


def _ends(step: PathStep) -> tuple[int, int]:
    return step.source, step.target


def _similarity(
    vectors: Matrix, question: Floats, calibration: Calibration, kind: PairKind
) -> Floats:
    """Return calibrated cosines within 0..1; a passage without a vector has 0."""
    if not vectors.shape[1]:
        return np.zeros(len(vectors), np.float32)
    cosine = np.asarray(vectors @ question, np.float32)
    near = np.clip(calibration.apply(cosine, kind), 0.0, 1.0)
    return np.where(vectors.any(axis=1), near, 0.0).astype(np.float32)


def _between(vectors: Matrix, calibration: Calibration) -> Matrix:
    if not vectors.shape[1]:
        return np.zeros((len(vectors), len(vectors)), np.float32)
    cosine = np.asarray(vectors @ vectors.T, np.float32)
    return calibration.apply(cosine, PairKind.QUESTION_PASSAGE)
