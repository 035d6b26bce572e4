"""GraphRAG-Bench, medical: how much of each answer the retrieved passages hold, by question type.

    python -m benchmarks.graphrag_bench --data DIR --modes vector_only,keyword,kg_only,hybrid

DIR holds `medical_corpus.txt.gz`, one text, and `medical_questions.jsonl.gz` (question, answer,
question_type); `--limit N` asks the first N of each type. The copies that are about name no evidence passages, so that evidence recall is
measured on words: the share of the gold answer's distinct terms (by stem, those of the question
left out) that the first k chunks hold.
It favours long passages and says nothing of order; compare modes with it, not systems.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.machine import machine_facts
from benchmarks.options import add_common, common_options
from benchmarks.progress import show_progress
from benchmarks.run import Options
from clew import Clew, __version__
from clew.core.errors import ClewError, EvaluationError
from clew.core.query import retrieval_mode
from clew.core.results import Retrieval
from clew.evaluate.bootstrap import bootstrap_mean
from clew.evaluate.term_recall import answer_terms, term_recall

CUTS = (5, 10)
EVERY_TYPE = "all"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the benchmark."""

    text: str
    answer: str
    kind: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.graphrag_bench", description=__doc__
    )
    add_common(parser)
    options = common_options(parser.parse_args(arguments))
    try:
        outcome = run(options)
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome))
    if options.json:
        options.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def run(options: Options) -> dict[str, Any]:
    """Index the corpus, ask every question in every mode and return the figures."""
    modes = [str(retrieval_mode(mode)) for mode in options.modes]
    questions = first_of_each(
        read_questions(options.data / "medical_questions.jsonl.gz"), options.limit
    )
    with tempfile.TemporaryDirectory(prefix="clew-benchmark-") as scratch:
        store = options.store or Path(scratch) / "benchmark.clew"
        start = perf_counter()
        with closing(Clew.open(store)) as base:
            corpus = _read(options.data / "medical_corpus.txt.gz")
            record = {"source": "medical", "title": "Patient guidance", "text": corpus}
            base.add([record], progress=show_progress())
            chunks = base.status().chunks
        seconds = perf_counter() - start
        figures = {}
        for mode in modes:
            with closing(Clew.open(store)) as base:
                figures[mode] = _figures(base, questions, mode)
    return {
        "dataset": "graphrag-bench medical",
        "questions": len(questions),
        "chunks": chunks,
        "index_seconds": round(seconds, 1),
        "modes": figures,
        "machine": machine_facts(),
        "version": __version__,
    }


def read_questions(file: Path) -> Iterator[Asked]:
    """Yield the questions of a file.

    Raises:
        EvaluationError: the file is missing or a row lacks a field.
    """
    for number, line in enumerate(_read(file).splitlines(), start=1):
        row = json.loads(line)
        try:
            yield Asked(row["question"], row["answer"], row["question_type"])
        except KeyError as error:
            raise EvaluationError(f"{file}:{number} has no {error}") from None


def first_of_each(questions: Iterable[Asked], limit: int | None) -> list[Asked]:
    """Return the first `limit` questions of each type, in order; None: all."""
    taken: Counter[str] = Counter()
    kept = []
    for question in questions:
        taken[question.kind] += 1
        if limit is None or taken[question.kind] <= limit:
            kept.append(question)
    return kept


def _figures(base: Clew, questions: Sequence[Asked], mode: str) -> dict[str, Any]:
    scores: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        wanted = answer_terms(question.answer, question=question.text)
        if not wanted:
            continue
        found = passages_of(base.search(question.text, mode=mode, top_k=max(CUTS)))
        for cut in CUTS:
            score = term_recall(wanted, found[:cut])
            for kind in (question.kind, EVERY_TYPE):
                scores[kind][cut].append(score)
    return {
        kind: {
            "questions": len(by_cut[CUTS[0]]),
            **{f"recall@{cut}": _interval(by_cut[cut]) for cut in CUTS},
        }
        for kind, by_cut in scores.items()
    }


def passages_of(retrieval: Retrieval) -> list[str]:
    """Return the texts of passages and summaries in one order."""
    rows = [(result.score, result.content) for result in retrieval.results]
    rows += [(one.score, one.community.summary) for one in retrieval.communities]
    return [text for _, text in sorted(rows, key=lambda row: -row[0])]


def _interval(scores: Sequence[float]) -> list[float]:
    found = bootstrap_mean(scores)
    return [round(found.mean, 4), round(found.low, 4), round(found.high, 4)]


def table(outcome: Mapping[str, Any]) -> str:
    """Return a Markdown table: one mode a row, recall@10 in per cent by question type."""
    modes: Mapping[str, Any] = outcome["modes"]
    kinds = list(dict.fromkeys(kind for values in modes.values() for kind in values))
    lines = [
        f"{outcome['dataset']}: {outcome['questions']} questions, {outcome['chunks']} chunks",
        "",
        "| mode | " + " | ".join(kinds) + " |",
        "| --- " * (1 + len(kinds)) + "|",
    ]
    for mode, values in modes.items():
        cells = []
        for kind in kinds:
            mean, low, high = values[kind][f"recall@{CUTS[-1]}"]
            cells.append(f"{100 * mean:.1f} ({100 * low:.1f}-{100 * high:.1f})")
        lines.append(f"| {mode} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _read(file: Path) -> str:
    if not file.is_file():
        raise EvaluationError(f"{file} is missing: it is no copy of GraphRAG-Bench")
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return text.read()


if __name__ == "__main__":
    sys.exit(main())
