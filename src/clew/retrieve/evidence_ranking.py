"""Evidence-based ranking (guide, part 4.5): what is similar, recent, authoritative and sure first.

final = .4 similarity + .2 recency + .2 authority + .2 confidence by default, each part in 0..1.
Recency halves every 365 days; a missing date or authority counts .5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from math import isfinite

from clew.core.documents import Document
from clew.core.errors import QueryError
from clew.core.results import RankedResult, Result

UNKNOWN = 0.5
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class EvidenceWeights:
    """Weights of the parts and the half-life of recency in days.

    Raises:
        QueryError: a weight is negative, all are 0, or the half-life is not positive.
    """

    similarity: float = 0.4
    recency: float = 0.2
    authority: float = 0.2
    confidence: float = 0.2
    half_life_days: float = 365.0

    def __post_init__(self) -> None:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        half_life = values.pop("half_life_days")
        wrong = [name for name, value in values.items() if not isfinite(value) or value < 0]
        if wrong:
            raise QueryError(
                f"the evidence weight {wrong[0]} is {values[wrong[0]]}; give 0 or more"
            )
        if not any(values.values()):
            raise QueryError("all evidence weights are 0; give one of them a weight")
        if not half_life > 0:
            raise QueryError(f"the half-life of recency is {half_life} days; give more than 0")


DEFAULT_WEIGHTS = EvidenceWeights()


@dataclass(frozen=True, slots=True)
class EvidenceParts:
    """What a final score is made of, each in 0..1."""

    similarity: float
    recency: float
    authority: float
    confidence: float


def compute_final_score(parts: EvidenceParts, weights: EvidenceWeights = DEFAULT_WEIGHTS) -> float:
    """Return the weighted sum of the parts, divided by the sum of the weights."""
    names = [field.name for field in fields(parts)]
    total = sum(getattr(weights, name) for name in names)
    weighted = sum(getattr(weights, name) * getattr(parts, name) for name in names)
    return float(weighted / total)


def recency_weight(
    published_at: datetime | None, *, now: datetime, half_life_days: float = 365.0
) -> float:
    """Return 2^(-age / half-life) with the age in whole days; .5 without a date.

    What is dated after `now` counts as new. A date without a zone is UTC.
    """
    if published_at is None:
        return UNKNOWN
    age = (_in_utc(now) - _in_utc(published_at)).total_seconds() // _SECONDS_A_DAY
    return float(2.0 ** (-max(age, 0.0) / half_life_days))


def rank_by_evidence(
    ranked: Sequence[RankedResult],
    *,
    confidence: Mapping[int, float],
    documents: Mapping[int, Document],
    now: datetime,
    weights: EvidenceWeights = DEFAULT_WEIGHTS,
) -> list[Result]:
    """Return the results by final score, ties in the order given, each with its parts.

    The similarity part is the reranker's score, kept within 0..1; `confidence` says by result how
    sure retrieval is of it.
    """
    scored = [
        _scored(row, confidence.get(row.result.id, 0.0), documents, now, weights) for row in ranked
    ]
    return sorted(scored, key=lambda result: -result.score)


def _scored(
    row: RankedResult,
    confidence: float,
    documents: Mapping[int, Document],
    now: datetime,
    weights: EvidenceWeights,
) -> Result:
    document = documents.get(row.result.document)
    authority = document.authority if document is not None else None
    parts = EvidenceParts(
        similarity=min(max(row.score, 0.0), 1.0),
        recency=recency_weight(
            document.published_at if document is not None else None,
            now=now,
            half_life_days=weights.half_life_days,
        ),
        authority=UNKNOWN if authority is None else authority,
        confidence=min(max(confidence, 0.0), 1.0),
    )
    shown = {f"evidence_{field.name}": getattr(parts, field.name) for field in fields(parts)}
    return replace(
        row.result,
        score=compute_final_score(parts, weights),
        score_parts={**row.result.score_parts, **shown},
    )


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
