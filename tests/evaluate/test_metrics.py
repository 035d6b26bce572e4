"""Metrics against arithmetic done by hand, and laws that hold for any ranking."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.errors import EvaluationError
from clew.evaluate.metrics import all_gold, ndcg, recall, reciprocal_rank

ALL = [recall, all_gold, reciprocal_rank, ndcg]
RANKED = ["x", "a", "y", "b", "z", "c"]
GOLD = {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("k", "expected"), [(1, 0.0), (2, 0.25), (3, 0.25), (4, 0.5), (6, 0.75), (99, 0.75)]
)
def test_recall(k, expected):
    assert recall(RANKED, GOLD, k=k) == expected


def test_all_gold_needs_every_item_within_k():
    assert all_gold(RANKED, {"a", "b"}, k=4) == 1.0
    assert all_gold(RANKED, {"a", "b"}, k=3) == 0.0
    assert all_gold(RANKED, GOLD, k=6) == 0.0


def test_reciprocal_rank_counts_from_one_and_stops_at_k():
    assert reciprocal_rank(RANKED, GOLD, k=10) == 1 / 2
    assert reciprocal_rank(RANKED, {"c", "z"}, k=10) == 1 / 5
    assert reciprocal_rank(RANKED, {"c"}, k=5) == 0.0
    assert reciprocal_rank(["a"], {"a"}, k=1) == 1.0


def test_ndcg_by_hand():
    # Ranks 2 and 4: 1/log2(3) + 1/log2(5) = .63093 + .43068; ideal, three gold at ranks 1 to 3:
    # 1 + .63093 + .5 = 2.13093.
    assert ndcg(RANKED, {"a", "b", "d"}, k=5) == pytest.approx(1.06161 / 2.13093, abs=1e-5)
    # The ideal list is no longer than k: one gold in the only place is all that can be had.
    assert ndcg(["a"], {"a", "b"}, k=1) == 1.0


def test_repeated_item_counts_once_where_it_first_stands():
    ranked = ["a", "a", "b"]
    assert recall(ranked, {"a", "b"}, k=2) == 0.5
    assert all_gold(ranked, {"a", "b"}, k=3) == 1.0
    assert ndcg(ranked, {"a", "b"}, k=3) == pytest.approx(
        (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    )


@pytest.mark.parametrize("metric", ALL)
def test_undefined_cases_are_refused(metric):
    with pytest.raises(EvaluationError, match="gold set is empty"):
        metric(RANKED, set(), k=5)
    with pytest.raises(EvaluationError, match="k is 0"):
        metric(RANKED, GOLD, k=0)


@pytest.mark.parametrize("metric", ALL)
def test_nothing_found_scores_zero(metric):
    assert metric([], GOLD, k=5) == 0.0


@pytest.mark.parametrize("metric", ALL)
@settings(deadline=None, max_examples=60)
@given(
    order=st.permutations(range(8)),
    gold=st.sets(st.integers(0, 10), min_size=1),
    k=st.integers(1, 10),
)
def test_laws(metric, order, gold, k):
    value = metric(order, gold, k=k)
    assert 0.0 <= value <= 1.0
    best_first = sorted(order, key=lambda item: item not in gold)
    assert metric(best_first, gold, k=k) >= value
    if metric is not ndcg:
        assert metric(order, gold, k=k + 1) >= value
