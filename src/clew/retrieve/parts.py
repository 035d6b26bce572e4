"""What every mode is given: the stores, the embedder and the settings of the graph stages."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.core.ports import ChunkStore, Embedder, GraphStore, Reranker
from clew.retrieve.paths import STRONG_RELATIONS
from clew.retrieve.walk import WalkSettings


@dataclass(frozen=True, slots=True)
class Parts:
    """Ports and settings of retrieval."""

    chunks: ChunkStore
    graph: GraphStore
    embedder: Embedder
    walk: WalkSettings = field(default_factory=WalkSettings)
    strong_relations: tuple[str, ...] = STRONG_RELATIONS
    reranker: Reranker | None = None
