"""Mode `vector_only`: passages by cosine to the question (flat vector retrieval)."""

from __future__ import annotations

from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import prepare
from clew.retrieve.stopwatch import Stopwatch


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the nearest passages."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap("embed")
    hits = parts.chunks.search_vector(
        query.collection,
        question.vector,
        limit=query.top_k,
        filter=query.filter,
        principal=query.principal,
    )
    watch.lap("search")
    results = read_passages(
        question,
        hits,
        found_by={"vector": hits.ids},
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("read")
    return Retrieval(query, results, timings=watch.timings())
