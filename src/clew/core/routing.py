"""What the router of mode `adaptive` decided, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clew.core.query import FusionMode, RetrievalMode


class QuestionShape(StrEnum):
    """What a question needs: one passage, several that are joined, or a view of the whole."""

    SINGLE = "single"
    MULTI = "multi"
    OVERVIEW = "overview"


@dataclass(frozen=True, slots=True)
class Routing:
    """The mode that ran and why. `confidence` (0..1) is that of `shape`.

    `fusion_mode` and `max_hops` are the router's advice (None: none). `expected_ms` is what the
    mode is expected to cost; `within_budget` False means that no mode was expected to keep to
    `latency_budget_ms`, and the cheapest one ran.
    """

    mode: RetrievalMode
    reason: str
    confidence: float
    shape: QuestionShape
    expected_ms: float
    fusion_mode: FusionMode | None = None
    max_hops: int | None = None
    latency_budget_ms: int | None = None
    within_budget: bool = True
