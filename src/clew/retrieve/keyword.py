"""Mode `keyword`: passages by BM25. The question is not embedded: results have no similarity."""

from __future__ import annotations

from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.distinct import search_distinct
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_results
from clew.retrieve.stopwatch import Stopwatch


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the passages that share the question's rarest words."""
    watch = Stopwatch()
    found = search_distinct(
        query,
        lambda limit: parts.chunks.search_text(
            query.collection,
            query.text,
            limit=limit,
            filter=query.filter,
            principal=query.principal,
        ),
        chunks=parts.chunks,
    )
    watch.lap("search")
    results = read_results(
        query, found.hits, found_by={"keyword": found.hits.ids}, chunks=parts.chunks
    )
    watch.lap("read")
    return Retrieval(
        query,
        results,
        timings={"embed": 0.0, **watch.timings()},
        suppressed=found.suppressed,
        notes=found.notes,
    )
