"""Pruning of paths during traversal (guide, part 5.4).

A path is followed along an edge while the edge's confidence and the relevance of the path, the new
node included, are at least the threshold. The guide embeds the path's text at every step; here a
path's relevance is the mean calibrated cosine of its nodes to the question, which the stored node
vectors give for a whole frontier at once, without a call of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from clew.core.arrays import Booleans, Floats, Ids, Matrix
from clew.core.calibration import Calibration, PairKind
from clew.core.errors import QueryError

RELEVANCE_THRESHOLD = 0.3


class NextEdge(Protocol):
    """The edge that a path would take."""

    @property
    def target(self) -> int:
        """The node that it leads to."""
        ...

    @property
    def confidence(self) -> float:
        """How sure its evidence is."""
        ...


class IntelligentPathPruner:
    """Decides which paths go on, and counts: `pruning_stats` holds `pruned` and `kept`.

    Raises:
        QueryError: the threshold lies outside -1..1.
    """

    def __init__(
        self,
        relevance_threshold: float = RELEVANCE_THRESHOLD,
        *,
        node_vectors: Callable[[Ids], Matrix] | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        if not -1.0 <= relevance_threshold <= 1.0:
            raise QueryError(
                f"relevance_threshold is {relevance_threshold}; it must lie in -1.0..1.0"
            )
        self.threshold = relevance_threshold
        self.pruning_stats = {"pruned": 0, "kept": 0}
        self._node_vectors = node_vectors
        self._calibration = calibration or Calibration()

    def should_expand(
        self, current_path: Sequence[int], next_edge: NextEdge, query_embedding: Floats
    ) -> bool:
        """Return whether the path of these nodes should take the edge.

        Raises:
            QueryError: the pruner was made without `node_vectors`.
        """
        if self._node_vectors is None:
            raise QueryError("should_expand reads vectors: make the pruner with node_vectors")
        nodes = np.array([*current_path, next_edge.target], np.int64)
        near = node_relevance(self._node_vectors(nodes), query_embedding, self._calibration)
        kept = self.keep(
            np.array([near.mean()], np.float32), np.array([next_edge.confidence], np.float32)
        )
        return bool(kept[0])

    def keep(self, relevance: Floats, confidence: Floats) -> Booleans:
        """Return which paths of a frontier go on, shape (n,).

        `relevance` is that of each path with its new node, `confidence` that of its new edge.
        """
        threshold = np.float32(self.threshold)
        kept = (confidence >= threshold) & (relevance >= threshold)
        self.pruning_stats["kept"] += int(kept.sum())
        self.pruning_stats["pruned"] += int(len(kept) - kept.sum())
        return np.asarray(kept, np.bool_)


def node_relevance(vectors: Matrix, question: Floats, calibration: Calibration) -> Floats:
    """Return the calibrated cosine of each node to the question, 0 without a vector."""
    if not vectors.shape[1]:
        return np.zeros(len(vectors), np.float32)
    near = calibration.apply(np.asarray(vectors @ question, np.float32), PairKind.QUESTION_NODE)
    return np.where(vectors.any(axis=1), near, np.float32(0.0)).astype(np.float32)
