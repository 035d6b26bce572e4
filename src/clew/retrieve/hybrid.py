"""Mode `hybrid`: the hybrid guide's four stages, ending in passages ranked by a guided walk.

Seeds are fused from five signals, expanded along edges that stay near the question, and the paths
to what they reach are scored. Passages are then ranked by personalised PageRank that starts at the
best passages, the named things, the seeds and the ends of good paths, and prefers what fits the
question at every step. The best of them are put in order as a set that covers the question.
"""

from __future__ import annotations

import numpy as np

from clew.core.arrays import Hits
from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.anchors import find_anchors
from clew.retrieve.connections import find_leads
from clew.retrieve.covering import covered
from clew.retrieve.distinct import distinct_hits
from clew.retrieve.expansion import NO_EXPANSION
from clew.retrieve.graph_stages import build_context
from clew.retrieve.named_nodes import find_named_nodes
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.paths import joined_paths, score_paths
from clew.retrieve.question import Question, prepare
from clew.retrieve.restart import restart_at
from clew.retrieve.stopwatch import Stopwatch
from clew.retrieve.temporal_preference import prefer_fitting
from clew.retrieve.walk import walk


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return passages, paths and provenance."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap("embed")
    named = find_named_nodes(query, graph=parts.graph)
    anchors = find_anchors(
        question,
        named,
        chunks=parts.chunks,
        graph=parts.graph,
        calibration=parts.embedder.calibration,
    )
    watch.lap("anchors")
    keyword_hits = anchors.relevance.keyword
    context = build_context(question, named, keyword_hits, parts=parts, watch=watch)
    walked = walk(
        question,
        restart_at(anchors.hits, named, context.seeds.fused, context.paths),
        anchors.relevance,
        chunks=parts.chunks,
        graph=parts.graph,
        settings=parts.walk,
    )
    watch.lap("walk")
    leads = score_paths(
        query,
        question.terms,
        NO_EXPANSION,
        find_leads(question, named, walked.nodes.ids, graph=parts.graph),
        graph=parts.graph,
        chunks=parts.chunks,
        strong_relations=parts.strong_relations,
    )
    watch.lap("leads")
    ranked = _ordered(question, walked_first(walked.chunks, anchors.hits), parts)
    watch.lap("cover")
    best = distinct_hits(query, ranked, chunks=parts.chunks)
    results = read_passages(
        question,
        best.hits,
        found_by={
            "vector": anchors.vector_hits.ids[: query.top_k],
            "keyword": keyword_hits.ids[: query.top_k],
            "graph": walked.chunks.ids,
        },
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("read")
    return Retrieval(
        query,
        results,
        paths=joined_paths(context.paths, leads) if leads else context.paths,
        provenance=context.provenance,
        subgraph=context.subgraph,
        seed_fusion_stats=context.seeds.stats,
        pruning_stats=context.pruning_stats,
        timings=watch.timings(),
        suppressed=best.suppressed,
        partial=(*context.partial, *walked.partial),
        notes=best.notes,
        temporal=question.constraint,
        refused=question.gate.refused(),
    )


def _ordered(question: Question, ranked: Hits, parts: Parts) -> Hits:
    """Return the best passages in their last order: by the time that the question asks about, else
    as a set that covers it."""
    if question.constraint.views:
        return prefer_fitting(question, ranked, chunks=parts.chunks)
    return covered(question, ranked, chunks=parts.chunks, calibration=parts.embedder.calibration)


def walked_first(walked: Hits, anchors: Hits) -> Hits:
    """Return what the walk ranked, then the anchors that it did not reach, below all others."""
    rest = ~np.isin(anchors.ids, walked.ids)
    floor = float(walked.scores[-1]) if len(walked.ids) else 1.0
    best = float(anchors.scores[0]) if len(anchors.ids) else 1.0
    return Hits(
        np.concatenate([walked.ids, anchors.ids[rest]]),
        np.concatenate(
            [walked.scores, (anchors.scores[rest] * floor / max(best, 1e-9)).astype(np.float32)]
        ),
    )
