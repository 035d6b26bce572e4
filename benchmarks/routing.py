"""Routing: how well the router tells questions of one passage from those that join several.

    python -m benchmarks.routing --data DIR [--exclude DIR ...] [--fit] [--json FILE]

DIR holds `adaptive-rag.jsonl.gz`: questions of six data sets with two labels, `dataset_label` (by
the set) and `silver_label` (the cheapest strategy that answered: Jeong et al., Adaptive-RAG, NAACL
2024). Weights are fitted on one half, by a hash of the ids; figures are of the other half.
Questions whose id stands in the `questions.jsonl.gz` of an `--exclude` folder are never fitted on.
`--fit` prints weights for `clew.retrieve.question_cues` instead. How adaptive retrieval does from
end to end: `python -m benchmarks.multihop --modes adaptive,hybrid,kg_only,vector_only,keyword`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.machine import machine_facts
from clew.core.errors import ClewError, EvaluationError
from clew.core.query import Query, RetrievalMode
from clew.core.routing import QuestionShape, Routing
from clew.retrieve.mode_costs import ModeCosts
from clew.retrieve.question_cues import FEATURES, features
from clew.retrieve.routing import route

LABELS = ("dataset_label", "silver_label")
MODES = (
    RetrievalMode.KEYWORD,
    RetrievalMode.VECTOR_ONLY,
    RetrievalMode.KG_ONLY,
    RetrievalMode.HYBRID,
)
RIDGE = 3.0
BUCKETS = 5


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with its set and its labels (True: it joins several things)."""

    id: str
    source: str
    text: str
    labels: dict[str, bool]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.routing", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled questions")
    parser.add_argument("--exclude", type=Path, nargs="*", default=[], help="sets not to fit on")
    parser.add_argument("--fit", action="store_true", help="print fitted weights")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    try:
        questions = load(given.data)
        excluded = {identifier for folder in given.exclude for identifier in ids_of(folder)}
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    tuned = [item for item in questions if is_tuned_on(item.id, excluded)]
    if given.fit:
        weights = fit(tuned)
        named = dict(zip((*FEATURES, "bias"), (round(float(w), 2) for w in weights), strict=True))
        sys.stdout.write(json.dumps(named, indent=2) + "\n")
        return 0
    held = [item for item in questions if not is_tuned_on(item.id, excluded)]
    outcome = {"tuned": figures(tuned), "held_out": figures(held), "machine": machine_facts()}
    sys.stdout.write(report(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


def load(folder: Path) -> list[Labelled]:
    """Return the questions of a folder.

    Raises:
        EvaluationError: the file is not there.
    """
    return [
        Labelled(
            row["id"],
            row["source"],
            row["question"],
            {label: row[label] == "multi" for label in LABELS},
        )
        for row in _rows(folder / "adaptive-rag.jsonl.gz")
    ]


def ids_of(folder: Path) -> list[str]:
    """Return the ids of a data set's questions."""
    return [str(row["id"]) for row in _rows(folder / "questions.jsonl.gz")]


def is_tuned_on(identifier: str, excluded: Collection[str] = ()) -> bool:
    """Return whether a question belongs to the half that weights are fitted on."""
    if identifier in excluded:
        return False
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 2 == 0


def fit(questions: Sequence[Labelled]) -> NDArray[np.float64]:
    """Return the weights of a ridge logistic regression on `dataset_label`, the bias last."""
    wanted = np.array([item.labels["dataset_label"] for item in questions], np.float64)
    rows = np.array([[*features(item.text), 1.0] for item in questions])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        score = rows @ weights
        unbiased = np.append(weights[:-1], 0.0)
        value = np.logaddexp(0.0, score).sum() - wanted @ score + RIDGE * (unbiased**2).sum() / 2
        slope = rows.T @ (1.0 / (1.0 + np.exp(-score)) - wanted) + RIDGE * unbiased
        return float(value), slope

    return np.asarray(minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x)


def decide(text: str) -> Routing:
    """Return where the router sends a question when there is no budget."""
    return route(Query(text), available=MODES, expected_ms=ModeCosts().expected)


def figures(
    questions: Sequence[Labelled], *, router: Callable[[str], Routing] = decide
) -> dict[str, Any]:
    """Return accuracy and macro F1 against each label, the modes chosen, and the calibration."""
    routings = [router(item.text) for item in questions]
    said = [routing.shape is QuestionShape.MULTI for routing in routings]
    result: dict[str, Any] = {"questions": len(questions)}
    for label in LABELS:
        truth = [item.labels[label] for item in questions]
        result[label] = {
            "accuracy": round(accuracy(said, truth), 4),
            "macro_f1": round(macro_f1(said, truth), 4),
            "always_single": round(accuracy([False] * len(truth), truth), 4),
        }
    truth = [item.labels["dataset_label"] for item in questions]
    modes = Counter(
        (routing.mode.value, "multi" if multi else "single")
        for routing, multi in zip(routings, truth, strict=True)
    )
    result["modes"] = {f"{mode}, {label}": count for (mode, label), count in sorted(modes.items())}
    result["by_source"] = {
        source: round(
            accuracy(
                *zip(
                    *(
                        (one, two)
                        for one, two, item in zip(said, truth, questions, strict=True)
                        if item.source == source
                    ),
                    strict=True,
                )
            ),
            4,
        )
        for source in sorted({item.source for item in questions})
    }
    right = [one == two for one, two in zip(said, truth, strict=True)]
    result["calibration"] = _calibration([item.confidence for item in routings], right)
    return result


def accuracy(said: Sequence[bool], truth: Sequence[bool]) -> float:
    """Return the share of agreements."""
    return sum(one == two for one, two in zip(said, truth, strict=True)) / len(truth)


def macro_f1(said: Sequence[bool], truth: Sequence[bool]) -> float:
    """Return the mean of both classes' F1 = 2 both / (said + true)."""
    scores = []
    for kind in (False, True):
        both = sum(one is kind and two is kind for one, two in zip(said, truth, strict=True))
        total = sum(one is kind for one in said) + sum(two is kind for two in truth)
        scores.append(2 * both / total if total else 0.0)
    return sum(scores) / 2


def report(outcome: dict[str, Any]) -> str:
    """Return the figures as a Markdown table, per cent."""
    lines = [
        "| half | questions | label | accuracy | macro F1 | always single |",
        "|---|---|---|---|---|---|",
    ]
    for half in ("tuned", "held_out"):
        found = outcome[half]
        for label in LABELS:
            values = (found[label][name] for name in ("accuracy", "macro_f1", "always_single"))
            cells = " | ".join(f"{100 * value:.1f}" for value in values)
            lines.append(f"| {half} | {found['questions']} | {label} | {cells} |")
    held = outcome["held_out"]
    lines += ["", f"held out, by set: {held['by_source']}"]
    lines += [f"held out, modes: {held['modes']}", f"held out, calibration: {held['calibration']}"]
    return "\n".join(lines) + "\n"


def _calibration(confidences: Sequence[float], right: Sequence[bool]) -> list[dict[str, float]]:
    """Return mean confidence and share that was right, in buckets from .5 to 1."""
    places = np.minimum((np.array(confidences) - 0.5) / 0.5 * BUCKETS, BUCKETS - 1).astype(int)
    correct = np.array(right)
    return [
        {
            "confidence": round(float(np.array(confidences)[places == place].mean()), 3),
            "right": round(float(correct[places == place].mean()), 3),
            "questions": int((places == place).sum()),
        }
        for place in range(BUCKETS)
        if (places == place).any()
    ]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    except OSError as error:
        raise EvaluationError(f"{file} cannot be read: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
