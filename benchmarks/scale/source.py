"""What a store holds of an indexed data set, as rows to be written again, and its questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.knowledge_base import records
from benchmarks.progress import show_progress
from benchmarks.scale.renaming import entity_words
from clew import Clew
from clew.core.arrays import Ids, Matrix
from clew.core.documents import Chunk, Document
from clew.core.errors import EvaluationError
from clew.core.ids import origin_id
from clew.core.knowledge import Claim, Edge, Mention
from clew.evaluate.datasets import load_dataset
from clew.stores.embedded.store import EmbeddedStore

Row = TypeVar("Row", Mention, Claim)

_COLLECTION = "default"
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Passage:
    """A document with its chunks and what they say; `edges` carry the evidence of these alone."""

    document: Document
    chunks: tuple[Chunk, ...]
    rows: tuple[int, ...]
    mentions: tuple[Mention, ...]
    edges: tuple[Edge, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its vector's row, and the sources of the passages that answer it."""

    text: str
    row: int
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """One indexed data set. Rows of passages and nodes point into the matrices."""

    name: str
    facts: Mapping[str, str]
    passages: tuple[Passage, ...]
    vectors: Matrix
    nodes: Ids
    node_vectors: Matrix
    words: frozenset[str]
    questions: tuple[Asked, ...]


def index(data: Path, store: Path) -> None:
    """Index a data set, or finish what an earlier run left."""
    base = Clew.open(store)
    try:
        base.add(records(load_dataset(data), titles=True), progress=show_progress())
    finally:
        base.close()


def read_source(data: Path, store: Path) -> Source:
    """Return all that is needed to write the data set again.

    Raises:
        EvaluationError: the store holds something else, or is not complete.
    """
    dataset = load_dataset(data)
    sources = {passage.id: f"passage:{row}" for row, passage in enumerate(dataset.passages)}
    held = EmbeddedStore(store)
    try:
        passages = _passages(held)
        if len(passages) != len(dataset.passages):
            raise EvaluationError(
                f"{store} holds {len(passages)} passages of the {len(dataset.passages)} in {data}; "
                "give another --store, or leave it out"
            )
        nodes = held.node_ids(_COLLECTION)
        chunks = np.array([chunk.id for passage in passages for chunk in passage.chunks], np.int64)
        return Source(
            dataset.name,
            dict(held.facts(_COLLECTION)),
            passages,
            held.vectors(_COLLECTION, chunks),
            nodes,
            held.node_vectors(_COLLECTION, nodes),
            entity_words(m.surface for passage in passages for m in passage.mentions),
            tuple(
                Asked(question.text, row, frozenset(sources[gold] for gold in question.gold))
                for row, question in enumerate(dataset.questions)
            ),
        )
    finally:
        held.close()


def _passages(store: EmbeddedStore) -> tuple[Passage, ...]:
    owner: dict[int, int] = {}
    documents = store.documents(_COLLECTION)
    documents.sort(key=lambda document: int(document.source.rpartition(":")[2]))
    chunks: dict[int, tuple[Chunk, ...]] = {}
    for document in documents:
        chunks[document.id] = tuple(store.document_chunks(_COLLECTION, document.id))
        owner.update((chunk.id, document.id) for chunk in chunks[document.id])
    mentions = _by_document(store.mentions(_COLLECTION, list(owner)), owner)
    claims = _by_document(store.claims(_COLLECTION, list(owner)), owner)
    edges = _edges(store, owner)
    row_of = {chunk: row for row, chunk in enumerate(owner)}
    return tuple(
        Passage(
            document,
            chunks[document.id],
            tuple(row_of[chunk.id] for chunk in chunks[document.id]),
            tuple(mentions[document.id]),
            tuple(edges[document.id]),
            tuple(claims[document.id]),
        )
        for document in documents
    )


def _by_document(rows: Iterable[Row], owner: Mapping[int, int]) -> defaultdict[int, list[Row]]:
    grouped: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[owner[row.chunk]].append(row)
    return grouped


def _edges(store: EmbeddedStore, owner: Mapping[int, int]) -> defaultdict[int, list[Edge]]:
    """Return, by document, the edges that it states, with its own evidence."""
    grouped: defaultdict[int, list[Edge]] = defaultdict(list)
    ids = store.edge_ids(_COLLECTION).tolist()
    for start in range(0, len(ids), _AT_ONCE):
        for edge in store.edges(_COLLECTION, ids[start : start + _AT_ONCE]):
            for document in {owner[item.chunk] for item in edge.evidence if item.chunk in owner}:
                own = tuple(item for item in edge.evidence if owner.get(item.chunk) == document)
                grouped[document].append(replace(edge, evidence=own))
    return grouped


def origin_of(document: Document) -> int:
    """Return the origin of a document's knowledge."""
    return origin_id(document.source)
