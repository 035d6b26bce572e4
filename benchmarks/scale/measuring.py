"""Latency, opening and visibility of one store; run in a process of its own, whose memory counts."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import faiss
import numpy as np

from benchmarks.machine import peak_memory
from benchmarks.scale.building import COLLECTION, Query
from clew import Clew
from clew.core.arrays import Floats, Matrix
from clew.core.batches import ChunkBatch, GraphBatch, NodeVectors, Vectors
from clew.core.calibration import Calibration
from clew.core.documents import Chunk, Document, Span, Stage
from clew.core.ids import chunk_id, document_id, node_id, origin_id
from clew.core.knowledge import Mention
from clew.settings.load import load_settings
from clew.stores.embedded.store import EmbeddedStore
from clew.text.names import name_key

_WARM_UP = 20
_ADDED = 10


@dataclass(frozen=True, slots=True)
class Model:
    """What a store must know of the embedder whose vectors are given."""

    fingerprint: str
    dimensions: int
    calibration: Calibration


class GivenVectors:
    """Implements `Embedder` for questions whose vectors are known."""

    def __init__(self, model: Model, vectors: dict[str, Floats]) -> None:
        self.fingerprint = model.fingerprint
        self.dimensions = model.dimensions
        self.calibration = model.calibration
        self.vectors = vectors

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of known texts."""
        return np.stack([self.vectors[text] for text in texts])

    embed_passages = embed_questions


def measure(
    store: Path, model: Model, asked: Sequence[Query], *, warm_up: int = _WARM_UP
) -> dict[str, Any]:
    """Return the figures of one store; the first questions are not counted.

    Ten passages are added at the end, and removed again.
    """
    settings = load_settings({"cache": {"enabled": False}})
    embedder = GivenVectors(model, {query.text: query.vector for query in asked})
    # What must be loaded once a process is no cost of one store.
    Clew.open(store, settings=settings, embedder=embedder).close()
    start = perf_counter()
    opened = EmbeddedStore(store)
    base = Clew.open(store, settings=settings, store=opened, embedder=embedder)
    opened.degrees(COLLECTION, np.empty(0, np.int64))
    open_ms = (perf_counter() - start) * 1000
    start = perf_counter()
    base.search(asked[0].text, mode="hybrid")
    first_ms = (perf_counter() - start) * 1000
    figures: dict[str, Any] = {"open_ms": open_ms, "first_question_ms": first_ms}
    for mode in ("vector_only", "hybrid"):
        figures |= _latency(base, asked, mode, warm_up)
    figures["peak_mb"] = peak_memory()["process"]
    base.close()
    opened.close()
    figures["faiss_flat_p50_ms"] = _flat(store, asked)
    figures["add_one_ms"] = _add(store, settings, embedder)
    return figures


def _latency(base: Clew, asked: Sequence[Query], mode: str, warm_up: int) -> dict[str, Any]:
    for query in asked[:warm_up]:
        base.search(query.text, mode=mode)
    spent: list[float] = []
    stages: dict[str, list[float]] = {}
    found: list[float] = []
    for query in asked[warm_up:]:
        start = perf_counter()
        retrieval = base.search(query.text, mode=mode)
        elapsed = (perf_counter() - start) * 1000
        spent.append(elapsed - retrieval.timings.get("embed", 0.0))
        for stage, milliseconds in retrieval.timings.items():
            stages.setdefault(stage, []).append(milliseconds)
        documents = {result.document for result in retrieval.results[:5]}
        found.append(len(documents & query.gold) / max(len(query.gold), 1))
    return {
        f"{mode}_p50_ms": float(np.percentile(spent, 50)),
        f"{mode}_p95_ms": float(np.percentile(spent, 95)),
        f"{mode}_recall_at_5": float(np.mean(found)),
        f"{mode}_stages_ms": {name: float(np.median(values)) for name, values in stages.items()},
    }


def _flat(store: Path, asked: Sequence[Query]) -> float:
    """Return the median time of an exact search of FAISS in one thread, in ms."""
    held = EmbeddedStore(store)
    ids = [
        chunk.id
        for document in held.document_ids(COLLECTION)
        for chunk in held.document_chunks(COLLECTION, document)
    ]
    matrix = held.vectors(COLLECTION, np.array(ids, np.int64))
    held.close()
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(matrix.shape[1])
    index.add(matrix)
    spent: list[float] = []
    for query in asked:
        start = perf_counter()
        index.search(query.vector[None], 50)
        spent.append((perf_counter() - start) * 1000)
    return float(np.median(spent))


def _add(store: Path, settings: Any, embedder: GivenVectors) -> float:  # noqa: ANN401
    """Return the median time from the begin of a write to an answer that holds it, in ms."""
    opened = EmbeddedStore(store)
    base = Clew.open(store, settings=settings, store=opened, embedder=embedder)
    random = np.random.default_rng(3)
    spent: list[float] = []
    for number in range(_ADDED):
        name = f"Zanbor Quillfeather {number}"
        text = f"{name} keeps the lamps of the harbour."
        vector = random.standard_normal(embedder.dimensions).astype(np.float32)
        vector /= np.linalg.norm(vector)
        question = f"Who is {name}?"
        embedder.vectors[question] = vector
        batch, graph, nodes = _passage(name, text, vector)
        base.search(next(iter(embedder.vectors)), mode="hybrid")
        start = perf_counter()
        with opened.transaction():
            opened.write_chunks(COLLECTION, batch)
            opened.write_graph(COLLECTION, graph)
            opened.write_node_vectors(COLLECTION, nodes)
        found = base.search(question, mode="hybrid")
        spent.append((perf_counter() - start) * 1000)
        if batch.chunks[0].id not in [result.id for result in found.results]:
            raise RuntimeError(f"the added passage {name!r} is not among the results")
    with opened.transaction():
        for number in range(_ADDED):
            name = f"Zanbor Quillfeather {number}"
            opened.erase(COLLECTION, origin_id(name))
            opened.remove_document(COLLECTION, document_id(name, "1"))
    base.close()
    opened.close()
    return float(np.median(spent))


def _passage(name: str, text: str, vector: Floats) -> tuple[ChunkBatch, GraphBatch, NodeVectors]:
    document = Document(document_id(name, "1"), name, "1", name, text)
    chunk = Chunk(chunk_id(name, text), document.id, 0, text, Span(0, len(text)))
    node = node_id(name_key(name))
    mention = Mention(chunk.id, node, name, name_key(name), Span(0, len(name)))
    ids = np.array([chunk.id], np.int64)
    return (
        ChunkBatch((document,), (chunk,), Vectors(ids, vector[None]), Stage.LINKED, (chunk.id,)),
        GraphBatch(origin_id(name), (mention,)),
        NodeVectors(
            np.array([node], np.int64), vector[None], vector[None], np.array([origin_id(name)])
        ),
    )


def run(task: Path) -> dict[str, Any]:
    """Measure what a task file names."""
    store, model, asked = pickle.loads(task.read_bytes())  # noqa: S301 - our own file
    return measure(store, model, asked)
