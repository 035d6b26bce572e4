"""Feedback on what was found: kept as outcomes, from which learning starts."""

from __future__ import annotations

import secrets
from collections import defaultdict
from datetime import datetime

from clew.core.errors import QueryError
from clew.core.learning import Outcome
from clew.core.ports import Store
from clew.core.query import Query, RetrievalMode
from clew.core.results import Answer, Result, Retrieval
from clew.retrieve.routing import route


def keep_feedback(
    store: Store,
    collection: str,
    found: Retrieval | Answer,
    score: float,
    *,
    outcome: int | None,
    at: datetime,
) -> Outcome:
    """Keep what somebody thought of an answer, in the place of `outcome` if that is given.

    Raises:
        QueryError: the score does not lie in 0..1.
    """
    if not 0.0 <= score <= 1.0:
        raise QueryError(f"the score is {score}; it must lie in 0..1")
    retrieval = found.retrieval if isinstance(found, Answer) else found
    kept = Outcome(
        id=secrets.randbits(63) if outcome is None else outcome,
        question=retrieval.query.text,
        query_type=query_type_of(retrieval),
        mode=retrieval.query.mode,
        contributions=contributions_of(retrieval.results),
        feedback_score=score,
        recorded_at=at,
    )
    store.record_outcome(collection, kept)
    return kept


def contributions_of(results: tuple[Result, ...]) -> dict[str, float]:
    """Return the share of each signal: a passage counts once, in equal parts for what found it."""
    parts: defaultdict[str, float] = defaultdict(float)
    for result in results:
        for signal in result.signals:
            parts[signal] += 1.0 / len(result.signals)
    whole = sum(parts.values())
    return {signal: part / whole for signal, part in sorted(parts.items())} if whole else {}


def query_type_of(retrieval: Retrieval) -> str:
    """Return the shape of the question, as the router of mode `adaptive` reads it."""
    if retrieval.routing is not None:
        return retrieval.routing.shape.value
    query = Query(retrieval.query.text)
    return route(query, available=tuple(RetrievalMode), expected_ms=lambda _: 0.0).shape.value
