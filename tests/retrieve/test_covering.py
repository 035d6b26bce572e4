"""The last ordering against sums worked out by hand and against a loop."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Hits
from clew.retrieve.covering import COVERAGE, POOL, SIMILARITY, cover


def ranked(*scores: float) -> Hits:
    return Hits(np.arange(len(scores), dtype=np.int64) + 10, np.array(scores, np.float32))


def held(*rows: str, terms: str = "abcd") -> np.ndarray:
    """Return which of the letters `terms` each row holds."""
    return np.array([[term in row for term in terms] for row in rows], np.bool_)


NOTHING = np.zeros(3, np.float32)


def test_what_is_new_comes_before_what_repeats() -> None:
    # Weights: a is held by two of three, ln(1 + 3/3) = .6931; b by one, ln(1 + 3/2) = .9163.
    # Shares of their sum: .4307 and .5693. First: 1 + .2 * .4307 = 1.0861 is the highest. Then a is
    # covered: .9 against .8 + .2 * .5693 = .9139.
    found = cover(ranked(1.0, 0.81, 0.64), NOTHING, held("a", "a", "b", terms="ab"))
    assert found.ids.tolist() == [10, 12, 11]
    assert found.scores.tolist() == pytest.approx([1.0, 0.9139 / 1.0861, 0.9 / 1.0861], abs=1e-3)


def test_similarity_decides_between_equals() -> None:
    # Shares of the best: 0, 1, .5; negative cosines count as nothing.
    similarity = np.array([-0.2, 0.4, 0.2], np.float32)
    found = cover(ranked(1.0, 1.0, 1.0), similarity, held("", "", ""))
    assert found.ids.tolist() == [11, 12, 10]
    best = 1.0 + SIMILARITY
    expected = [1.0, (1.0 + SIMILARITY / 2) / best, 1.0 / best]
    assert found.scores.tolist() == pytest.approx(expected)


def test_a_question_without_terms_keeps_the_order() -> None:
    found = cover(ranked(0.9, 0.5, 0.1), NOTHING, np.zeros((3, 0), np.bool_))
    assert found.ids.tolist() == [10, 11, 12]


def test_no_hits_stay_none() -> None:
    assert len(cover(ranked(), NOTHING[:0], held()[:0].reshape(0, 4)).ids) == 0


def test_what_lies_behind_the_pool_keeps_its_place() -> None:
    scores = np.linspace(1.0, 0.1, POOL + 3)
    presence = np.zeros((POOL, 1), np.bool_)
    presence[-1] = True
    found = cover(ranked(*scores), np.zeros(POOL, np.float32), presence)
    assert found.ids[POOL:].tolist() == [10 + POOL, 11 + POOL, 12 + POOL]
    assert (np.diff(found.scores) <= 0).all()


@dataclass(frozen=True)
class Passage:
    score: float
    similarity: float
    terms: frozenset[str]


passages = st.builds(
    Passage,
    st.integers(1, 100).map(lambda percent: percent / 100),
    st.integers(-50, 100).map(lambda percent: percent / 100),
    st.frozensets(st.sampled_from("abcd")),
)


@given(st.lists(passages, min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_every_step_takes_the_best_that_is_left(rows: list[Passage]) -> None:
    rows = sorted(rows, key=lambda row: -row.score)
    found = cover(
        ranked(*(row.score for row in rows)),
        np.array([row.similarity for row in rows], np.float32),
        held(*("".join(row.terms) for row in rows)),
    )
    order = (found.ids - 10).tolist()
    assert sorted(order) == list(range(len(rows)))
    assert (np.diff(found.scores) <= 1e-6).all()

    weight = {
        t: math.log(1 + len(rows) / (1 + sum(t in row.terms for row in rows))) for t in "abcd"
    }
    total = sum(weight.values())
    nearest = max(0.0, *(row.similarity for row in rows), 1e-9)

    def worth(place: int, covered: frozenset[str]) -> float:
        new = sum(weight[term] for term in rows[place].terms - covered) / total
        near = SIMILARITY * max(rows[place].similarity, 0.0) / nearest
        return math.sqrt(rows[place].score / rows[0].score) + near + COVERAGE * new

    for step, chosen in enumerate(order):
        covered = frozenset[str]().union(*(rows[place].terms for place in order[:step]))
        best = max(worth(place, covered) for place in order[step:])
        assert worth(chosen, covered) == pytest.approx(best, abs=1e-5)
