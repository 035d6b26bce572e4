"""Types of causal reasoning (guide, part 3.3) and of the tables it computes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class CausalQueryType(StrEnum):
    """The guide's ten types of causal question."""

    CAUSE_ATTRIBUTION = "cause_attribution"
    COUNTERFACTUAL = "counterfactual"
    INTERVENTION = "intervention"
    MEDIATION = "mediation"
    EFFECT_PREDICTION = "effect_prediction"
    CAUSAL_DISCOVERY = "causal_discovery"
    ATE_ESTIMATION = "ate_estimation"
    CATE_ESTIMATION = "cate_estimation"
    MECHANISM_EXPLANATION = "mechanism_explanation"
    TEMPORAL_CAUSATION = "temporal_causation"


class ExpertCell(StrEnum):
    """The guide's expert cells; the boss agent is the fallback."""

    CELL_03 = "cell03"
    CELL_05 = "cell05"
    CELL_13 = "cell13"
    CELL_23 = "cell23"
    BOSS_AGENT = "boss_agent"


class CausalGuard(StrEnum):
    """What becomes of a CAUSES edge that fails a check (guide, part 4, causal guardrails):
    `STRICT` leaves it out, `WARN` follows and reports it, `OFF` checks nothing."""

    STRICT = "strict"
    WARN = "warn"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class CausalRefusal:
    """A CAUSES edge that failed the guard, with every reason; `followed` True: it was used anyway,
    since the guard only warns."""

    edge: int
    source: int
    target: int
    relation: str
    reasons: tuple[str, ...]
    followed: bool


@dataclass(frozen=True, slots=True)
class ClassificationResult:
    """Type of a question with the classifier's confidence (0..1); None: not causal."""

    query_type: CausalQueryType | None
    confidence: float
    stage: str


@dataclass(frozen=True, slots=True)
class Observation:
    """A table row at a time; `values` are by METRIC node id."""

    id: int
    at: datetime | None
    values: Mapping[int, float]
    document: int | None = None


@dataclass(frozen=True, slots=True)
class CausalFinding:
    """A cell's statement with its standing in words: reported, assumed, identified, estimated
    or refuted. `interval` is the confidence interval of `estimate`."""

    cell: ExpertCell
    statement: str
    standing: str
    estimate: float | None = None
    interval: tuple[float, float] | None = None
    assumptions: tuple[str, ...] = ()
    adjustment_set: tuple[int, ...] = ()
    edges: tuple[int, ...] = ()
