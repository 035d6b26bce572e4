"""A snapshot: one generation of a collection's derived files, memory-mapped and never changed."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.stores.embedded.adjacency import HalfEdges, half_edges, half_mentions
from clew.stores.embedded.columns import CHUNK, EDGE, MENTION, NODE, Labels
from clew.stores.embedded.keywords import KeywordIndex
from clew.stores.embedded.manifest import Manifest, damage, read_manifest
from clew.stores.embedded.token_streams import TokenStream
from clew.stores.embedded.vectors import VectorIndex
from clew.stores.embedded.wording import NAME_USE, Texts

KEYWORDS = "keywords"
EDGE_ROWS = np.dtype([("source", "i4"), ("target", "i4")])
EVIDENCE_ROWS = np.dtype([("edge", "i4"), ("chunk", "i4")])
MENTION_ROWS = np.dtype([("chunk", "i4"), ("node", "i4")])


class Snapshot:
    """Columns and indexes of a collection as of change `seq`. Files are mapped when first used.

    Rows that point into other columns of the snapshot (`*_rows`) are -1 where the id has none.
    """

    def __init__(self, directory: Path | None, manifest: Manifest) -> None:
        self._directory = directory
        self.manifest = manifest

    @property
    def generation(self) -> int:
        """Number of the snapshot, 0 for the empty one."""
        return self.manifest.generation

    @property
    def seq(self) -> int:
        """The last change that the snapshot covers."""
        return self.manifest.seq

    @cached_property
    def chunks(self) -> NDArray[Any]:
        """`CHUNK` rows."""
        return self._mapped("chunks", CHUNK)

    @cached_property
    def chunk_ids(self) -> Ids:
        """Ids of chunks, contiguous for fast search."""
        return np.ascontiguousarray(self.chunks["id"])

    @cached_property
    def document_ids(self) -> Ids:
        """Sorted ids of the chunks' documents."""
        return self._mapped("documents", np.int64)

    @cached_property
    def chunk_document_rows(self) -> NDArray[np.int32]:
        """Row in `document_ids` of each chunk."""
        return self._mapped("chunk_documents", np.int32)

    @cached_property
    def nodes(self) -> NDArray[Any]:
        """`NODE` rows."""
        return self._mapped("nodes", NODE)

    @cached_property
    def node_ids(self) -> Ids:
        """Ids of nodes, contiguous for fast search."""
        return np.ascontiguousarray(self.nodes["id"])

    @cached_property
    def degrees(self) -> NDArray[np.int32]:
        """Live knowledge edges of each node."""
        return self._mapped("degrees", np.int32)

    @cached_property
    def labels(self) -> Labels:
        """Labels by code; codes of fresh labels are added behind."""
        if self._directory is None:
            return Labels()
        return Labels.of(json.loads((self._directory / "labels.json").read_text("utf-8")))

    @cached_property
    def edges(self) -> NDArray[Any]:
        """`EDGE` rows."""
        return self._mapped("edges", EDGE)

    @cached_property
    def edge_ids(self) -> Ids:
        """Ids of edges, contiguous for fast search."""
        return np.ascontiguousarray(self.edges["id"])

    @cached_property
    def edge_rows(self) -> NDArray[Any]:
        """`EDGE_ROWS`: node rows of each edge's ends."""
        return self._mapped("edge_rows", EDGE_ROWS)

    @cached_property
    def evidence_rows(self) -> NDArray[Any]:
        """`EVIDENCE_ROWS` by edge."""
        return self._mapped("evidence_rows", EVIDENCE_ROWS)

    @cached_property
    def mentions(self) -> NDArray[Any]:
        """`MENTION` rows."""
        return self._mapped("mentions", MENTION)

    @cached_property
    def mention_chunks(self) -> Ids:
        """Chunk of each mention, sorted and contiguous."""
        return np.ascontiguousarray(self.mentions["chunk"])

    @cached_property
    def mention_rows(self) -> NDArray[Any]:
        """`MENTION_ROWS` of each mention."""
        return self._mapped("mention_rows", MENTION_ROWS)

    @cached_property
    def half(self) -> HalfEdges:
        """Knowledge edges by node."""
        return half_edges(self.edges) if self._directory is None else self._half("half")

    @cached_property
    def mention_half(self) -> HalfEdges:
        """Mentions by chunk and by node."""
        if self._directory is None:
            return half_mentions(self.mentions)
        return self._half("mention_half")

    @cached_property
    def node_texts(self) -> Texts:
        """Names of nodes."""
        return self._texts("node_text")

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Relations by code."""
        if self._directory is None:
            return ()
        return tuple(json.loads((self._directory / "relations.json").read_text("utf-8")))

    @cached_property
    def edge_relations(self) -> NDArray[np.int32]:
        """Code of each edge's relation."""
        return self._mapped("edge_relations", np.int32)

    @cached_property
    def edge_chunks(self) -> Ids:
        """Chunk that states each edge best."""
        return self._mapped("edge_chunks", np.int64)

    @cached_property
    def name_uses(self) -> NDArray[Any]:
        """`NAME_USE` rows by key."""
        return self._mapped("name_uses", NAME_USE)

    @cached_property
    def name_keys(self) -> Ids:
        """Key of each row of `name_uses`, contiguous for fast search."""
        return np.ascontiguousarray(self.name_uses["key"])

    @cached_property
    def vectors(self) -> VectorIndex:
        """Vectors of chunks."""
        return self._vectors("vector_ids", "vectors")

    @cached_property
    def vector_rows(self) -> NDArray[np.int32]:
        """Chunk row of each vector."""
        return self._mapped("vector_rows", np.int32)

    @cached_property
    def node_names(self) -> VectorIndex:
        """Name vectors of nodes."""
        return self._vectors("node_vector_ids", "node_names")

    @cached_property
    def node_searches(self) -> VectorIndex:
        """Search vectors of nodes."""
        return self._vectors("node_vector_ids", "node_searches")

    @cached_property
    def node_vector_rows(self) -> NDArray[np.int32]:
        """Node row of each node vector."""
        return self._mapped("node_vector_rows", np.int32)

    @cached_property
    def stream(self) -> TokenStream:
        """Words of the chunks."""
        from_files = self._directory is not None
        return TokenStream(
            self._mapped("text_offsets", np.int64) if from_files else np.zeros(1, np.int64),
            self._mapped("tokens", np.int32),
            self._mapped("texts", np.dtype([("title_words", "i4"), ("length", "i4")])),
        )

    @cached_property
    def keywords(self) -> KeywordIndex:
        """Keyword and phrase index of the chunks."""
        return KeywordIndex(
            (self._directory or Path()) / KEYWORDS,
            stream=self.stream,
            word_hashes=self._mapped("word_hashes", np.int64),
        )

    @property
    def words(self) -> list[str]:
        """Words by their number in the stream."""
        if self._directory is None:
            return []
        text = (self._directory / "words.txt").read_text("utf-8")
        return text.split("\n") if text else []

    def centroids(self, name: str) -> NDArray[np.float32] | None:
        """Return the centroids of a matrix's inverted lists, None where it has none."""
        if f"{name}.centroids.npy" not in self.manifest.files:
            return None
        return self._mapped(f"{name}.centroids", np.float32)

    def _texts(self, name: str) -> Texts:
        offsets = np.zeros(1, np.int64)
        if self._directory is not None:
            offsets = self._mapped(f"{name}_offsets", np.int64)
        return Texts(offsets, self._mapped(f"{name}_bytes", np.uint8))

    def _half(self, name: str) -> HalfEdges:
        return HalfEdges(
            ends=self._mapped(f"{name}_ends", np.int64),
            offsets=self._mapped(f"{name}_offsets", np.int64),
            target=self._mapped(f"{name}_targets", np.int64),
            step=self._mapped(f"{name}_steps", np.int32),
            confidence=self._mapped(f"{name}_confidences", np.float32),
        )

    def _vectors(self, ids: str, matrix: str) -> VectorIndex:
        lists = f"{matrix}.lists"
        has_lists = self._directory is not None and lists in self.manifest.files
        return VectorIndex(
            self._mapped(ids, np.int64),
            self._mapped(matrix, np.float32) if self._directory else np.empty((0, 0), np.float32),
            lists=self._directory / lists if has_lists and self._directory else None,
        )

    def _mapped(self, name: str, dtype: Any) -> NDArray[Any]:  # noqa: ANN401 - numpy's own type
        if self._directory is None:
            return np.empty(0, dtype)
        return mapped(self._directory / f"{name}.npy")


def mapped(path: Path) -> NDArray[Any]:
    """Map an array file; an empty one is read, since nothing can be mapped."""
    array = np.load(path, mmap_mode="r")
    # A plain array over the same memory: numpy slices its memmap class several times slower.
    return np.asarray(array)


def empty_snapshot(seq: int = 0) -> Snapshot:
    """Return the snapshot of nothing."""
    return Snapshot(None, Manifest(0, seq, 0, {}))


def open_snapshot(directory: Path) -> Snapshot | None:
    """Return the snapshot in `directory`, None if anything of it is missing or damaged."""
    manifest = read_manifest(directory)
    if manifest is None or damage(directory, manifest, every_byte=False):
        return None
    return Snapshot(directory, manifest)
