"""Questions, filters and the parameters of retrieval, validated on construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import isfinite
from typing import TypeAlias

from clew.core.causality import CausalGuard
from clew.core.errors import QueryError
from clew.core.knowledge import EdgeType, Standing


class RetrievalMode(StrEnum):
    """Retrieval modes; `VECTOR_ONLY`, `KG_ONLY`, `DUAL`, `ADAPTIVE` are the guide's (part 3.1)."""

    VECTOR_ONLY = "vector_only"
    KEYWORD = "keyword"
    KG_ONLY = "kg_only"
    HYBRID = "hybrid"
    DUAL = "dual"
    COMMUNITY = "community"
    GLOBAL = "global"
    ADAPTIVE = "adaptive"


MODE_ALIASES = {"vector": RetrievalMode.VECTOR_ONLY, "graph": RetrievalMode.KG_ONLY}


def retrieval_mode(name: str) -> RetrievalMode:
    """Return the mode called `name`, aliases included.

    Raises:
        QueryError: no mode has that name.
    """
    if name in MODE_ALIASES:
        return MODE_ALIASES[name]
    try:
        return RetrievalMode(name)
    except ValueError:
        known = ", ".join([*RetrievalMode, *MODE_ALIASES])
        raise QueryError(f"unknown retrieval mode {name!r}; choose one of: {known}") from None


class RetrievalPreset(StrEnum):
    """The two retrieval pipelines of the paper (sections 3.1.1 and 3.3)."""

    PAPER_V1 = "paper_v1"
    PAPER_V2 = "paper_v2"


class FusionStrategy(StrEnum):
    """How ranked lists become one (guide, part 3.1)."""

    RECIPROCAL_RANK = "reciprocal_rank"
    WEIGHTED_AVERAGE = "weighted_average"
    MAX_SCORE = "max_score"
    LEARNED = "learned"


class FusionMode(StrEnum):
    """Presets of the hybrid guide's `fusion_alpha`."""

    BALANCED = "balanced"
    GRAPH_FIRST = "graph_first"
    VECTOR_FIRST = "vector_first"


FUSION_ALPHA = {
    FusionMode.VECTOR_FIRST: 0.2,
    FusionMode.BALANCED: 0.5,
    FusionMode.GRAPH_FIRST: 0.8,
}


class Comparison(StrEnum):
    """Operators of a metadata condition."""

    EQUAL = "eq"
    NOT_EQUAL = "ne"
    IN = "in"
    AT_LEAST = "gte"
    AT_MOST = "lte"
    ABOVE = "gt"
    BELOW = "lt"
    CONTAINS = "contains"
    EXISTS = "exists"


Scalar: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, slots=True)
class Condition:
    """`metadata[field] <comparison> value`. `IN` takes a tuple, `EXISTS` True or False; the others
    one scalar. `NOT_EQUAL` is what `EQUAL` is not: it holds where the field is missing, too.

    Raises:
        QueryError: the field has no name, or the value does not fit the comparison.
    """

    field: str
    comparison: Comparison
    value: Scalar | tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not self.field:
            raise QueryError("a condition names no metadata field")
        several = isinstance(self.value, tuple)
        if self.comparison is Comparison.IN and not several:
            raise QueryError(f"the condition on {self.field!r} is 'in': give it a tuple")
        if self.comparison is not Comparison.IN and several:
            raise QueryError(
                f"the condition on {self.field!r} is {self.comparison.value!r}: "
                "give it one value, or use 'in'"
            )
        if self.comparison is Comparison.EXISTS and not isinstance(self.value, bool):
            raise QueryError(f"the condition on {self.field!r} is 'exists': give it true or false")


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Predicate


