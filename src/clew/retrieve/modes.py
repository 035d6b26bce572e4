"""One retriever for every mode; each mode is a function with the same signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from clew.core.errors import QueryError, UnsupportedModeError
from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.precedence import PRECEDENCE, read_precedence
from clew.core.query import FusionStrategy, Query, RetrievalMode, RetrievalPreset
from clew.core.results import Retrieval
from clew.retrieve import (
    community,
    dual,
    global_summaries,
    hybrid,
    keyword,
    kg_only,
    paper,
    vector_only,
)
from clew.retrieve.adaptive import AdaptiveMode
from clew.retrieve.cross_store_reranker import RerankTerms
from clew.retrieve.evidence_ranking import EvidenceWeights
from clew.retrieve.expansion import ExpansionSettings
from clew.retrieve.parts import Parts, utc_now
from clew.retrieve.paths import STRONG_RELATIONS
from clew.retrieve.precedence import PrecedenceWeights, ordered_by_precedence
from clew.retrieve.rerank import Reranking, rerank
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
    RetrievalMode.DUAL: dual.retrieve,
}
"""The modes that work."""

PRESETS: Mapping[RetrievalPreset, Mode] = {
    RetrievalPreset.PAPER_V1: paper.retrieve_v1,
    RetrievalPreset.PAPER_V2: paper.retrieve_v2,
}
"""Pipelines that run in place of their mode's."""


_OWN_ORDERS = {
    RetrievalMode.DUAL: "ends in evidence ranking",
    RetrievalMode.GLOBAL: "reads every summary of a level",
}
_NOTHING_INFERRED = "write_inferred: no edges were inferred, since inference does not work yet"


def no_facts(collection: str) -> Mapping[str, str]:  # noqa: ARG001 - the signature of `facts`
    """Return no facts, of which those of a collection tell what takes precedence."""
    return {}


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
        evidence: EvidenceWeights | None = None,
        rerank_terms: RerankTerms | None = None,
        expansion: ExpansionSettings | None = None,
        clock: Callable[[], datetime] = utc_now,
        reranking: Reranking | None = None,
        facts: Callable[[str], Mapping[str, str]] = no_facts,
        precedence: PrecedenceWeights | None = None,
    ) -> None:
        self._reranking = reranking
        self._facts = facts
        self._precedence = precedence or PrecedenceWeights()
        self._adaptive = AdaptiveMode(graph=graph, modes=MODES)
        self._parts = Parts(
            chunks,
            graph,
            embedder,
            walk or WalkSettings(),
            strong_relations,
            None,
            rerank_terms or RerankTerms(),
            evidence or EvidenceWeights(),
            expansion or ExpansionSettings(),
            clock,
        )

    def retrieve(self, query: Query) -> Retrieval:
        """Return the evidence for a question.

        Raises:
            UnsupportedModeError: the mode exists by name only.
            QueryError: reranking is asked for where there is none.
            ModelError: the reranker failed.
            StoreError: a store read failed; there is no answer from a part of the stores.
        """
        if query.mode is RetrievalMode.ADAPTIVE and not query.preset:
            return self._adaptive.retrieve(query, self.retrieve)
        mode = PRESETS[query.preset] if query.preset else MODES.get(query.mode)
        if mode is None:
            working = ", ".join([*MODES, RetrievalMode.ADAPTIVE])
            raise UnsupportedModeError(
                f"retrieval mode {query.mode.value!r} is not available yet; these are: {working}"
            )
        if (
            query.fusion_strategy is not FusionStrategy.RECIPROCAL_RANK
            and query.mode is not RetrievalMode.DUAL
        ):
            raise UnsupportedModeError(
                f"fusion strategy {query.fusion_strategy.value!r} belongs to mode 'dual', and this "
                f"is mode {query.mode.value!r}; its seeds are fused by 'reciprocal_rank'"
            )
        with self._parts.chunks.steady(), self._parts.graph.steady():
            found = ordered_by_precedence(
                self._ranked(mode, query),
                read_precedence(self._facts(query.collection).get(PRECEDENCE)),
                parts=self._parts,
                weights=self._precedence,
            )
        if not query.write_inferred:
            return found
        # Nothing infers edges without a language model; to say so beats to ignore the parameter.
        return replace(found, notes=(*found.notes, _NOTHING_INFERRED))

    def _ranked(self, mode: Mode, query: Query) -> Retrieval:
        reranking = self._reranking_for(query)
        if reranking is None:
            return mode(query, parts=self._parts)
        if query.preset or query.mode is RetrievalMode.COMMUNITY:
            # Passages and summaries become one list there, by the reranker itself.
            return mode(query, parts=replace(self._parts, reranker=reranking.model))
        wide = replace(query, top_k=max(query.top_k, reranking.candidates))
        found = replace(mode(wide, parts=self._parts), query=query)
        documents = self._parts.chunks.documents(
            query.collection,
            ids=sorted({result.document for result in found.results}),
            principal=query.principal,
        )
        titles = {document.id: document.title for document in documents}
        return rerank(found, reranking, top_k=query.top_k, titles=titles)

    def _reranking_for(self, query: Query) -> Reranking | None:
        """Return the reranking that a query is due, None for none."""
        if query.rerank and self._reranking is None:
            raise QueryError(
                "rerank is asked for and no reranker is configured; set [rerank] kind to "
                "late_interaction, cross_encoder, http or llm"
            )
        own_order = _OWN_ORDERS.get(query.mode)
        if query.rerank and own_order:
            raise QueryError(f"mode {query.mode.value!r} {own_order}; it takes no other reranker")
        if query.rerank is False or own_order:
            return None
        return self._reranking
