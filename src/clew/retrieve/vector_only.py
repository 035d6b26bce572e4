"""Mode `vector_only`: passages by cosine to the question (flat vector retrieval)."""

from __future__ import annotations

from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.distinct import search_distinct
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import prepare
from clew.retrieve.stopwatch import Stopwatch


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the nearest passages."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    found = search_distinct(
        query,
        lambda limit: parts.chunks.search_vector(
            query.collection,
            question.vector,
            limit=limit,
            filter=query.filter,
            principal=query.principal,
        ),
        chunks=parts.chunks,
    )
    watch.lap("search")
    results = read_passages(
        question,
        found.hits,
        found_by={"vector": found.hits.ids},
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("read")
    return Retrieval(
        query,
        results,
        timings=watch.timings(),
        suppressed=found.suppressed,
        notes=found.notes,
    )
