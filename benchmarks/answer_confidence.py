"""Answers without a language model: fits `ConfidenceModel` and reports how far it can be trusted.

    python -m benchmarks.answer_confidence --data DIR [DIR ...]

Each DIR holds `corpus.jsonl.gz` and `questions.jsonl.gz` (see `clew.evaluate.datasets`); the
constants in `clew.reason.confidence` come from hotpotqa-train100 and musique-train100-openie.

An answer counts as right if its text contains the gold answer, both normalised as in SQuAD; where
that is "yes" or "no", if it quotes every gold passage. Reliability (Brier score, expected
calibration error in ten bins) is that of five-fold cross-validation: each question is judged by a
model that was fitted on others; the printed coefficients are those fitted on all of them.

Abstention is measured on three kinds of question: those of the collection itself, the same with
the gold passages taken out of what was retrieved, and those of the other data sets.
"""

from __future__ import annotations

import argparse
import json
import re
import string
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.knowledge_base import KnowledgeBase, passages_by_document, records
from benchmarks.progress import show_progress
from clew import Clew
from clew.core.errors import ClewError, EvaluationError
from clew.core.results import Retrieval
from clew.engine.components import open_store
from clew.evaluate.datasets import Dataset, Passage, Question, load_dataset
from clew.models.bundled import bundled_embedder
from clew.reason.abstention import SUPPORT_THRESHOLD
from clew.reason.citations import answer_text, number_passages
from clew.reason.confidence import AnswerSignals, ConfidenceModel
from clew.reason.extractive import Examination, ExtractiveAnswerer, quotations

OWN, WITHOUT_GOLD, FOREIGN = "own", "without gold", "foreign"
SIGNALS = tuple(field.name for field in fields(AnswerSignals))
FETCH = 30
TOP = 10
FOLDS = 5
BINS = 10
RIDGE = 1.0
MODE = "hybrid"

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: a knowledge base and the answerer over the same store."""

    base: KnowledgeBase
    answerer: ExtractiveAnswerer


OpenSubject = Callable[[Path], AbstractContextManager[Subject]]


@contextmanager
def open_clew(path: Path) -> Iterator[Subject]:
    """Yield Clew with its defaults and a new store at `path`."""
    embedder = bundled_embedder()
    with closing(open_store(path, create=True)) as store:
        base = Clew.open(path, store=store, embedder=embedder)
        with closing(base):
            yield Subject(base, ExtractiveAnswerer(chunks=store, graph=store, embedder=embedder))


@dataclass(frozen=True, slots=True)
class Case:
    """A question as asked: its kind, the signals of its answer and whether that was right."""

    kind: str
    signals: AnswerSignals
    right: bool


def squad_words(text: str) -> list[str]:
    """Return the words of `text` as SQuAD compares them: without case, punctuation, articles.

    Source: Rajpurkar et al., SQuAD (2016), the official evaluation.
    """
    plain = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(?:a|an|the)\b", " ", plain).split()


def contains_answer(text: str, answer: str) -> bool:
    """Return whether the words of `answer` stand in `text` in a row."""
    held, wanted = squad_words(re.sub(r"\[\d+\]", " ", text)), squad_words(answer)
    width = len(wanted)
    return bool(wanted) and any(
        held[at : at + width] == wanted for at in range(len(held) - width + 1)
    )


def is_right(question: Question, seen: Examination, passages: Mapping[int, Passage]) -> bool:
    """Return whether what `seen` would quote answers the question (see the top of this file)."""
    quoted = quotations(seen)
    if question.answer is None or " ".join(squad_words(question.answer)) in {"yes", "no"}:
        cited = {passages[one.passage.document.id].id for one in quoted}
        return question.gold <= cited
    markers = number_passages(one.passage.chunk.id for one in quoted)
    return contains_answer(answer_text(quoted, markers), question.answer)


def cases(
    subject: Subject,
    dataset: Dataset,
    foreign: Sequence[Question],
    passages: Mapping[int, Passage],
) -> Iterator[Case]:
    """Yield each question of the data set as it is and without gold, then the foreign ones."""
    for question in dataset.questions:
        retrieval = subject.base.search(question.text, mode=MODE, top_k=FETCH)
        gold = {document for document, one in passages.items() if one.id in question.gold}
        for kind, without in ((OWN, frozenset[int]()), (WITHOUT_GOLD, frozenset(gold))):
            seen = subject.answerer.examine(_cut(retrieval, without))
            yield Case(kind, seen.signals, is_right(question, seen, passages))
    for question in foreign:
        retrieval = subject.base.search(question.text, mode=MODE, top_k=TOP)
        yield Case(FOREIGN, subject.answerer.examine(retrieval).signals, right=False)


def _cut(retrieval: Retrieval, without: frozenset[int]) -> Retrieval:
    """Return the first passages that are of no document in `without`, and the paths if all stay."""
    kept = tuple(one for one in retrieval.results if one.document not in without)[:TOP]
    return replace(retrieval, results=kept, paths=() if without else retrieval.paths)


def fit(signals: Vector, right: Vector) -> Vector:
    """Return intercept and coefficients of a ridge logistic regression, by Newton's method.

    `signals` (n, d), `right` (n,) of 0 and 1; result (d + 1,). The intercept is penalised
    only so much that it stays finite where all are right.
    """
    design = np.column_stack([np.ones(len(signals)), signals])
    penalty = RIDGE * np.eye(design.shape[1])
    penalty[0, 0] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-design @ weights))
        gradient = design.T @ (chance - right) + penalty @ weights
        curvature = design.T @ (design * (chance * (1.0 - chance))[:, None]) + penalty
        change = np.linalg.solve(curvature, gradient)
        weights -= change
        if np.abs(change).max() < 1e-9:
            break
    return weights


def cross_validated(signals: Vector, right: Vector) -> Vector:
    """Return each question's probability from a model fitted on the other folds, shape (n,)."""
    fold = np.random.default_rng(0).permutation(len(right)) % FOLDS
    chance = np.zeros(len(right))
    for held_out in range(FOLDS):
        test = fold == held_out
        weights = fit(signals[~test], right[~test])
        chance[test] = 1.0 / (1.0 + np.exp(-(weights[0] + signals[test] @ weights[1:])))
    return chance


