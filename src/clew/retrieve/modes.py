"""One retriever for every mode; each mode is a function with the same signature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from clew.core.errors import UnsupportedModeError
from clew.core.ports import ChunkStore, Embedder, GraphStore, Reranker
from clew.core.query import FusionStrategy, Query, RetrievalMode, RetrievalPreset
from clew.core.results import Retrieval
from clew.retrieve import community, global_summaries, hybrid, keyword, kg_only, paper, vector_only
from clew.retrieve.parts import Parts
from clew.retrieve.paths import STRONG_RELATIONS
from clew.retrieve.walk import WalkSettings


class Mode(Protocol):
    """A retrieval mode."""

    def __call__(self, query: Query, *, parts: Parts) -> Retrieval:
        """Return the evidence for a question."""
        ...


MODES: Mapping[RetrievalMode, Mode] = {
    RetrievalMode.VECTOR_ONLY: vector_only.retrieve,
    RetrievalMode.KEYWORD: keyword.retrieve,
    RetrievalMode.KG_ONLY: kg_only.retrieve,
    RetrievalMode.HYBRID: hybrid.retrieve,
    RetrievalMode.COMMUNITY: community.retrieve,
    RetrievalMode.GLOBAL: global_summaries.retrieve,
}
"""The modes that work."""

PRESETS: Mapping[RetrievalPreset, Mode] = {
    RetrievalPreset.PAPER_V1: paper.retrieve_v1,
    RetrievalPreset.PAPER_V2: paper.retrieve_v2,
}
"""Pipelines that run in place of their mode's."""


class ModeRetriever:
    """Implements `Retriever`: hands a query to the function of its mode."""

    def __init__(
        self,
        *,
        chunks: ChunkStore,
        graph: GraphStore,
        embedder: Embedder,
        walk: WalkSettings | None = None,
        strong_relations: tuple[str, ...] = STRONG_RELATIONS,
        reranker: Reranker | None = None,
    ) -> None:
        self._parts = Parts(
            chunks, graph, embedder, walk or WalkSettings(), strong_relations, reranker
        )

    def retrieve(self, query: Query) -> Retrieval:
        """Return the evidence for a question.

        Raises:
            UnsupportedModeError: the mode exists by name only.
            StoreError: a store read failed; there is no answer from a part of the stores.
        """
        mode = PRESETS[query.preset] if query.preset else MODES.get(query.mode)
        if mode is None:
            working = ", ".join(MODES)
            raise UnsupportedModeError(
                f"retrieval mode {query.mode.value!r} is not available yet; these are: {working}"
            )
        if query.fusion_strategy is not FusionStrategy.RECIPROCAL_RANK:
            raise UnsupportedModeError(
                f"fusion strategy {query.fusion_strategy.value!r} belongs to mode 'dual', which is "
                "not available yet; seeds are fused by 'reciprocal_rank'"
            )
        return mode(query, parts=self._parts)
