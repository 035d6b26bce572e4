"""Training of the last ordering, on examples where what decides is known."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.ordering_examples import Example
from benchmarks.train_ordering import by_walk, evaluate, report, table, train
from clew.core.errors import EvaluationError
from clew.retrieve.choice import Candidates, choose


def example(seed: int, *, linked: bool) -> Example:
    """Return a question with twelve candidates: the first by the walk is gold, and so is one of the
    others, at random: the one that the first leads to, or (not `linked`) one without any sign."""
    draw = np.random.default_rng(seed)
    other = int(draw.integers(3, 12))
    links = np.zeros((12, 12), np.float32)
    if linked:
        links[0, other] = 0.8
    return Example(
        Candidates(
            walk=np.geomspace(1.0, 0.001, 12).astype(np.float32),
            similarity=draw.random(12).astype(np.float32),
            presence=np.zeros((12, 2), bool),
            links=links,
            pages=np.zeros((12, 12), np.float32),
        ),
        tuple(f"p{row}" for row in range(12)),
        frozenset({"p0", f"p{other}"}),
        1.0,
    )


LINKED = [example(seed, linked=True) for seed in range(30)]


def test_a_link_that_decides_is_learned() -> None:
    weights = train(LINKED[:20])
    assert weights.link > 0
    for held_out in LINKED[20:]:
        order, _ = choose(held_out.candidates, weights)
        assert {held_out.passages[row] for row in order[:2]} == held_out.gold
    assert evaluate(LINKED[20:], weights)[:, 0].tolist() == [1.0] * 10
    assert by_walk(LINKED[20:])[:, 0].tolist() == [0.5] * 10


def test_without_the_feature_it_is_not() -> None:
    weights = train(LINKED[:20], without="link")
    assert weights.link == 0.0
    assert evaluate(LINKED[20:], weights)[:, 0].mean() < 0.8


def test_what_says_nothing_gets_little_weight() -> None:
    weights = train([example(seed, linked=False) for seed in range(80)])
    assert abs(weights.similarity) < 1.0
    assert weights.terms == weights.new_terms == weights.page == 0.0


def test_figures_are_those_of_questions_that_were_held_out() -> None:
    outcome = report({"one": LINKED[:8], "two": LINKED[8:16]})
    figures = outcome["figures"]
    assert isinstance(figures, dict)
    assert figures["five folds"]["one"]["recall@2"] == 100.0
    assert figures["trained on the other sets"]["two"]["recall@2"] == 100.0
    assert figures["five folds without link"]["one"]["recall@2"] < 80.0
    assert "| five folds | 100.0 / 100.0 / 100.0 / 100.0 |" in table(outcome)


def test_gold_that_nobody_found_cannot_be_learned_from() -> None:
    lost = Example(LINKED[0].candidates, LINKED[0].passages, frozenset({"elsewhere"}), 1.0)
    with pytest.raises(EvaluationError, match="no gold passage"):
        train([lost])
