"""An answer in the hybrid guide's response schema, as values that JSON can hold."""

from __future__ import annotations

from typing import TypeAlias

from clew.core.ids import format_id
from clew.core.knowledge import Node
from clew.core.results import Answer, Path, PathStep, Provenance

Value: TypeAlias = "dict[str, Value] | list[Value] | str | int | float | bool | None"


def hybrid_response(answer: Answer) -> dict[str, Value]:
    """Return the fields of the guide's response; ids are written as sixteen hexadecimal digits.

    `retrieval_mode` is the fusion preset and `fusion_alpha` the weight that was used, whether given
    or from the preset. `partial` and `notes` are Clew's own: what was cut short or left out.
    """
    retrieval = answer.retrieval
    query, stats = retrieval.query, retrieval.seed_fusion_stats
    return {
        "answer": answer.text,
        "subgraph": {
            "nodes": [_node(node) for node in retrieval.subgraph.nodes],
            "edges": [_step(step) for step in retrieval.subgraph.edges],
            "paths": [_path(path) for path in retrieval.paths],
        },
        "retrieval_provenance": [_provenance(row) for row in retrieval.provenance],
        "path_relevance_scores": [
            {
                "path_index": index,
                "relevance_score": path.relevance_score,
                "matching_terms": list(path.matching_terms),
                "path_description": path.description,
            }
            for index, path in enumerate(retrieval.paths)
        ],
        "retrieval_mode": query.fusion_mode.value,
        "fusion_alpha": query.alpha,
        "seed_fusion_stats": {
            "vector_seeds": stats.vector_seeds,
            "degree_seeds": stats.degree_seeds,
            "keyword_seeds": stats.keyword_seeds,
            "entity_seeds": stats.entity_seeds,
            "given_seeds": stats.given_seeds,
            "fused_seeds": stats.fused_seeds,
        },
        "inferred_edges": [],
        "query_time_ms": round(answer.timings.get("total", 0.0)),
        "timings": dict(answer.timings),
        "partial": list(retrieval.partial),
        "notes": list(retrieval.notes),
    }


def _node(node: Node) -> Value:
    return {
        "id": format_id(node.id),
        "name": node.name,
        "kind": node.kind.value,
        "label": node.label,
        "aliases": list(node.aliases),
        "community": node.community,
    }


def _path(path: Path) -> Value:
    return {
        "steps": [_step(step) for step in path.steps],
        "score": path.score,
        "description": path.description,
    }


def _step(step: PathStep) -> Value:
    return {
        "edge": format_id(step.edge),
        "source": format_id(step.source),
        "target": format_id(step.target),
        "source_name": step.source_name,
        "target_name": step.target_name,
        "kind": step.kind.value,
        "relation": step.relation,
        "forward": step.forward,
        "confidence": step.confidence,
        "chunk": None if step.chunk is None else format_id(step.chunk),
    }


def _provenance(row: Provenance) -> Value:
    return {
        "node_id": format_id(row.node),
        "name": row.name,
        "vector_score": row.vector_score,
        "graph_degree": row.graph_degree,
        "hub": row.hub,
        "seed_rank": row.seed_rank,
        "hop_distance": row.hop_distance,
        "fused_score": row.fused_score,
        "signals": list(row.signals),
        "annotation": row.annotation,
    }
