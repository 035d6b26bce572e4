"""The fusion formula of each strategy; all share one signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from clew.core.arrays import Hits
from clew.core.query import FusionStrategy
from clew.retrieve.fusion.learned import learned
from clew.retrieve.fusion.max_score import max_score
from clew.retrieve.fusion.reciprocal_rank import reciprocal_rank
from clew.retrieve.fusion.weighted_average import weighted_average


class Fusion(Protocol):
    """A formula that makes one ranking of several; fused scores lie in 0..1."""

    def __call__(self, lists: Sequence[Hits], *, weights: Sequence[float], limit: int) -> Hits:
        """Return the best `limit` ids of all lists; one weight a list."""
        ...


FUSIONS: Mapping[FusionStrategy, Fusion] = {
    FusionStrategy.RECIPROCAL_RANK: reciprocal_rank,
    FusionStrategy.WEIGHTED_AVERAGE: weighted_average,
    FusionStrategy.MAX_SCORE: max_score,
    FusionStrategy.LEARNED: learned,
}
