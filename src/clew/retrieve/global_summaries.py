"""Mode `global`: the summaries of one level, mapped over the question (paper, section 2).

The map step scores every summary in scope; the answerer reduces what the best of them say to one
answer. A question that asks for an overview takes the largest communities instead, since no
summary is nearer to "What are the main themes?" than another.
"""

from __future__ import annotations

import numpy as np

from clew.core.arrays import Hits
from clew.core.query import Query
from clew.core.results import RankedCommunity, Retrieval
from clew.retrieve.communities import find_communities
from clew.retrieve.parts import Parts
from clew.retrieve.passages import read_passages
from clew.retrieve.question import Question, prepare
from clew.retrieve.stopwatch import Stopwatch
from clew.text.overview_words import asks_for_overview

COARSEST = 0
_EVERY = 1_000_000


def retrieve(query: Query, *, parts: Parts) -> Retrieval:
    """Return the `top_k` best summaries of a level and the passages that they rest on."""
    watch = Stopwatch()
    question = prepare(query, parts.embedder)
    watch.lap_embedding(question.embed_ms)
    communities = _mapped(question, parts)
    watch.lap("communities")
    behind = _passages_behind(communities)
    results = read_passages(
        question,
        behind,
        found_by={"community": behind.ids},
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("read")
    return Retrieval(query, results, communities=communities, timings=watch.timings())


def _mapped(question: Question, parts: Parts) -> tuple[RankedCommunity, ...]:
    query = question.query
    level = COARSEST if query.community_level is None else query.community_level
    if not asks_for_overview(query.text):
        return find_communities(question, level=level, limit=query.top_k, parts=parts)
    every = find_communities(question, level=level, limit=_EVERY, parts=parts)
    members = sum(len(one.community.members) for one in every)
    largest = sorted(every, key=lambda one: (-len(one.community.members), one.community.path))
    return tuple(
        RankedCommunity(
            one.community,
            len(one.community.members) / members,
            similarity=one.similarity,
            calibrated=one.calibrated,
        )
        for one in largest[: query.top_k]
    )


def _passages_behind(communities: tuple[RankedCommunity, ...]) -> Hits:
    """Return the chunks of the summaries' sentences, each with its best community's score."""
    scores: dict[int, float] = {}
    for one in communities:
        for evidence in one.community.evidence:
            scores.setdefault(evidence.chunk, one.score)
    return Hits(
        np.fromiter(scores, np.int64, len(scores)),
        np.fromiter(scores.values(), np.float32, len(scores)),
    )
