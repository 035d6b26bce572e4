"""Mode `hybrid`: the hybrid guide's four stages, ending in passages ranked by a guided walk.

Seeds are fused from five signals, expanded along edges that stay near the question, and the paths
to what they reach are scored. Passages are then ranked by personalised PageRank that starts at the
best passages, the named things, the seeds and the ends of good paths, and prefers what fits the
question at every step. The best of them are put in order one after another, each by what those
chosen before it leave open and lead to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Hits
from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.anchors import Anchors, find_anchors
from clew.retrieve.connections import find_leads
from clew.retrieve.distinct import distinct_hits
from clew.retrieve.expansion import NO_EXPANSION
from clew.retrieve.graph_stages import GraphContext, build_context
from clew.retrieve.last_ordering import gather_pool, put_in_order
from clew.retrieve.named_nodes import NamedNodes, find_named_nodes
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.paths import joined_paths, score_paths
from clew.retrieve.question import Question, prepare
from clew.retrieve.restart import restart_at
from clew.retrieve.stopwatch import Stopwatch
from clew.retrieve.temporal_preference import prefer_fitting
from clew.retrieve.walk import WalkResult, walk


@dataclass(frozen=True, slots=True)
class Found:
    """What the stages found, before the last ordering; `ranked` holds every passage."""

    named: NamedNodes
    anchors: Anchors
    context: GraphContext
    walked: WalkResult
    ranked: Hits


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return passages, paths and provenance."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    found = find(question, parts=parts, watch=watch)
    anchors, context, walked = found.anchors, found.context, found.walked
    leads = score_paths(
        query,
        question.terms,
        NO_EXPANSION,
        find_leads(question, found.named, walked.nodes.ids, graph=parts.graph),
        graph=parts.graph,
        chunks=parts.chunks,
        strong_relations=parts.strong_relations,
    )
    watch.lap("leads")
    ordered = _ordered(question, found, parts)
    watch.lap("order")
    best = distinct_hits(query, ordered, chunks=parts.chunks)
    results = read_passages(
        question,
        best.hits,
        found_by={
            "vector": anchors.vector_hits.ids[: query.top_k],
            "keyword": anchors.relevance.keyword.ids[: query.top_k],
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


def find(question: Question, *, parts: Parts, watch: Stopwatch) -> Found:
    """Return what the four stages find."""
    query = question.query
    named = find_named_nodes(query, graph=parts.graph)
    anchors = find_anchors(
        question,
        named,
        chunks=parts.chunks,
        graph=parts.graph,
        calibration=parts.embedder.calibration,
    )
    watch.lap("anchors")
    context = build_context(question, named, anchors.relevance.keyword, parts=parts, watch=watch)
    walked = walk(
        question,
        restart_at(anchors.hits, named, context.seeds.fused, context.paths),
        anchors.relevance,
        chunks=parts.chunks,
        graph=parts.graph,
        settings=parts.walk,
    )
    watch.lap("walk")
    return Found(named, anchors, context, walked, walked_first(walked.chunks, anchors.hits))


def _ordered(question: Question, found: Found, parts: Parts) -> Hits:
    """Return the best passages in their last order: by the time that the question asks about, else
    one after another."""
    if question.constraint.views:
        return prefer_fitting(question, found.ranked, chunks=parts.chunks)
    pool = gather_pool(
        question,
        found.ranked,
        found.anchors,
        found.named,
        chunks=parts.chunks,
        graph=parts.graph,
    )
    return put_in_order(found.ranked, pool)


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
