"""Small worlds for resolution and linking: documents of one chunk, and an embedder by table."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Matrix
from clew.core.batches import ChunkBatch
from clew.core.calibration import Calibration
from clew.core.documents import Chunk, Document, Span
from clew.core.extraction import Extraction, FoundName, Triple
from clew.core.ids import chunk_id, document_id
from clew.core.knowledge import EdgeType, NodeType
from clew.core.ports import Store
from clew.knowledge.resolution import Resolved, Resolver

KB = "kb"
DIMENSIONS = 64


class TableEmbedder:
    """Unit vectors by hash; texts of one `group` share a direction and have cosine `closeness`."""

    fingerprint = "table"
    dimensions = DIMENSIONS
    calibration = Calibration()

    def __init__(self, *groups: Sequence[str], closeness: float = 0.95) -> None:
        self._group = {text: number for number, group in enumerate(groups) for text in group}
        self._closeness = closeness

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return np.array([self._vector(text) for text in texts], np.float32)

    embed_questions = embed_passages

    def _vector(self, text: str) -> Matrix:
        own = hashed(text)
        if text not in self._group:
            return own
        shared = hashed(f"group {self._group[text]}")
        own -= shared * (own @ shared)
        own /= np.linalg.norm(own)
        root = np.sqrt(self._closeness)
        return np.asarray(root * shared + np.sqrt(1 - self._closeness) * own, np.float32)


def hashed(text: str) -> Matrix:
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def document(source: str, title: str, text: str) -> tuple[Document, Chunk]:
    made = Document(document_id(source, text), source, text, title, text)
    return made, Chunk(chunk_id(source, text), made.id, 0, text, Span(0, len(text)))


def name(
    text: str, surface: str, label: str | None = None, *, alias_of: str | None = None
) -> FoundName:
    start = text.index(surface)
    span = Span(start, start + len(surface))
    return FoundName(surface, span, NodeType.ENTITY, label, 0.9, alias_of)


def related(subject: str, relation: str, other: str) -> Triple:
    return Triple(subject, relation, other, EdgeType.RELATED_TO, Span(0, 1), 0.8)


def add(
    store: Store,
    resolver: Resolver,
    source: str,
    title: str,
    text: str,
    names: Sequence[FoundName] = (),
    triples: Sequence[Triple] = (),
) -> Resolved:
    """Write a document of one chunk and its resolved names."""
    made, chunk = document(source, title, text)
    store.write_chunks(KB, ChunkBatch(documents=(made,), chunks=(chunk,)))
    resolver.register_titles(KB, [made])
    resolved = resolver.resolve(
        KB,
        document=made,
        chunks=[chunk],
        extractions=[Extraction(tuple(names), tuple(triples))],
    )
    store.write_graph(KB, resolved.batch)
    return resolved
