"""`DualStoreRetriever` (guide, part 3.1): a chunk store and a graph store behind one search."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from clew.core.ports import ChunkStore, Embedder, GraphStore
from clew.core.query import (
    ALL_RIGHTS,
    NO_FILTER,
    Filter,
    FusionMode,
    FusionStrategy,
    Principal,
    Query,
    RetrievalMode,
)
from clew.core.results import Result, Retrieval
from clew.retrieve.cross_store_reranker import RerankTerms
from clew.retrieve.evidence_ranking import EvidenceWeights
from clew.retrieve.modes import ModeRetriever
from clew.retrieve.parts import utc_now


class DualStoreRetriever:
    """Implements `Retriever` over two stores, which may be two servers, for one collection.

    `fusion_weights` are those of the chunk store and the graph store, None: from the query's alpha.
    """

    def __init__(
        self,
        *,
        chunks: ChunkStore,
        graph: GraphStore,
        embedder: Embedder,
        collection: str = "default",
        principal: Principal = ALL_RIGHTS,
        fusion_strategy: FusionStrategy = FusionStrategy.RECIPROCAL_RANK,
        fusion_weights: tuple[float, float] | None = None,
        evidence: EvidenceWeights | None = None,
        rerank_terms: RerankTerms | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._modes = ModeRetriever(
            chunks=chunks,
            graph=graph,
            embedder=embedder,
            evidence=evidence,
            rerank_terms=rerank_terms,
            clock=clock,
        )
        self._collection = collection
        self._principal = principal
        self._fusion_strategy = fusion_strategy
        self._fusion_weights = fusion_weights

    def retrieve(self, query: Query) -> Retrieval:
        """Return the evidence for a question in the query's mode.

        Raises:
            UnsupportedModeError: the mode is not available.
            StoreError: one of the stores cannot be read; the other alone does not answer.
        """
        return self._modes.retrieve(query)

    def search(
        self,
        query: str,
        filters: Filter = NO_FILTER,
        *,
        mode: RetrievalMode = RetrievalMode.DUAL,
        top_k: int = 10,
        fusion_mode: FusionMode = FusionMode.BALANCED,
    ) -> list[Result]:
        """Return the best passages; `filters` narrow both stores before they search."""
        dual = mode is RetrievalMode.DUAL
        found = self.retrieve(
            Query(
                query,
                mode=mode,
                collection=self._collection,
                principal=self._principal,
                filter=filters,
                top_k=top_k,
                fusion_mode=fusion_mode,
                fusion_strategy=(self._fusion_strategy if dual else FusionStrategy.RECIPROCAL_RANK),
                fusion_weights=self._fusion_weights if dual else None,
            )
        )
        return list(found.results)
