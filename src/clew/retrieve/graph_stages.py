"""Stages 1 to 4 of the hybrid guide on nodes, shared by `hybrid` and `kg_only`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clew.core.arrays import Hits
from clew.core.results import Path, Provenance, Subgraph
from clew.retrieve.connections import find_connections
from clew.retrieve.context import assemble_context
from clew.retrieve.expansion import Expansion, expand_seeds
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.parts import Parts
from clew.retrieve.path_pruner import IntelligentPathPruner
from clew.retrieve.paths import score_paths
from clew.retrieve.question import Question
from clew.retrieve.seeds import Seeds, find_seeds
from clew.retrieve.stopwatch import Stopwatch


@dataclass(frozen=True, slots=True)
class GraphContext:
    """Seeds, what they reached, the scored paths and why each node is there."""

    seeds: Seeds
    expansion: Expansion
    paths: tuple[Path, ...]
    provenance: tuple[Provenance, ...]
    subgraph: Subgraph
    pruning_stats: Mapping[str, int]
    partial: tuple[str, ...]


def build_context(
    question: Question,
    named: NamedNodes,
    keyword_hits: Hits,
    *,
    parts: Parts,
    watch: Stopwatch,
) -> GraphContext:
    """Return the graph context of a question."""
    query = question.query
    seeds = find_seeds(question, named, keyword_hits, graph=parts.graph)
    watch.lap("seeds")
    pruner = IntelligentPathPruner(query.pruning_threshold) if query.path_pruning else None
    expansion = expand_seeds(
        question,
        seeds.fused.ids,
        graph=parts.graph,
        calibration=parts.embedder.calibration,
        settings=parts.expansion,
        pruner=pruner,
    )
    watch.lap("expand")
    connections = find_connections(question, named, graph=parts.graph)
    watch.lap("connect")
    paths = score_paths(
        query,
        question.terms,
        expansion,
        connections,
        graph=parts.graph,
        chunks=parts.chunks,
        strong_relations=parts.strong_relations,
    )
    watch.lap("paths")
    context = assemble_context(question, seeds, expansion, graph=parts.graph, chunks=parts.chunks)
    watch.lap("context")
    return GraphContext(
        seeds,
        expansion,
        paths,
        context.provenance,
        context.subgraph,
        pruner.pruning_stats if pruner else {},
        expansion.partial,
    )
