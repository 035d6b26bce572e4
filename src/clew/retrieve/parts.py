"""What every mode is given: the stores, the embedder and the settings of the graph stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from clew.core.ports import ChunkStore, Embedder, GraphStore, Reranker
from clew.retrieve.cross_store_reranker import RerankTerms
from clew.retrieve.evidence_ranking import EvidenceWeights
from clew.retrieve.expansion import ExpansionSettings
from clew.retrieve.paths import STRONG_RELATIONS
from clew.retrieve.walk import WalkSettings


def utc_now() -> datetime:
    """Return the time, against which the age of a document is measured."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Parts:
    """Ports and settings of retrieval; `reranker` orders passages and summaries in one list."""

    chunks: ChunkStore
    graph: GraphStore
    embedder: Embedder
    walk: WalkSettings = field(default_factory=WalkSettings)
    strong_relations: tuple[str, ...] = STRONG_RELATIONS
    reranker: Reranker | None = None
    rerank_terms: RerankTerms = field(default_factory=RerankTerms)
    evidence: EvidenceWeights = field(default_factory=EvidenceWeights)
    expansion: ExpansionSettings = field(default_factory=ExpansionSettings)
    clock: Callable[[], datetime] = utc_now
