"""Presets `paper_v1` and `paper_v2`: the paper's two retrieval pipelines.

The paper reranks with a cross-encoder; any `Reranker` serves, and without one the order is that of
calibrated cosines. Its vectors are those of the collection: `paper_v1` embeds bare text where the
collection was made with `chunking.preset = "paper_v1"`, all others with the title.
"""

from __future__ import annotations

from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.community import nearest_passages, search_both
from clew.retrieve.one_list import rank_together
from clew.retrieve.parts import Parts
from clew.retrieve.question import prepare
from clew.retrieve.stopwatch import Stopwatch

CANDIDATES = 10
"""Passages of least Euclidean distance (section 3.1.1). Vectors have length 1, and
|a - b|^2 = 2 - 2 cos(a, b), so that these are the ones of highest cosine."""


def retrieve_v1(query: Query, *, parts: Parts) -> Retrieval:
    """Return the best `top_k` (2) of ten passages, reranked by their bare text."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    limit = max(CANDIDATES, query.top_k)
    passages = nearest_passages(question, limit=limit, parts=parts)
    watch.lap("search")
    best = rank_together(query, passages, (), titles=False, parts=parts)
    watch.lap("rerank")
    return Retrieval(query, best.results, timings=watch.timings())


def retrieve_v2(query: Query, *, parts: Parts) -> Retrieval:
    """Return the best `top_k` (5) of ten passages with their titles and ten summaries."""
    return search_both(query, candidates=max(CANDIDATES, query.top_k), parts=parts)