Predicate: TypeAlias = "Condition | AllOf | AnyOf | Not"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks. `groups` None means all rights; a document is visible if its acl is empty or
    shares a group with the principal."""

    groups: frozenset[str] | None = None

    def may_see(self, acl: frozenset[str]) -> bool:
        """Return whether a document with this acl is visible."""
        return self.groups is None or not acl or not self.groups.isdisjoint(acl)


ALL_RIGHTS = Principal()


@dataclass(frozen=True, slots=True)
class Filter:
    """Scope of a search, applied before top-k. Empty sets and None mean no restriction.

    `labels` restricts nodes (the hybrid guide's `label_filter`); a chunk passes it when it
    mentions a node with one of the labels. `published_from` and `published_to` are half open.
    """

    documents: frozenset[int] = frozenset()
    sources: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    published_from: datetime | None = None
    published_to: datetime | None = None
    metadata: Predicate | None = None

    def restricts_documents(self) -> bool:
        """Return whether the filter excludes any document."""
        return bool(
            self.documents
            or self.sources
            or self.languages
            or self.published_from
            or self.published_to
            or self.metadata
        )

    def is_empty(self) -> bool:
        """Return whether the filter lets everything through."""
        return not self.labels and not self.restricts_documents()


NO_FILTER = Filter()


@dataclass(frozen=True, slots=True)
class EdgeFilter:
    """Which edges an expansion may follow; None means any."""

    kinds: frozenset[EdgeType] | None = None
    standings: frozenset[Standing] = frozenset({Standing.REPORTED, Standing.ASSUMED})
    minimum_confidence: float = 0.0


ANY_EDGE = EdgeFilter()


@dataclass(frozen=True, slots=True)
class Query:
    """A question with every parameter of retrieval; defaults are the hybrid guide's.

    `temporal_at` keeps what held at a time; `known_as_of` reads the collection as it was known.
    Ranges: `fusion_alpha` 0..1 (None: from `fusion_mode`), `max_hops` 1..5, `seed_k` 1..20,
    `max_nodes` 5..200, `top_k` 1..1000. `fusion_weights` are those of the chunk store's and the
    graph store's ranking in mode `dual`; they win over alpha, and fusion `learned` needs them.
    `path_pruning` prunes paths whose relevance or last edge's confidence is below
    `pruning_threshold` (-1..1). `time_limit_ms` (1..600000, None: no limit) ends a graph traversal
    early; what it cut is named in the answer. `rerank` None means: by the reranker, if one is
    configured. `max_tokens` (1..100000), `temperature` (0..2) and
    `write_inferred` are for answers by a language model. `community_level` keeps to summaries of
    one level, 0 the coarsest (None: all in mode `community`, 0 in mode `global`).
    `latency_budget_ms` (1..600000, None: none) bounds what mode `adaptive` may choose.
    `reference_date` is today for "last year" and the like (None: the clock's). `causal_confidence`
    (0..1) is what a CAUSES edge must reach to pass the `causal_guard`.

    Raises:
        QueryError: a parameter is out of range; the message names it and the range.
    """

    text: str
    mode: RetrievalMode = RetrievalMode.HYBRID
    collection: str = "default"
    principal: Principal = ALL_RIGHTS
    filter: Filter = NO_FILTER
    top_k: int = 10
    fusion_mode: FusionMode = FusionMode.BALANCED
    fusion_alpha: float | None = None
    fusion_strategy: FusionStrategy = FusionStrategy.RECIPROCAL_RANK
    fusion_weights: tuple[float, float] | None = None
    max_hops: int = 2
    seed_k: int = 5
    max_nodes: int = 50
    vector_expansion: bool = True
    vector_expansion_threshold: float = 0.25
    semantic_path_scoring: bool = True
    seed_node_ids: tuple[int, ...] = field(default=())
    temporal_at: datetime | None = None
    known_as_of: datetime | None = None
    community_level: int | None = None
    preset: RetrievalPreset | None = None
    path_pruning: bool = False
    pruning_threshold: float = 0.3
    time_limit_ms: int | None = None
    deduplicate: bool = True
    rerank: bool | None = None
    write_inferred: bool = False
    max_tokens: int = 1024
    temperature: float = 0.0
    latency_budget_ms: int | None = None
    reference_date: datetime | None = None
    causal_guard: CausalGuard = CausalGuard.WARN
    causal_confidence: float = 0.5

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise QueryError("the question is empty")
        if len(self.text) > MAX_QUESTION_CHARACTERS:
            raise QueryError(
                f"the question has {len(self.text)} characters; "
                f"at most {MAX_QUESTION_CHARACTERS} are allowed"
            )
        _require("top_k", self.top_k, 1, 1000)
        _require("max_hops", self.max_hops, 1, 5)
        _require("seed_k", self.seed_k, 1, 20)
        _require("max_nodes", self.max_nodes, 5, 200)
        _require("vector_expansion_threshold", self.vector_expansion_threshold, -1.0, 1.0)
        if self.community_level is not None:
            _require("community_level", self.community_level, 0, MAX_COMMUNITY_LEVEL)
        _require("pruning_threshold", self.pruning_threshold, -1.0, 1.0)
        _require("max_tokens", self.max_tokens, 1, 100_000)
        _require("temperature", self.temperature, 0.0, 2.0)
        if self.time_limit_ms is not None:
            _require("time_limit_ms", self.time_limit_ms, 1, 600_000)
        if self.fusion_alpha is not None:
            _require("fusion_alpha", self.fusion_alpha, 0.0, 1.0)
        self._require_weights()
        if self.latency_budget_ms is not None:
            _require("latency_budget_ms", self.latency_budget_ms, 1, 600_000)
        _require("causal_confidence", self.causal_confidence, 0.0, 1.0)
        for name in ("temporal_at", "known_as_of", "reference_date"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                raise QueryError(f"{name} has no time zone; give one, such as +00:00")

    @property
    def alpha(self) -> float:
        """Return the weight of the graph ranks: the explicit one, else the preset's."""
        return FUSION_ALPHA[self.fusion_mode] if self.fusion_alpha is None else self.fusion_alpha

    @property
    def store_weights(self) -> tuple[float, float]:
        """Return the weights of the chunk store's and the graph store's ranking."""
        return self.fusion_weights or (1.0 - self.alpha, self.alpha)

    def _require_weights(self) -> None:
        weights = self.fusion_weights
        if weights is None:
            if self.fusion_strategy is FusionStrategy.LEARNED:
                raise QueryError(
                    "fusion_strategy 'learned' needs fusion_weights: those of the chunk store and "
                    "of the graph store, such as (0.3, 0.7)"
                )
            return
        if len(weights) != 2:
            raise QueryError(f"fusion_weights has {len(weights)} values; give two: chunks, graph")
        if not all(isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
            raise QueryError(
                f"fusion_weights is {weights}; both must be finite and 0 or more, one above 0"
            )


MAX_QUESTION_CHARACTERS = 20_000
MAX_COMMUNITY_LEVEL = 9


def _require(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise QueryError(f"{name} is {value}; it must lie in {low}..{high}")
