"""Questions as examples for the last ordering: the passages that are put in order, and the gold."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.knowledge_base import passages_by_document, records
from benchmarks.progress import show_progress
from clew import Clew
from clew.core.arrays import Booleans
from clew.core.ports import Embedder, Store
from clew.core.query import Query
from clew.engine.components import open_store
from clew.evaluate.datasets import Dataset, Question, find_file, load_dataset
from clew.evaluate.scifact import load_scifact
from clew.retrieve.choice import Candidates
from clew.retrieve.hybrid import find
from clew.retrieve.last_ordering import gather_pool
from clew.retrieve.parts import Parts
from clew.retrieve.question import prepare
from clew.retrieve.stopwatch import Stopwatch

COLLECTION = "default"


@dataclass(frozen=True, slots=True)
class Example:
    """A question: the candidates, the passage that each of them is, and which are gold.

    `weight` makes every data set count the same, however many questions it has.
    """

    candidates: Candidates
    passages: tuple[str, ...]
    gold: frozenset[str]
    weight: float

    @property
    def is_gold(self) -> Booleans:
        """Return which candidates are gold, shape (n,)."""
        return np.array([passage in self.gold for passage in self.passages], np.bool_)


def load_training_set(folder: Path) -> Dataset:
    """Return the data set in a folder; of SciFact, the claims of the training split."""
    if any(folder.glob("claims.jsonl*")):
        find_file(folder, "claims")
        return load_scifact(folder, split="train")
    return load_dataset(folder)


def gather_examples(
    dataset: Dataset, *, embedder: Embedder, store: Path | None
) -> tuple[Example, ...]:
    """Index the data set (in `store`, if one is given) and return an example a question."""
    with tempfile.TemporaryDirectory(prefix="clew-ordering-") as scratch:
        path = store or Path(scratch) / "benchmark.clew"
        with closing(open_store(path, create=True)) as opened:
            with closing(Clew.open(path, store=opened, embedder=embedder)) as base:
                report = base.add(records(dataset, titles=True), progress=show_progress())
            passages = passages_by_document(report, dataset)
            ids = {document: passage.id for document, passage in passages.items()}
            parts = Parts(opened, opened, embedder)
            return tuple(_examples(dataset.questions, opened, parts, ids))


def _examples(
    questions: tuple[Question, ...], store: Store, parts: Parts, ids: dict[int, str]
) -> Iterator[Example]:
    for one in questions:
        question = prepare(Query(one.text, collection=COLLECTION), parts.embedder)
        found = find(question, parts=parts, watch=Stopwatch())
        pool = gather_pool(
            question, found.ranked, found.anchors, found.named, chunks=store, graph=store
        )
        rows = store.chunks(COLLECTION, pool.ids.tolist())
        yield Example(
            pool.candidates,
            tuple(ids[row.document] for row in rows),
            one.gold,
            100.0 / len(questions),
        )
