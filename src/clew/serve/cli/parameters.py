"""From the options of `ask` and `search` to the parameters of a query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clew.core.query import ALL_RIGHTS, AllOf, Principal
from clew.engine.questions import QueryParameters
from clew.serve.cli.conditions import condition_of
from clew.serve.cli.options import moment


def query_parameters(
    *,
    labels: Sequence[str] | None,
    sources: Sequence[str] | None,
    languages: Sequence[str] | None,
    published_from: str | None,
    published_to: str | None,
    where: Sequence[str] | None,
    as_of: str | None,
    known_as_of: str | None,
    max_hops: int | None,
    seed_k: int | None,
    max_nodes: int | None,
    fusion_mode: str | None,
    fusion_alpha: float | None,
    level: int | None,
    preset: str | None,
    projects: Sequence[str] | None = None,
    fusion_strategy: str | None = None,
    fusion_weights: tuple[float, float] | None = None,
    rerank: bool | None = None,
    path_pruning: bool | None = None,
    time_limit: int | None = None,
    deduplicate: bool | None = None,
    latency_budget_ms: int | None = None,
    reference_date: str | None = None,
    causal_guard: str | None = None,
) -> QueryParameters:
    """Return the options that were given; the settings decide the others."""
    parameters: QueryParameters = {
        "labels": labels or (),
        "sources": [_as_added(source) for source in sources or ()],
        "languages": languages or (),
        "published_from": moment("--from", published_from),
        "published_to": moment("--to", published_to),
        "temporal_at": moment("--as-of", as_of),
        "known_as_of": moment("--known-as-of", known_as_of),
        "reference_date": moment("--reference-date", reference_date),
        "where": AllOf(tuple(condition_of(text) for text in sorted(where or ()))),
        "projects": projects or (),
        "rerank": rerank,
    }
    if max_hops is not None:
        parameters["max_hops"] = max_hops
    if seed_k is not None:
        parameters["seed_k"] = seed_k
    if max_nodes is not None:
        parameters["max_nodes"] = max_nodes
    if fusion_mode is not None:
        parameters["fusion_mode"] = fusion_mode
    if latency_budget_ms is not None:
        parameters["latency_budget_ms"] = latency_budget_ms
    if fusion_alpha is not None:
        parameters["fusion_alpha"] = fusion_alpha
    if level is not None:
        parameters["community_level"] = level
    if preset is not None:
        parameters["preset"] = preset
    if fusion_strategy is not None:
        parameters["fusion_strategy"] = fusion_strategy
    if fusion_weights is not None:
        parameters["fusion_weights"] = fusion_weights
    if path_pruning is not None:
        parameters["path_pruning"] = path_pruning
    if time_limit is not None:
        parameters["time_limit_ms"] = time_limit
    if deduplicate is not None:
        parameters["deduplicate"] = deduplicate
    if causal_guard is not None:
        parameters["causal_guard"] = causal_guard
    return parameters


def _as_added(source: str) -> str:
    """Return the source that a path has; other sources stay as they are written."""
    path = Path(source)
    return path.resolve().as_posix() if path.exists() else source


def principal_of(groups: Sequence[str] | None) -> Principal:
    """Return who asks: all rights unless groups are named."""
    return Principal(frozenset(groups)) if groups else ALL_RIGHTS
