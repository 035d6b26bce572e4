"""TimeQA through Clew: paragraphs as documents, questions of one half of the pages."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.temporal_questions import share
from clew.core.errors import EvaluationError
from clew.core.jobs import IngestReport
from clew.engine.clew import Clew

FILE = "human_annotated_test.jsonl.gz"
FETCH = 30


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question, the sources of the paragraphs that answer it (none: unanswerable), its page."""

    text: str
    gold: frozenset[str]
    page: int


@dataclass(frozen=True, slots=True)
class Pages:
    """Records of all paragraphs, and the questions."""

    records: tuple[Mapping[str, str], ...]
    questions: tuple[TimedQuestion, ...]


def load_pages(folder: Path, *, limit: int | None = None) -> Pages:
    """Return the paragraphs and questions of the first `limit` pages."""
    with gzip.open(folder / FILE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()][:limit]
    records: list[Mapping[str, str]] = []
    questions: list[TimedQuestion] = []
    for page, row in enumerate(rows):
        title = row["link"].removeprefix("/wiki/").replace("_", " ")
        records += [
            {"source": _source(row["link"], page, number), "title": title, "text": text}
            for number, text in enumerate(row["paras"])
            if text.strip()
        ]
        questions += [
            TimedQuestion(
                text,
                frozenset(
                    _source(row["link"], page, answer["para"])
                    for answer in answers
                    if answer["answer"]
                ),
                page,
            )
            for text, answers in row["questions"]
        ]
    return Pages(tuple(records), tuple(questions))


def half_of(questions: Sequence[TimedQuestion], half: str) -> list[TimedQuestion]:
    """Return the questions of even pages (`tuning`), odd pages (`report`) or `all`."""
    wanted = {"tuning": (0,), "report": (1,), "all": (0, 1)}[half]
    return [question for question in questions if question.page % 2 in wanted]


def hits(
    base: Clew, questions: Sequence[TimedQuestion], report: IngestReport, *, mode: str
) -> dict[str, Any]:
    """Return the shares of answerable questions with a gold paragraph in the first 1, 5 and 10."""
    source_of = {file.document: file.source for file in report.files}
    found: dict[int, list[bool]] = {1: [], 5: [], 10: []}
    for question in questions:
        if not question.gold:
            continue
        results = base.search(question.text, mode=mode, top_k=FETCH).results
        sources = list(dict.fromkeys(source_of.get(result.document) for result in results))
        if None in sources:
            raise EvaluationError("the store holds other documents too; give another --store")
        for k, truths in found.items():
            truths.append(not question.gold.isdisjoint(sources[:k]))
    return {"questions": len(found[1])} | {f"hit@{k}": share(truths) for k, truths in found.items()}


def refusals(base: Clew, questions: Sequence[TimedQuestion], *, mode: str) -> dict[str, Any]:
    """Return how many unanswerable and answerable questions `ask` refuses."""
    refused = {
        answerable: [
            not base.ask(question.text, mode=mode).answered
            for question in questions
            if bool(question.gold) is answerable
        ]
        for answerable in (False, True)
    }
    return {
        "unanswerable": len(refused[False]),
        "refused": share(refused[False]),
        "answerable": len(refused[True]),
        "refused_wrongly": share(refused[True]),
    }


def _source(link: str, page: int, number: int) -> str:
    return f"{link}:{page}:{number}"
