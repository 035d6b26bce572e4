"""Mode `community`: passages and summaries of communities, searched side by side, in one list."""

from __future__ import annotations

from dataclasses import replace

from clew.core.query import Query
from clew.core.results import Result, Retrieval
from clew.retrieve.communities import find_communities
from clew.retrieve.one_list import rank_together
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import Question, prepare
from clew.retrieve.stopwatch import Stopwatch


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the nearest passages and summaries, `top_k` together."""
    return search_both(query, candidates=query.top_k, parts=parts)


def search_both(query: Query, *, candidates: int, parts: Parts) -> Retrieval:
    """Return the best `top_k` of as many as `candidates` passages and as many summaries."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    passages = nearest_passages(question, limit=candidates, parts=parts)
    watch.lap("search")
    communities = find_communities(
        question, level=query.community_level, limit=candidates, parts=parts
    )
    watch.lap("communities")
    best = rank_together(query, passages, communities, titles=True, parts=parts)
    watch.lap("rerank")
    return Retrieval(query, best.results, communities=best.communities, timings=watch.timings())


def nearest_passages(question: Question, *, limit: int, parts: Parts) -> tuple[Result, ...]:
    """Return the passages of highest cosine in scope."""
    query = question.query
    hits = parts.chunks.search_vector(
        query.collection,
        question.vector,
        limit=limit,
        filter=query.filter,
        principal=query.principal,
    )
    return read_passages(
        replace(question, query=replace(query, top_k=limit)),
        hits,
        found_by={"vector": hits.ids},
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
