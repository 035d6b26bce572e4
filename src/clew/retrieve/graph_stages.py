"""Stages 1 to 4 of the hybrid guide on nodes, shared by `hybrid` and `kg_only`."""

from __future__ import annotations

from dataclasses import dataclass

from clew.core.arrays import Hits
from clew.core.results import Path, Provenance
from clew.retrieve.connections import find_connections
from clew.retrieve.expansion import Expansion, expand_seeds
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.parts import Parts
from clew.retrieve.paths import score_paths
from clew.retrieve.provenance import explain_nodes
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
    expansion = expand_seeds(
        question,
        seeds.fused.ids,
        graph=parts.graph,
        chunks=parts.chunks,
        calibration=parts.embedder.calibration,
    )
    watch.lap("expand")
    connections = find_connections(query, named, graph=parts.graph)
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
    provenance = explain_nodes(query, seeds, expansion, graph=parts.graph)
    watch.lap("provenance")
    return GraphContext(seeds, expansion, paths, provenance)
