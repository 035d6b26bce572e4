"""Summaries of communities that bear on a question, by calibrated cosine."""

from __future__ import annotations

import numpy as np

from clew.core.arrays import Floats, Hits
from clew.core.calibration import PairKind
from clew.core.knowledge import Community
from clew.core.results import RankedCommunity
from clew.retrieve.parts import Parts
from clew.retrieve.question import Question


def find_communities(
    question: Question, *, level: int | None, limit: int, parts: Parts
) -> tuple[RankedCommunity, ...]:
    """Return the `limit` nearest summaries in scope, each thing told once.

    Of what several acls' readers are told about one community, the nearest counts for whoever may
    see more than one; and of a community and its parts, which share sentences, the nearest too.
    """
    fetch = 2 * limit
    while True:
        hits = _search(question, level=level, limit=fetch, parts=parts)
        told = _told_once(hits, _by_id(question, hits, parts))
        if len(told) >= limit or len(hits.ids) < fetch:
            break
        fetch *= 2
    calibrated = parts.embedder.calibration.apply(
        np.array([score for _, score in told], np.float32), PairKind.QUESTION_PASSAGE
    )
    return tuple(
        RankedCommunity(community, score, similarity=similarity, calibrated=score)
        for (community, similarity), score in zip(
            told[:limit], calibrated.tolist()[:limit], strict=True
        )
    )


def _search(question: Question, *, level: int | None, limit: int, parts: Parts) -> Hits:
    query = question.query
    vector: Floats = question.vector
    return parts.graph.search_communities(
        query.collection,
        vector,
        limit=limit,
        level=level,
        filter=query.filter,
        principal=query.principal,
    )


def _by_id(question: Question, hits: Hits, parts: Parts) -> dict[int, Community]:
    query = question.query
    found = parts.graph.communities(
        query.collection, ids=hits.ids.tolist(), principal=query.principal
    )
    return {community.id: community for community in found}


def _told_once(hits: Hits, known: dict[int, Community]) -> list[tuple[Community, float]]:
    taken: set[str] = set()
    above: set[str] = set()
    told: list[tuple[Community, float]] = []
    for identifier, score in zip(hits.ids.tolist(), hits.scores.tolist(), strict=True):
        community = known.get(identifier)
        if community is None:
            continue
        lineage = _lineage(community.path)
        if community.path not in above and taken.isdisjoint(lineage):
            taken.add(community.path)
            above.update(lineage)
            told.append((community, score))
    return told


def _lineage(path: str) -> list[str]:
    """Return the paths of a community and of those that it is part of."""
    parts = path.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]
