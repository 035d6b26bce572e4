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

from clew.core.arrays import Booleans, EdgeBatch, Floats, Hits, Ids, top_hits
from clew.core.knowledge import PAGE_CONFIDENCE, EdgeType
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import EdgeFilter
from clew.retrieve.anchors import Relevance
from clew.retrieve.named_nodes import rarity
from clew.retrieve.question import Question

Weights = NDArray[np.float64]

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
    """Chunks and nodes by PageRank; `cut` says what ended the walk early, None if nothing did."""

    chunks: Hits
    nodes: Hits
    cut: str | None = None

    @property
    def complete(self) -> bool:
        """Return whether the walk went on until nothing was left to push."""
        return self.cut is None

    @property
    def partial(self) -> tuple[str, ...]:
        """Return what was cut short, for `Retrieval.partial`."""
        return () if self.cut is None else (self.cut,)


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
    worth = _Worth(question, relevance, chunks, graph, settings)
    cut: str | None = None
    while True:
        if question.deadline.passed:
            cut = "the walk ran out of time"
            break
        active = state.residual > settings.epsilon
        fresh = np.flatnonzero(active & ~state.expanded)
        if len(fresh):
            if state.edges_read >= settings.edge_budget:
                cut = "the walk reached its edge budget"
                active &= state.expanded
            else:
                edges = graph.expand(
                    question.query.collection,
                    state.ids[fresh],
                    edge_filter=_MENTIONS,
                    limit=settings.fan_out,
                    filter=question.query.filter,
                    principal=question.query.principal,
                )
                state.learn(fresh, edges, worth, settings)
                active = np.append(active, np.zeros(len(state.ids) - len(active), np.bool_))
        if not active.any():
            break
        state.push(active)
    is_chunk = state.is_chunk
    return WalkResult(
        _ranked(state.ids[is_chunk], state.score[is_chunk]),
        _ranked(state.ids[~is_chunk], state.score[~is_chunk]),
        cut,
    )


def _ranked(ids: Ids, score: NDArray[np.float64]) -> Hits:
    positive = score > 0
    kept = ids[positive]
    return top_hits(kept, score[positive].astype(np.float32), len(kept))


@dataclass(frozen=True, slots=True)
class _Worth:
    """How much the walk prefers a vertex, whatever edge leads there."""

    question: Question
    relevance: Relevance | None
    chunks: ChunkStore
    graph: GraphStore
    settings: WalkSettings

    def of_nodes(self, ids: Ids) -> Weights:
        """Return rarities; 0 for a node that one chunk alone mentions."""
        counts = self.graph.mention_counts(self.question.query.collection, ids)
        return np.where(counts > 1, rarity(counts), 0.0).astype(np.float64)

    def of_chunks(self, ids: Ids) -> Weights:
        """Return relevances, 1 where the walk is guided by structure alone."""
        worth = np.ones(len(ids))
        if self.relevance is not None:
            vectors = self.chunks.vectors(self.question.query.collection, ids)
            worth *= (
                self.settings.floor
                + self.relevance.similarity(vectors)
                + 0.5 * self.relevance.keyword_score(ids)
            )
        return worth


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
        self._worth = np.full(len(self.ids), np.nan)
        self._by_id = np.argsort(self.ids)
        self._row = np.empty(0, np.int64)
        self._column = np.empty(0, np.int64)
        self._chance = np.empty(0, np.float64)
        self._damping = damping

    def learn(self, fresh: Ids, edges: EdgeBatch, worth: _Worth, settings: WalkSettings) -> None:
        """Add the transitions of the vertices `fresh`, and the vertices that they lead to.

        A vertex's edges have chances in proportion to their weights. Chunk to node: confidence^power
        times worth. Node to chunk: page boost or confidence, times worth.
        """
        self.expanded[fresh] = True
        self.edges_read += len(edges.target)
        column = self._met(edges.target, edges.forward, worth)
        certainty = edges.confidence.astype(np.float64)
        page = edges.confidence >= PAGE_CONFIDENCE
        weight = self._worth[column] * np.where(
            edges.forward,
            certainty**settings.confidence_power,
            np.where(page, settings.page_boost, certainty),
        )
        useful = np.flatnonzero(weight > 0)
        row = self._rows(edges.source[useful])
        weight = weight[useful]
        total = np.bincount(row, weights=weight, minlength=len(self.ids))
        self._row = np.concatenate([self._row, row])
        self._column = np.concatenate([self._column, column[useful]])
        self._chance = np.concatenate([self._chance, weight / total[row]])

    def push(self, active: NDArray[np.bool_]) -> None:
        """Move the residual of active vertices to their score and on along their transitions."""
        mass = np.where(active, self.residual, 0.0)
        self.score += mass
        self.residual -= mass
        used = np.flatnonzero(active[self._row])
        flow = mass[self._row[used]] * self._chance[used]
        self.residual += self._damping * np.bincount(
            self._column[used], weights=flow, minlength=len(self.ids)
        )

    def _rows(self, ids: Ids) -> NDArray[np.int64]:
        """Return the rows of vertices that were met."""
        return self._by_id[np.searchsorted(self.ids, ids, sorter=self._by_id)]

    def _met(self, target: Ids, forward: Booleans, worth: _Worth) -> NDArray[np.int64]:
        """Return the rows of the targets, those that are new among them added with their worth."""
        ids, first, place = np.unique(target, return_index=True, return_inverse=True)
        at = np.minimum(
            np.searchsorted(self.ids, ids, sorter=self._by_id), max(len(self.ids) - 1, 0)
        )
        rows = self._by_id[at]
        new = self.ids[rows] != ids
        self._admit(ids[new], ~forward[first[new]])
        rows[new] = np.arange(len(self.ids) - int(new.sum()), len(self.ids))
        unknown = rows[np.isnan(self._worth[rows])]
        for measure, some in (
            (worth.of_chunks, unknown[self.is_chunk[unknown]]),
            (worth.of_nodes, unknown[~self.is_chunk[unknown]]),
        ):
            if len(some):
                self._worth[some] = measure(self.ids[some])
        return rows[place]

    def _admit(self, ids: Ids, is_chunk: Booleans) -> None:
        count = len(ids)
        self.ids = np.concatenate([self.ids, ids])
        self.is_chunk = np.concatenate([self.is_chunk, is_chunk])
        self.residual = np.concatenate([self.residual, np.zeros(count)])
        self.score = np.concatenate([self.score, np.zeros(count)])
        self.expanded = np.concatenate([self.expanded, np.zeros(count, np.bool_)])
        self._worth = np.concatenate([self._worth, np.full(count, np.nan)])
        self._by_id = np.argsort(self.ids)
