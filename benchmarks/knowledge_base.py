"""What the benchmark needs of Clew, and the two things it does with it: index and search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Protocol

from benchmarks.scoring import Ranking
from clew.core.errors import EvaluationError
from clew.core.jobs import IngestReport, Progress
from clew.core.results import Retrieval
from clew.evaluate.datasets import Dataset, Passage, Question

WARM_UP = ("Who built the first lighthouse?", "Where does the river end?", "When was it found?")


class KnowledgeBase(Protocol):
    """The part of the facade `Clew` that the benchmark uses."""

    def add(
        self,
        *inputs: Sequence[Mapping[str, str]],
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Index records that have a source, a text and perhaps a title."""
        ...

    def search(self, question: str, *, mode: str, top_k: int) -> Retrieval:
        """Return ranked chunks."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


def records(dataset: Dataset, *, titles: bool) -> list[dict[str, str]]:
    """Return the passages as Clew takes them.

    Sources are numbers, since in some data sets the id is the title, which `titles` False hides.
    """
    return [
        {"source": _source(row), "text": passage.text}
        | ({"title": passage.title} if titles else {})
        for row, passage in enumerate(dataset.passages)
    ]


def passages_by_document(report: IngestReport, dataset: Dataset) -> dict[int, Passage]:
    """Return which passage each document of the report is.

    Raises:
        EvaluationError: a passage was not indexed; its reason is quoted.
    """
    by_source = {file.source: file for file in report.files}
    result: dict[int, Passage] = {}
    for row, passage in enumerate(dataset.passages):
        found = by_source.get(_source(row))
        if found is None or found.document is None:
            reason = "it is missing in the report" if found is None else found.reason
            raise EvaluationError(f"passage {passage.id!r} was not indexed: {reason}")
        result[found.document] = passage
    return result


def rank(
    base: KnowledgeBase,
    questions: Sequence[Question],
    *,
    passages: Mapping[int, Passage],
    mode: str,
    fetch: int,
) -> Iterator[Ranking]:
    """Yield the ranking of each question; the first searches, which load models, are not timed.

    Raises:
        EvaluationError: the store holds documents of something else.
    """
    for warm_up in WARM_UP:
        base.search(warm_up, mode=mode, top_k=fetch)
    for question in questions:
        start = perf_counter()
        retrieval = base.search(question.text, mode=mode, top_k=fetch)
        total_ms = (perf_counter() - start) * 1000.0
        yield Ranking(
            question=question,
            passages=_distinct(retrieval, passages),
            total_ms=total_ms,
            embed_ms=retrieval.timings.get("embed", 0.0),
        )


def _distinct(retrieval: Retrieval, passages: Mapping[int, Passage]) -> tuple[str, ...]:
    """Return the passages of the retrieved chunks, each where its first chunk stands."""
    found: dict[str, None] = {}
    for result in retrieval.results:
        passage = passages.get(result.document)
        if passage is None:
            raise EvaluationError(
                f"document {result.document:016x} is none of this data set: the store holds "
                "something else; give another --store"
            )
        found.setdefault(passage.id)
    return tuple(found)


def _source(row: int) -> str:
    return f"passage:{row}"
