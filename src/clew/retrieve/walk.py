"""Guided walk: personalised PageRank over the part of the graph that matters to the question.

Push form (Andersen, Chung, Lang, FOCS 2006), a whole frontier at a time. The graph is read as the
walk reaches it, one `expand` call a round, under an edge budget. Two things guide it: from a passage
it prefers rare names, and from a name it prefers the name's own page and passages that fit the
question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import EdgeBatch, Floats, Hits, Ids, top_hits
from clew.core.knowledge import PAGE_CONFIDENCE, EdgeType
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import EdgeFilter
from clew.retrieve.anchors import Relevance
from clew.retrieve.named_nodes import rarity
from clew.retrieve.question import Question
from clew.retrieve.scope import in_scope

_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """Settings of the walk, chosen on hotpotqa-train100 and musique-train100-openie.

    `damping`: chance to walk on; `epsilon`: smallest residual that is pushed; `edge_budget`: edges
    read at most; `fan_out`: edges read of one vertex at most, best confidence first; `page_boost`:
    weight of a name's own page over a passage that mentions it; `floor`: relevance of a passage that
    has nothing in common with the question; `confidence_power`: sharpens mention confidences.
    """

    damping: float = 0.5
    epsilon: float = 1e-4
    edge_budget: int = 60_000
    fan_out: int = 256
    page_boost: float = 20.0
    floor: float = 0.05
    confidence_power: float = 3.0


@dataclass(frozen=True, slots=True)
class Restart:
    """Where the walk starts and returns to: vertices with positive mass that sums to 1."""

    chunks: Ids
    chunk_mass: Floats
    nodes: Ids
    node_mass: Floats


@dataclass(frozen=True, slots=True)
class WalkResult:
    """Chunks and nodes by PageRank; `complete` is False where the edge budget ran out."""

    chunks: Hits
    nodes: Hits
    complete: bool


def walk(
    question: Question,
    restart: Restart,
    relevance: Relevance | None,
    *,
    chunks: ChunkStore,
    graph: GraphStore,
    settings: WalkSettings,
) -> WalkResult:
    """Return PageRank of chunks and nodes around the restart; without `relevance` the walk is
    guided by structure alone."""
    state = _State(restart, settings.damping)
    complete = True
    while True:
        active = state.residual > settings.epsilon
        fresh = np.flatnonzero(active & ~state.expanded)
        if len(fresh):
            if state.edges_read >= settings.edge_budget:
                complete = False
                active &= state.expanded
            else:
                edges = graph.expand(
                    question.query.collection,
                    state.ids[fresh],
                    edge_filter=_MENTIONS,
                    limit=settings.fan_out,
                    principal=question.query.principal,
                )
                weights = _weights(edges, question, relevance, chunks, graph, settings)
                state.learn(fresh, edges, weights)
                active = np.append(active, np.zeros(len(state.ids) - len(active), np.bool_))
        if not active.any():
            break
        state.push(active)
    is_chunk = state.is_chunk
    return WalkResult(
        _ranked(state.ids[is_chunk], state.score[is_chunk]),
        _ranked(state.ids[~is_chunk], state.score[~is_chunk]),
        complete,
    )


def _ranked(ids: Ids, score: NDArray[np.float64]) -> Hits:
    positive = score > 0
    kept = ids[positive]
    return top_hits(kept, score[positive].astype(np.float32), len(kept))


def _weights(
    edges: EdgeBatch,
    question: Question,
    relevance: Relevance | None,
    chunks: ChunkStore,
    graph: GraphStore,
    settings: WalkSettings,
) -> NDArray[np.float64]:
    """Return the weight of each edge, before each vertex's edges are scaled to sum 1.

    Chunk to node: confidence^power times rarity, 0 for a node that no other chunk mentions. Node to
    chunk: page boost or confidence, times relevance, 0 out of scope.
    """
    weights = np.power(edges.confidence, settings.confidence_power).astype(np.float64)
    out = edges.forward
    if out.any():
        nodes, row = np.unique(edges.target[out], return_inverse=True)
        counts = graph.mention_counts(question.query.collection, nodes)
        worth = np.where(counts > 1, rarity(counts), 0.0)
        weights[out] *= worth[row]
    back = ~out
    if back.any():
        ids, row = np.unique(edges.target[back], return_inverse=True)
        worth = in_scope(ids, question.query, chunks).astype(np.float64)
        if relevance is not None:
            vectors = chunks.vectors(question.query.collection, ids)
            worth *= (
                settings.floor + relevance.similarity(vectors) + 0.5 * relevance.keyword_score(ids)
            )
        page = edges.confidence[back] >= PAGE_CONFIDENCE
        weights[back] = np.where(page, settings.page_boost, edges.confidence[back]) * worth[row]
    return weights


class _State:
    """Vertices met so far with score and residual, and the transitions read so far."""

    def __init__(self, restart: Restart, damping: float) -> None:
        self.ids = np.concatenate([restart.chunks, restart.nodes])
        self.is_chunk = np.arange(len(self.ids)) < len(restart.chunks)
        mass = np.concatenate([restart.chunk_mass, restart.node_mass]).astype(np.float64)
        self.residual = (1.0 - damping) * mass
        self.score = np.zeros(len(self.ids))
        self.expanded = np.zeros(len(self.ids), np.bool_)
        self.edges_read = 0
        self._row = np.empty(0, np.int64)
        self._column = np.empty(0, np.int64)
        self._chance = np.empty(0, np.float64)
        self._damping = damping

    def learn(self, fresh: Ids, edges: EdgeBatch, weights: NDArray[np.float64]) -> None:
        """Add the transitions of the vertices `fresh`, and the vertices that they lead to."""
        self.expanded[fresh] = True
        self.edges_read += len(edges.target)
        useful = weights > 0
        source, target, weight = edges.source[useful], edges.target[useful], weights[useful]
        to_chunk = ~edges.forward[useful]
        self._admit(target, to_chunk)
        order = np.argsort(self.ids)
        row = order[np.searchsorted(self.ids, source, sorter=order)]
        column = order[np.searchsorted(self.ids, target, sorter=order)]
        total = np.bincount(row, weights=weight, minlength=len(self.ids))
        self._row = np.concatenate([self._row, row])
        self._column = np.concatenate([self._column, column])
        self._chance = np.concatenate([self._chance, weight / total[row]])

    def push(self, active: NDArray[np.bool_]) -> None:
        """Move the residual of active vertices to their score and on along their transitions."""
        mass = np.where(active, self.residual, 0.0)
        self.score += mass
        self.residual -= mass
        used = active[self._row]
        flow = mass[self._row[used]] * self._chance[used]
        self.residual += self._damping * np.bincount(
            self._column[used], weights=flow, minlength=len(self.ids)
        )

    def _admit(self, target: Ids, to_chunk: NDArray[np.bool_]) -> None:
        ids, first = np.unique(target, return_index=True)
        new = ~np.isin(ids, self.ids)
        count = int(new.sum())
        self.ids = np.concatenate([self.ids, ids[new]])
        self.is_chunk = np.concatenate([self.is_chunk, to_chunk[first][new]])
        self.residual = np.concatenate([self.residual, np.zeros(count)])
        self.score = np.concatenate([self.score, np.zeros(count)])
        self.expanded = np.concatenate([self.expanded, np.zeros(count, np.bool_)])
