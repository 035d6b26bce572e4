"""The hybrid guide's response schema, as OpenAPI shows it; `core.hybrid_response` fills it."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel

JsonObject: TypeAlias = dict[str, Any]
"""An answer whose fields the route's description names."""


class ProvenanceRow(BaseModel):
    """Why a node is in the context."""

    node_id: str
    name: str
    vector_score: float
    graph_degree: int
    hub: bool
    seed_rank: int | None
    hop_distance: int
    fused_score: float | None
    signals: list[str]
    annotation: str


class PathScore(BaseModel):
    """How far a path of the subgraph bears on the question."""

    path_index: int
    relevance_score: float
    matching_terms: list[str]
    path_description: str


class ContextGraph(BaseModel):
    """The nodes of the context, the edges among them, and the scored paths."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    paths: list[dict[str, Any]]


class HybridAnswer(BaseModel):
    """The response of the guide; `timings`, `partial` and `notes` are Clew's own."""

    answer: str
    subgraph: ContextGraph
    retrieval_provenance: list[ProvenanceRow]
    path_relevance_scores: list[PathScore]
    retrieval_mode: str
    fusion_alpha: float
    seed_fusion_stats: dict[str, int]
    inferred_edges: list[dict[str, Any]]
    query_time_ms: int
    timings: dict[str, float]
    partial: list[str]
    notes: list[str]
