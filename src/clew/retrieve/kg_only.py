"""Mode `kg_only`: pure graph traversal.

Seeds come from the nodes alone, and passages are ranked by a walk that starts at nodes and is
guided by the graph's structure, not by the passages' text.
"""

from __future__ import annotations

from clew.core.arrays import empty_hits
from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.graph_stages import build_context
from clew.retrieve.named_nodes import find_named_nodes
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import prepare
from clew.retrieve.restart import restart_at
from clew.retrieve.stopwatch import Stopwatch
from clew.retrieve.walk import walk


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the passages that the graph leads to, with paths and provenance."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap("embed")
    named = find_named_nodes(query, graph=parts.graph, chunks=parts.chunks)
    context = build_context(question, named, empty_hits(), parts=parts, watch=watch)
    walked = walk(
        question,
        restart_at(empty_hits(), named, context.seeds.fused, context.paths),
        None,
        chunks=parts.chunks,
        graph=parts.graph,
        settings=parts.walk,
    )
    watch.lap("walk")
    results = read_passages(
        question,
        walked.chunks,
        found_by={"graph": walked.chunks.ids},
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("read")
    return Retrieval(
        query,
        results,
        paths=context.paths,
        provenance=context.provenance,
        seed_fusion_stats=context.seeds.stats,
        timings=watch.timings(),
        partial=() if walked.complete else ("the walk reached its edge budget",),
    )
