"""Trains the last ordering of `hybrid` (`clew.retrieve.choice`) and reports how far it carries over.

    python -m benchmarks.train_ordering --data DIR [DIR ...] [--stores FOLDER]

Each DIR holds `corpus.jsonl.gz` and `questions.jsonl.gz` (see `clew.evaluate.datasets`), or SciFact,
of which the training split is read. The weights in `clew.retrieve.choice` come from
hotpotqa-train100 and musique-train100-openie.

At every step of a choice the passages left compete: the loss is -log of the probability that one of
the gold ones left is taken (multinomial logit), ridge 5 on weights of features scaled to unit
deviation. Steps are those of the model's own choices, gathered three times (Ross et al., A Reduction
of Imitation Learning to No-Regret Online Learning, AISTATS 2011). Reported is recall of gold
passages for questions that the fit has not seen: five folds over all sets, and each set ordered by
a model of the others; and the same with each feature left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, fields
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.ordering_examples import Example, gather_examples, load_training_set
from clew.core.errors import ClewError, EvaluationError
from clew.evaluate.metrics import ndcg, recall
from clew.models.bundled import bundled_embedder
from clew.retrieve.choice import ChoiceWeights, Choosing, choose

FEATURES = tuple(field.name for field in fields(ChoiceWeights))
FOLDS = 5
ROUNDS = 3
STEPS = 5
RIDGE = 5.0
FIGURES: dict[str, Callable[..., float]] = {
    "recall@2": partial(recall, k=2),
    "recall@5": partial(recall, k=5),
    "recall@10": partial(recall, k=10),
    "ndcg@10": partial(ndcg, k=10),
}

Vector = NDArray[np.float64]
Step = tuple[Vector, NDArray[np.bool_], float]
Sets = Mapping[str, Sequence[Example]]


def train(examples: Sequence[Example], *, without: str | None = None) -> ChoiceWeights:
    """Return the fitted weights; the one called `without` stays 0."""
    used = np.array([name != without for name in FEATURES])
    weights = ChoiceWeights(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    steps: list[Step] = []
    for _ in range(ROUNDS):
        for example in examples:
            steps += _steps(example, weights)
        if not steps:
            raise EvaluationError("no gold passage is among the candidates: nothing to train on")
        weights = _fit(steps, weights, used)
    return weights


def _steps(example: Example, weights: ChoiceWeights) -> list[Step]:
    """Return the features of the passages left, and which are gold, at the first steps."""
    gold, choosing = example.is_gold, Choosing(example.candidates)
    order, _ = choose(example.candidates, weights)
    steps: list[Step] = []
    for row in order[:STEPS]:
        left = choosing.left
        if not (gold & left).any():
            break
        steps.append((choosing.features[left].copy(), gold[left], example.weight))
        choosing.take(row)
    return steps


def _fit(steps: Sequence[Step], start: ChoiceWeights, used: NDArray[np.bool_]) -> ChoiceWeights:
    sizes = np.array([len(gold) for _, gold, _ in steps])
    features = np.concatenate([one for one, _, _ in steps])
    gold = np.concatenate([one for _, one, _ in steps])
    weight = np.array([one for _, _, one in steps])
    first = np.cumsum(sizes) - sizes
    step_of = np.repeat(np.arange(len(sizes)), sizes)
    spread = features.std(axis=0) + 1e-9
    scaled = np.where(used, features / spread, 0.0)

    def loss(coefficients: Vector) -> tuple[float, Vector]:
        score = scaled @ coefficients
        odds = np.exp(score - np.maximum.reduceat(score, first)[step_of])
        gold_odds = odds * gold
        total, right = np.add.reduceat(odds, first), np.add.reduceat(gold_odds, first) + 1e-12
        value = weight @ (np.log(total) - np.log(right)) + RIDGE / 2 * coefficients @ coefficients
        pull = weight[step_of] * (odds / total[step_of] - gold_odds / right[step_of])
        return float(value), scaled.T @ pull + RIDGE * coefficients

    found = minimize(loss, np.array(astuple(start)) * spread, jac=True, method="L-BFGS-B")
    return ChoiceWeights(*(float(value) for value in np.where(used, found.x / spread, 0.0)))


def evaluate(examples: Sequence[Example], weights: ChoiceWeights) -> Vector:
    """Return the figures of each example, shape (examples, figures)."""
    return np.array([_figures(one, choose(one.candidates, weights)[0]) for one in examples])


def by_walk(examples: Sequence[Example]) -> Vector:
    """Return the figures of the order that the walk gives."""
    return np.array(
        [
            _figures(one, np.argsort(-one.candidates.walk, kind="stable").tolist())
            for one in examples
        ]
    )


def _figures(example: Example, order: Sequence[int]) -> list[float]:
    passages = tuple(dict.fromkeys(example.passages[row] for row in order))
    return [metric(passages, example.gold) for metric in FIGURES.values()]


def cross_validated(sets: Sets, *, without: str | None = None) -> dict[str, Vector]:
    """Return figures by set from models trained on the other folds of all sets."""
    folds = {
        name: np.random.default_rng(0).permutation(len(examples)) % FOLDS
        for name, examples in sets.items()
    }
    figures = {name: np.zeros((len(examples), len(FIGURES))) for name, examples in sets.items()}
    for fold in range(FOLDS):
        seen = [
            example
            for name, examples in sets.items()
            for example, place in zip(examples, folds[name], strict=True)
            if place != fold
        ]
        weights = train(seen, without=without)
        for name, examples in sets.items():
            held_out = np.flatnonzero(folds[name] == fold)
            if len(held_out):
                figures[name][held_out] = evaluate(
                    [examples[row] for row in held_out.tolist()], weights
                )
    return figures


def carried_over(sets: Sets) -> dict[str, Vector]:
    """Return the figures of each set from a model trained on the other sets alone."""
    return {
        name: evaluate(
            examples, train([one for other, some in sets.items() if other != name for one in some])
        )
        for name, examples in sets.items()
    }


def report(sets: Sets) -> dict[str, object]:
    """Return the weights trained on all sets, and the figures on what was held out."""
    weights = train([example for examples in sets.values() for example in examples])
    figures = {
        "the walk's order": {name: by_walk(examples) for name, examples in sets.items()},
        "five folds": cross_validated(sets),
        "trained on the other sets": carried_over(sets) if len(sets) > 1 else {},
        **{f"five folds without {name}": cross_validated(sets, without=name) for name in FEATURES},
    }
    return {
        "weights": {name: round(getattr(weights, name), 2) for name in FEATURES},
        "questions": {name: len(examples) for name, examples in sets.items()},
        "figures": {
            how: {
                name: {
                    figure: round(100 * float(value), 1)
                    for figure, value in zip(FIGURES, values.mean(axis=0), strict=True)
                }
                for name, values in by_set.items()
            }
            for how, by_set in figures.items()
        },
    }


def table(outcome: dict[str, object]) -> str:
    """Return the figures as a Markdown table, a set a column."""
    figures: dict[str, dict[str, dict[str, float]]] = outcome["figures"]  # type: ignore[assignment]
    names = list(outcome["questions"])  # type: ignore[call-overload]
    lines = [f"| {' / '.join(FIGURES)} | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    for how, by_set in figures.items():
        cells = [
            " / ".join(f"{value:.1f}" for value in by_set[name].values()) if name in by_set else ""
            for name in names
        ]
        lines.append(f"| {how} | {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\nweights: {outcome['weights']}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.train_ordering",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="data set folders")
    parser.add_argument("--stores", type=Path, help="keep the indexes in this folder, by set")
    parser.add_argument("--json", type=Path, help="write the report to this file as well")
    given = parser.parse_args(arguments)
    try:
        embedder = bundled_embedder()
        sets = {}
        for folder in given.data:
            dataset = load_training_set(folder)
            store = given.stores / dataset.name if given.stores else None
            sets[dataset.name] = gather_examples(dataset, embedder=embedder, store=store)
        outcome = report(sets)
    except ClewError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(table(outcome))
    if given.json:
        given.json.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
