"""What learning reads and writes: outcomes and profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from clew.core.query import RetrievalMode


@dataclass(frozen=True, slots=True)
class Outcome:
    """A query, what each source contributed (shares, 0..1) and the feedback score (0..1)."""

    id: int
    question: str
    query_type: str
    mode: RetrievalMode
    contributions: Mapping[str, float]
    feedback_score: float | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """Named, persisted retrieval settings of a collection, with the figures that chose them."""

    name: str
    parameters: Mapping[str, float | int | str | bool]
    metrics: Mapping[str, float]
    created_at: datetime
