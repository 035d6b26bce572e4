"""Stage 4 of the hybrid guide: the context's nodes with their provenance, and the edges among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.knowledge import Node
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import Query
from clew.core.results import PathStep, Provenance, Subgraph
from clew.graph.shortest_ways import KNOWLEDGE, read_arcs
from clew.retrieve.edge_gate import EdgeGate, selected
from clew.retrieve.expansion import Expansion
from clew.retrieve.paths import path_step, words_of
from clew.retrieve.provenance import explain_nodes
from clew.retrieve.question import Question
from clew.retrieve.scope import document_scope, labels_in_scope
from clew.retrieve.seeds import Seeds

ADJACENCY = 1000
"""Edges read of one node, surest first: a hub's further edges are not looked through."""


@dataclass(frozen=True, slots=True)
class Context:
    """Why each node is there, and the subgraph of these nodes."""

    provenance: tuple[Provenance, ...]
    subgraph: Subgraph


def assemble_context(
    question: Question, seeds: Seeds, expansion: Expansion, *, graph: GraphStore, chunks: ChunkStore
) -> Context:
    """Return the context, at most `max_nodes` nodes."""
    query = question.query
    provenance = explain_nodes(query, seeds, expansion, graph=graph)
    nodes = graph.nodes(
        query.collection,
        [row.node for row in provenance],
        filter=document_scope(query),
        principal=query.principal,
    )
    edges = context_edges(query, nodes, graph=graph, chunks=chunks, gate=question.gate)
    return Context(provenance, Subgraph(tuple(nodes), edges))


def context_edges(
    query: Query,
    nodes: list[Node],
    *,
    graph: GraphStore,
    chunks: ChunkStore,
    gate: EdgeGate | None = None,
) -> tuple[PathStep, ...]:
    """Return the edges between `nodes`, each once, best confidence first.

    They are read from the nodes' own adjacency, not from a listing of all edges that is cut off.
    """
    names = {node.id: node.name for node in nodes}
    batch = graph.expand(
        query.collection,
        np.fromiter(names, np.int64, len(names)),
        at=query.temporal_at,
        edge_filter=KNOWLEDGE,
        limit=ADJACENCY,
        filter=query.filter,
        principal=query.principal,
    )
    if gate is not None:
        batch = gate.admit(batch, graph=graph)
    inside = np.flatnonzero(np.isin(batch.target, batch.source) & batch.forward)
    _, first = np.unique(batch.edge[inside], return_index=True)
    arcs = read_arcs(selected(batch, inside[first]))
    ids = np.array([arc.edge for arc in arcs], np.int64)
    words = words_of(labels_in_scope(ids, query, graph=graph, chunks=chunks), ids)
    steps = [path_step(arc, words[arc.edge], names) for arc in arcs if arc.edge in words]
    return tuple(sorted(steps, key=lambda step: (-step.confidence, step.edge)))
