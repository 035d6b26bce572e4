"""Passages chosen one after another, against sums worked out by hand and against a loop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.retrieve.choice import Candidates, ChoiceWeights, Choosing, choose

NOTHING = ChoiceWeights(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def matrix(count: int, *entries: tuple[int, int, float]) -> np.ndarray:
    """Return zeros with (row, column, value) set."""
    found = np.zeros((count, count), np.float32)
    for row, column, value in entries:
        found[row, column] = value
    return found


def candidates(
    walk: Sequence[float],
    similarity: Sequence[float] | None = None,
    held: Sequence[str] | None = None,
    links: Sequence[tuple[int, int, float]] = (),
    pages: Sequence[tuple[int, int, float]] = (),
    *,
    terms: str = "ab",
) -> Candidates:
    count = len(walk)
    return Candidates(
        walk=np.array(walk, np.float32),
        similarity=np.array(similarity or [0.0] * count, np.float32),
        presence=np.array(
            [[term in row for term in terms] for row in held or [""] * count], bool
        ).reshape(count, len(terms)),
        links=matrix(count, *links),
        pages=matrix(count, *pages),
    )


def test_the_walk_counts_by_its_logarithm() -> None:
    # 1 + log10(share) / 4: shares 1, .01 and 10^-6 of the best give 1, .5 and 0.
    found = Choosing(candidates([0.5, 0.005, 0.5e-6]))
    assert found.features[:, 0] == pytest.approx([1.0, 0.5, 0.0], abs=1e-6)


def test_negative_similarity_counts_as_none() -> None:
    assert Choosing(candidates([1, 1], [-0.5, 0.5])).features[:, 1].tolist() == [0.0, 0.5]


def test_terms_count_by_rarity_and_new_ones_until_they_are_held() -> None:
    # a is held by two of three, ln(1 + 3/3) = .6931; b by one, ln(1 + 3/2) = .9163: of their sum
    # .4307 and .5693.
    choosing = Choosing(candidates([1, 1, 1], held=["a", "ab", ""]))
    assert choosing.features[:, 2] == pytest.approx([0.4307, 1.0, 0.0], abs=1e-4)
    assert choosing.features[:, 3] == pytest.approx([0.4307, 1.0, 0.0], abs=1e-4)
    choosing.take(0)
    assert choosing.features[:, 2] == pytest.approx([0.4307, 1.0, 0.0], abs=1e-4)
    assert choosing.features[:, 3] == pytest.approx([0.0, 0.5693, 0.0], abs=1e-4)


def test_links_lead_from_what_is_chosen() -> None:
    choosing = Choosing(
        candidates([1, 1, 1], links=[(0, 1, 0.4), (2, 1, 0.7)], pages=[(0, 2, 0.9)])
    )
    assert not choosing.features[:, 4:].any()
    choosing.take(0)
    assert choosing.features[:, 4] == pytest.approx([0.0, 0.4, 0.0])
    assert choosing.features[:, 5] == pytest.approx([0.0, 0.0, 0.9])
    choosing.take(2)
    assert choosing.features[1, 4] == pytest.approx(0.7)


def test_what_a_chosen_passage_leads_to_comes_before_a_better_walked_one() -> None:
    weights = ChoiceWeights(1.0, 0.0, 0.0, 0.0, 2.0, 0.0)
    order, scores = choose(candidates([1, 0.1, 0.01], links=[(0, 2, 0.5)]), weights)
    # Walk features 1, .75, .5; after the first the third has .5 + 2 * .5.
    assert order == [0, 2, 1]
    assert scores == pytest.approx([1.0, 1.5, 0.75])


def test_equals_keep_their_order() -> None:
    assert choose(candidates([1, 1, 1]), NOTHING)[0] == [0, 1, 2]


def test_nothing_to_choose_from() -> None:
    order, scores = choose(candidates([]), NOTHING)
    assert order == []
    assert len(scores) == 0


def test_a_question_without_terms() -> None:
    assert choose(candidates([0.5, 1], terms=""), ChoiceWeights(1, 0, 1, 1, 0, 0))[0] == [1, 0]


share = st.integers(0, 10).map(lambda tenth: tenth / 10)


@st.composite
def any_candidates(draw: st.DrawFn) -> Candidates:
    count = draw(st.integers(1, 6))
    square = st.lists(st.lists(share, min_size=count, max_size=count), min_size=count, max_size=count)  # fmt: skip
    row = st.lists(share, min_size=count, max_size=count)
    held = draw(st.lists(st.sets(st.sampled_from("abc")), min_size=count, max_size=count))
    return Candidates(
        walk=np.array(draw(row), np.float32),
        similarity=np.array(draw(row), np.float32),
        presence=np.array([[term in some for term in "abc"] for some in held], bool),
        links=np.array(draw(square), np.float32),
        pages=np.array(draw(square), np.float32),
    )


@given(any_candidates(), st.lists(st.integers(-5, 5), min_size=6, max_size=6))
@settings(max_examples=100, deadline=None)
def test_every_step_takes_the_best_that_is_left(given_: Candidates, weight: list[int]) -> None:
    order, scores = choose(given_, ChoiceWeights(*map(float, weight)))
    count = len(given_)
    assert sorted(order) == list(range(count))
    rarity = [math.log(1 + count / (1 + given_.presence[:, t].sum())) for t in range(3)]
    best_walk = max(float(given_.walk.max()), 1e-12)

    def score(row: int, chosen: list[int]) -> float:
        held = [t for t in range(3) if given_.presence[row, t]]
        fresh = [t for t in held if not any(given_.presence[one, t] for one in chosen)]
        features = [
            1 + math.log10(max(float(given_.walk[row]) / best_walk, 1e-4)) / 4,
            float(given_.similarity[row]),
            sum(rarity[t] for t in held) / sum(rarity),
            sum(rarity[t] for t in fresh) / sum(rarity),
            max((float(given_.links[one, row]) for one in chosen), default=0.0),
            max((float(given_.pages[one, row]) for one in chosen), default=0.0),
        ]
        return sum(a * b for a, b in zip(weight, features, strict=True))

    for step, row in enumerate(order):
        best = max(score(one, order[:step]) for one in order[step:])
        assert score(row, order[:step]) == pytest.approx(best, abs=1e-5)
        assert scores[step] == pytest.approx(best, abs=1e-5)