def brier_score(chance: Vector, right: Vector) -> float:
    """Return the mean squared difference (Brier 1950)."""
    return float(np.mean((chance - right) ** 2))


def calibration_error(chance: Vector, right: Vector) -> float:
    """Return the expected calibration error: mean |confidence - accuracy| over equal-width bins,
    weighted by their questions (Naeini et al., AAAI 2015)."""
    bins = np.minimum((chance * BINS).astype(int), BINS - 1)
    gaps = (
        abs(float(chance[bins == place].mean() - right[bins == place].mean()))
        * float(np.mean(bins == place))
        for place in np.unique(bins)
    )
    return sum(gaps)


def report(found: Sequence[Case]) -> dict[str, object]:
    """Return the fitted model, its reliability on held-out questions and who is abstained from."""
    own = [case for case in found if case.kind == OWN]
    signals = np.array([[getattr(case.signals, name) for name in SIGNALS] for case in own])
    right = np.array([case.right for case in own], np.float64)
    if len(set(right.tolist())) < 2:
        raise EvaluationError("all answers are right, or none is: there is nothing to fit")
    weights = fit(signals, right)
    chance = cross_validated(signals, right)
    model = ConfidenceModel(*(round(float(value), 2) for value in weights))
    return {
        "model": {field.name: getattr(model, field.name) for field in fields(model)},
        "questions": len(own),
        "right": round(float(right.mean()), 4),
        "held_out": {
            "brier": round(brier_score(chance, right), 4),
            "brier_of_base_rate": round(float(right.mean() * (1.0 - right.mean())), 4),
            "expected_calibration_error": round(calibration_error(chance, right), 4),
            "bins": _bins(chance, right),
        },
        "by_kind": {
            kind: _kind_figures([case for case in found if case.kind == kind], model)
            for kind in dict.fromkeys(case.kind for case in found)
        },
        "right_answers_below_threshold": _share_below([case for case in own if case.right]),
    }


def _bins(chance: Vector, right: Vector) -> list[dict[str, float]]:
    bins = np.minimum((chance * BINS).astype(int), BINS - 1)
    return [
        {
            "confidence": round(float(chance[bins == place].mean()), 3),
            "right": round(float(right[bins == place].mean()), 3),
            "questions": int((bins == place).sum()),
        }
        for place in np.unique(bins)
    ]


def _kind_figures(found: Sequence[Case], model: ConfidenceModel) -> dict[str, float]:
    return {
        "questions": len(found),
        "mean_support": round(float(np.mean([case.signals.support for case in found])), 4),
        "mean_confidence": round(
            float(np.mean([model.probability(case.signals) for case in found])), 4
        ),
        "abstained": _share_below(found),
    }


def _share_below(found: Sequence[Case]) -> float:
    below = [case.signals.support < SUPPORT_THRESHOLD for case in found]
    return round(float(np.mean(below)), 4) if below else 0.0


def run(
    folders: Sequence[Path], *, open_subject: OpenSubject, limit: int | None
) -> dict[str, object]:
    """Index every data set in a store of its own, ask all questions and return the report."""
    datasets = [load_dataset(folder) for folder in folders]
    datasets = [replace(one, questions=one.questions[:limit]) for one in datasets]
    found: list[Case] = []
    for dataset in datasets:
        foreign = [one for other in datasets if other is not dataset for one in other.questions]
        with (
            tempfile.TemporaryDirectory(prefix="clew-confidence-") as scratch,
            open_subject(Path(scratch) / "benchmark.clew") as subject,
        ):
            added = subject.base.add(records(dataset, titles=True), progress=show_progress())
            passages = passages_by_document(added, dataset)
            found += cases(subject, dataset, foreign, passages)
    return {"datasets": [dataset.name for dataset in datasets], **report(found)}


def main(arguments: Sequence[str] | None = None, *, open_subject: OpenSubject = open_clew) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answer_confidence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="data set folders")
    parser.add_argument("--limit", type=int, help="ask the first N questions of each only")
    parser.add_argument("--json", type=Path, help="write the report to this file as well")
    given = parser.parse_args(arguments)
    try:
        outcome = run(given.data, open_subject=open_subject, limit=given.limit)
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    text = json.dumps(outcome, indent=2) + "\n"
    sys.stdout.write(text)
    if given.json:
        given.json.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
