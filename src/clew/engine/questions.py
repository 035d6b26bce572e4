"""From the arguments of `ask` and `search` to a validated `Query`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypedDict, TypeVar

from clew.core.causality import CausalGuard
from clew.core.errors import QueryError, UnsupportedModeError
from clew.core.ids import parse_id
from clew.core.query import (
    ALL_RIGHTS,
    NO_FILTER,
    Comparison,
    Condition,
    Filter,
    FusionMode,
    FusionStrategy,
    Predicate,
    Principal,
    Query,
    RetrievalMode,
    RetrievalPreset,
    retrieval_mode,
)
from clew.engine.predicates import both, predicate_of
from clew.settings.model import RetrievalSettings

WORKING_MODES = (
    RetrievalMode.VECTOR_ONLY,
    RetrievalMode.KEYWORD,
    RetrievalMode.KG_ONLY,
    RetrievalMode.HYBRID,
    RetrievalMode.COMMUNITY,
    RetrievalMode.GLOBAL,
    RetrievalMode.DUAL,
    RetrievalMode.ADAPTIVE,
)
PRESET_MODES = {
    RetrievalPreset.PAPER_V1: RetrievalMode.VECTOR_ONLY,
    RetrievalPreset.PAPER_V2: RetrievalMode.COMMUNITY,
}
PRESET_TOP_K = {RetrievalPreset.PAPER_V1: 2, RetrievalPreset.PAPER_V2: 5}
_FRONT_DOOR = "auto"

T = TypeVar("T")


class QueryParameters(TypedDict, total=False):
    """What `ask` and `search` take by name besides the question; see `core.query.Query`.

    The first nine narrow the scope and are joined to `filter`; `where` is a metadata predicate, as
    `engine.predicates` writes them, and `projects` keeps to documents whose metadata field
    `project` is one of them. What is left out comes from the settings.
    """

    filter: Filter
    documents: Iterable[int | str]
    sources: Iterable[str]
    languages: Iterable[str]
    labels: Iterable[str]
    published_from: datetime | None
    published_to: datetime | None
    where: Mapping[str, object] | Predicate
    projects: Iterable[str]
    fusion_mode: FusionMode | str
    fusion_alpha: float | None
    fusion_strategy: FusionStrategy | str
    fusion_weights: tuple[float, float] | None
    max_hops: int
    seed_k: int
    max_nodes: int
    vector_expansion: bool
    vector_expansion_threshold: float
    semantic_path_scoring: bool
    seed_node_ids: Iterable[int]
    temporal_at: datetime | None
    known_as_of: datetime | None
    community_level: int | None
    preset: RetrievalPreset | str | None
    path_pruning: bool
    pruning_threshold: float
    time_limit_ms: int | None
    deduplicate: bool
    rerank: bool | None
    write_inferred: bool
    max_tokens: int
    temperature: float
    latency_budget_ms: int | None
    reference_date: datetime | None
    causal_guard: CausalGuard | str
    causal_confidence: float


def build_query(
    question: str,
    *,
    collection: str,
    settings: RetrievalSettings,
    mode: RetrievalMode | str | None = None,
    top_k: int | None = None,
    principal: Principal = ALL_RIGHTS,
    parameters: QueryParameters,
) -> Query:
    """Return the question with its parameters; what is not given comes from the settings.

    Raises:
        QueryError: a parameter is unknown or out of range.
        UnsupportedModeError: the mode does not work yet.
    """
    unknown = sorted(set(parameters) - QueryParameters.__optional_keys__)
    if unknown:
        known = ", ".join(sorted(QueryParameters.__optional_keys__))
        raise QueryError(f"unknown query parameter {unknown[0]!r}; known are: {known}")
    preset = _preset(parameters.get("preset"), mode)
    alpha = parameters.get("fusion_alpha")
    if alpha is None and "fusion_mode" not in parameters:
        alpha = settings.fusion_alpha
    working = (
        PRESET_MODES[preset] if preset else _working_mode(settings.mode if mode is None else mode)
    )
    # Only `dual` has a choice of strategies: the setting is about that mode.
    usual = (
        settings.fusion_strategy
        if working is RetrievalMode.DUAL
        else FusionStrategy.RECIPROCAL_RANK
    )
    return Query(
        text=question,
        mode=working,
        collection=collection,
        principal=principal,
        filter=_scope(parameters),
        top_k=_default_top_k(preset, settings) if top_k is None else top_k,
        fusion_mode=_fusion_mode(parameters.get("fusion_mode", settings.fusion_mode)),
        fusion_alpha=alpha,
        fusion_strategy=_fusion_strategy(parameters.get("fusion_strategy", usual)),
        fusion_weights=parameters.get("fusion_weights"),
        max_hops=parameters.get("max_hops", settings.max_hops),
        seed_k=parameters.get("seed_k", settings.seed_k),
        max_nodes=parameters.get("max_nodes", settings.max_nodes),
        vector_expansion=parameters.get("vector_expansion", settings.vector_expansion),
        vector_expansion_threshold=parameters.get(
            "vector_expansion_threshold", settings.vector_expansion_threshold
        ),
        semantic_path_scoring=parameters.get(
            "semantic_path_scoring", settings.semantic_path_scoring
        ),
        seed_node_ids=tuple(parameters.get("seed_node_ids", ())),
        temporal_at=parameters.get("temporal_at"),
        known_as_of=parameters.get("known_as_of"),
        community_level=parameters.get("community_level"),
        preset=preset,
        path_pruning=parameters.get("path_pruning", settings.path_pruning),
        pruning_threshold=parameters.get("pruning_threshold", settings.pruning_threshold),
        time_limit_ms=parameters.get("time_limit_ms", settings.time_limit_ms),
        deduplicate=parameters.get("deduplicate", settings.deduplicate),
        rerank=parameters.get("rerank"),
        write_inferred=parameters.get("write_inferred", False),
        max_tokens=parameters.get("max_tokens", settings.max_tokens),
        temperature=parameters.get("temperature", settings.temperature),
        latency_budget_ms=parameters.get("latency_budget_ms"),
        reference_date=parameters.get("reference_date"),
        causal_guard=_causal_guard(parameters.get("causal_guard", settings.causal_guard)),
        causal_confidence=parameters.get("causal_confidence", settings.causal_confidence),
    )


def _preset(
    name: RetrievalPreset | str | None, mode: RetrievalMode | str | None
) -> RetrievalPreset | None:
    if name is None:
        return None
    try:
        preset = RetrievalPreset(name)
    except ValueError:
        raise QueryError(
            f"unknown preset {name!r}; choose one of: {_names(RetrievalPreset)}"
        ) from None
    if mode is not None:
        raise QueryError(f"preset {preset.value!r} decides the mode; leave out mode {mode!r}")
    return preset


def _default_top_k(preset: RetrievalPreset | None, settings: RetrievalSettings) -> int:
    return PRESET_TOP_K[preset] if preset else settings.top_k


def _working_mode(mode: RetrievalMode | str) -> RetrievalMode:
    working = ", ".join(WORKING_MODES)
    if mode == _FRONT_DOOR:
        raise UnsupportedModeError(f"mode 'auto' does not work yet; choose one of: {working}")
    found = retrieval_mode(mode)
    if found not in WORKING_MODES:
        raise UnsupportedModeError(
            f"mode {found.value!r} does not work yet; choose one of: {working}"
        )
    return found


def _fusion_mode(name: FusionMode | str) -> FusionMode:
    try:
        return FusionMode(name)
    except ValueError:
        raise QueryError(
            f"unknown fusion_mode {name!r}; choose one of: {_names(FusionMode)}"
        ) from None


def _fusion_strategy(name: FusionStrategy | str) -> FusionStrategy:
    try:
        return FusionStrategy(name)
    except ValueError:
        raise QueryError(
            f"unknown fusion_strategy {name!r}; choose one of: {_names(FusionStrategy)}"
        ) from None


def _causal_guard(name: CausalGuard | str) -> CausalGuard:
    try:
        return CausalGuard(name)
    except ValueError:
        raise QueryError(
            f"unknown causal_guard {name!r}; choose one of: {_names(CausalGuard)}"
        ) from None


def _names(
    kind: type[FusionMode] | type[FusionStrategy] | type[RetrievalPreset] | type[CausalGuard],
) -> str:
    return ", ".join(member.value for member in kind)


def _scope(parameters: QueryParameters) -> Filter:
    """Return the filter, completed by the parameters that stand for its parts."""
    scope = parameters.get("filter", NO_FILTER)
    return replace(
        scope,
        documents=_either(
            "documents",
            scope.documents,
            (_document(one) for one in _several("documents", parameters.get("documents", ()))),
        ),
        sources=_either(
            "sources", scope.sources, _several("sources", parameters.get("sources", ()))
        ),
        languages=_either(
            "languages", scope.languages, _several("languages", parameters.get("languages", ()))
        ),
        labels=_either("labels", scope.labels, _several("labels", parameters.get("labels", ()))),
        published_from=_moment("published_from", parameters.get("published_from"))
        or scope.published_from,
        published_to=_moment("published_to", parameters.get("published_to")) or scope.published_to,
        metadata=both(
            both(scope.metadata, predicate_of(parameters.get("where", {}))),
            _of_projects(_several("projects", parameters.get("projects", ()))),
        ),
    )


def _several(name: str, values: Iterable[T]) -> Iterable[T]:
    """Return `values`; a lone string would be taken for its letters."""
    if isinstance(values, str):
        raise QueryError(f"{name} is one string; give a list of them: [{values!r}]")
    return values


def _either(name: str, given: frozenset[T], more: Iterable[T]) -> frozenset[T]:
    """Return whichever set is not empty; two might exclude each other, and empty means anything."""
    wanted = frozenset(more)
    if given and wanted:
        raise QueryError(f"{name} is given twice: in the filter and by name; give it once")
    return given or wanted


def _of_projects(projects: Iterable[str]) -> Predicate | None:
    wanted = tuple(sorted(set(projects)))
    return Condition("project", Comparison.IN, wanted) if wanted else None


def _document(identifier: int | str) -> int:
    return parse_id(identifier) if isinstance(identifier, str) else identifier


def _moment(name: str, moment: datetime | None) -> datetime | None:
    if moment is not None and moment.tzinfo is None:
        raise QueryError(f"{name} has no time zone; give one, such as +00:00")
    return moment
