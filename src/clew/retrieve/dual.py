"""Mode `dual`: the chunk store and the graph store search by themselves, and their hits are fused.

Graph hits are projected to their evidence chunks first, so that both stores can agree. Then: fuse,
rerank across the stores, rank by evidence (guide, parts 3.1, 5.2 and 4.5).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clew.core.arrays import Hits
from clew.core.calibration import Calibration, PairKind
from clew.core.query import Query
from clew.core.results import Result, Retrieval
from clew.retrieve.cross_store_reranker import CrossStoreReranker
from clew.retrieve.distinct import distinct_hits
from clew.retrieve.evidence_ranking import rank_by_evidence
from clew.retrieve.fusion.strategies import FUSIONS
from clew.retrieve.graph_search import project_to_chunks, search_graph
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import prepare
from clew.retrieve.stopwatch import Stopwatch

POOL = 50
"""Hits of each store that enter the fusion, or `top_k` if that is more."""


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return passages on which both stores had their say, with paths and provenance."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    pool = max(POOL, query.top_k)
    near = _calibrated(
        parts.chunks.search_vector(
            query.collection,
            question.vector,
            limit=pool,
            filter=query.filter,
            principal=query.principal,
        ),
        parts.embedder.calibration,
    )
    watch.lap("vector")
    found = search_graph(question, parts=parts, watch=watch)
    projected, path_of = project_to_chunks(found.walked.chunks, found.context.paths)
    reached = Hits(projected.ids[:pool], projected.scores[:pool])
    fused = FUSIONS[query.fusion_strategy]([near, reached], weights=query.store_weights, limit=pool)
    wide = replace(query, top_k=pool)
    best = distinct_hits(wide, fused, chunks=parts.chunks)
    watch.lap("fuse")
    candidates = [
        replace(result, path=path_of.get(result.id))
        for result in read_passages(
            replace(question, query=wide),
            best.hits,
            found_by={"vector": near.ids, "graph": reached.ids},
            chunks=parts.chunks,
            calibration=parts.embedder.calibration,
        )
    ]
    watch.lap("read")
    reranker = CrossStoreReranker(
        collection=query.collection,
        embedder=parts.embedder,
        chunks=parts.chunks,
        graph=parts.graph,
        terms=parts.rerank_terms,
    )
    ranked = reranker.rerank_for(
        question.vector,
        [row for row in candidates if "vector" in row.signals],
        [row for row in candidates if "graph" in row.signals],
        top_k=pool,
    )
    watch.lap("rerank")
    documents = parts.chunks.documents(
        query.collection,
        ids=sorted({row.result.document for row in ranked}),
        principal=query.principal,
    )
    results = rank_by_evidence(
        ranked,
        confidence={row.id: row.score for row in candidates},
        documents={document.id: document for document in documents},
        now=query.temporal_at or parts.clock(),
        weights=parts.evidence,
    )
    watch.lap("evidence")
    return Retrieval(
        query,
        _with_fused_score(results, candidates)[: query.top_k],
        paths=found.context.paths,
        provenance=found.context.provenance,
        subgraph=found.context.subgraph,
        seed_fusion_stats=found.context.seeds.stats,
        pruning_stats=found.context.pruning_stats,
        timings=watch.timings(),
        suppressed=best.suppressed,
        partial=found.partial,
        notes=best.notes,
        temporal=question.constraint,
        refused=question.gate.refused(),
    )


def _calibrated(hits: Hits, calibration: Calibration) -> Hits:
    """Return hits on the calibrated scale, without those that are no nearer than unrelated text."""
    scores = calibration.apply(hits.scores, PairKind.QUESTION_PASSAGE)
    positive = scores > 0
    return Hits(hits.ids[positive], np.asarray(scores[positive], np.float32))


def _with_fused_score(results: list[Result], candidates: list[Result]) -> tuple[Result, ...]:
    fused = {row.id: row.score for row in candidates}
    return tuple(
        replace(row, score_parts={"fused": fused[row.id], **row.score_parts}) for row in results
    )
