"""Mode `kg_only`: pure graph traversal.

Seeds come from the nodes alone, and passages are ranked by a walk that starts at nodes and is
guided by the graph's structure, not by the passages' text.
"""

from __future__ import annotations

from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.distinct import distinct_hits
from clew.retrieve.graph_search import search_graph
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import prepare
from clew.retrieve.stopwatch import Stopwatch


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the passages that the graph leads to, with paths and provenance."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    found = search_graph(question, parts=parts, watch=watch)
    best = distinct_hits(query, found.walked.chunks, chunks=parts.chunks)
    results = read_passages(
        question,
        best.hits,
        found_by={"graph": found.walked.chunks.ids},
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("read")
    return Retrieval(
        query,
        results,
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
