"""Selection by marginal coverage, and the order in which the chosen are read."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.reason.scoring import SentenceSignals, SentenceWeights, sentence_scores
from clew.reason.selection import SelectionWeights, reasoning_order, select_sentences

NO_BRIDGES = np.zeros((3, 3), np.float32)
APART = np.array([0, 1, 2])
PLAIN = SelectionWeights(coverage=0.5, bridge=0.3, repetition=0.1, least_gain=0.0)


def choose(scores, coverage, *, terms=(0.5, 0.5), bridges=NO_BRIDGES, passages=APART, limit=3, weights=PLAIN):  # fmt: skip
    return select_sentences(
        scores=np.array(scores, np.float32),
        coverage=np.array(coverage, np.bool_),
        term_weights=np.array(terms, np.float32),
        bridges=bridges,
        passages=passages,
        limit=limit,
        weights=weights,
    )


def test_the_second_choice_covers_what_the_first_lacks():
    # First gains: .6+.25, .5+.25, .3+.25. Then 1 covers nothing new (.5), 2 does (.3+.25=.55).
    coverage = [[1, 0], [1, 0], [0, 1]]
    assert choose([0.6, 0.5, 0.3], coverage) == [0, 2, 1]


def test_a_bridge_outweighs_a_slightly_better_score():
    bridges = np.zeros((3, 3), np.float32)
    bridges[0, 2] = bridges[2, 0] = 1.0
    # After 0: 1 gains .4, 2 gains .2 + .3.
    assert choose([0.6, 0.4, 0.2], [[1, 1]] * 3, bridges=bridges, limit=2) == [0, 2]
    assert choose([0.6, 0.4, 0.2], [[1, 1]] * 3, limit=2) == [0, 1]


def test_a_passage_quoted_already_counts_less():
    passages = np.array([0, 0, 1])
    # After 0: 1 gains .45 - .1, 2 gains .4.
    assert choose([0.6, 0.45, 0.4], [[1, 1]] * 3, passages=passages, limit=2) == [0, 2]


def test_choice_ends_where_the_gain_is_small():
    strict = SelectionWeights(coverage=0.5, bridge=0.3, repetition=0.1, least_gain=0.5)
    # The first gains .6 + .5 = 1.1, so that .5 is under and .56 over half of it.
    assert choose([0.6, 0.5, 0.4], [[1, 1]] * 3, weights=strict) == [0]
    assert choose([0.6, 0.56, 0.4], [[1, 1]] * 3, weights=strict) == [0, 1]


def test_nothing_to_choose_from():
    empty = np.empty((0, 2), np.bool_)
    assert choose([], empty, bridges=np.empty((0, 0), np.float32), passages=np.empty(0)) == []


@given(
    scores=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=8),
    seed=st.integers(0, 1000),
    limit=st.integers(1, 5),
)
@settings(deadline=None, max_examples=150)
def test_choices_are_distinct_and_limited(scores, seed, limit):
    random = np.random.default_rng(seed)
    n = len(scores)
    chosen = choose(
        scores,
        random.random((n, 2)) < 0.5,
        bridges=random.random((n, n)).astype(np.float32),
        passages=random.integers(0, 3, n),
        limit=limit,
        weights=SelectionWeights(repetition=0.0, least_gain=0.0),
    )
    assert len(chosen) == len(set(chosen)) == min(limit, n)
    lone = choose(scores, np.zeros((n, 2)), bridges=np.zeros((n, n), np.float32), passages=np.arange(n), limit=1)  # fmt: skip
    assert lone == [int(np.argmax(scores))]


def ordered(chosen, *, bridges, passages, starts, places):
    return reasoning_order(
        chosen,
        bridges=np.array(bridges, np.float32),
        passages=np.array(passages),
        starts=np.array(starts),
        path_places=np.array(places, np.float32),
    )


def test_order_follows_the_path():
    assert ordered([0, 1, 2], bridges=np.zeros((3, 3)), passages=[0, 1, 2], starts=[0, 0, 0], places=[2, 0, 1]) == [1, 2, 0]  # fmt: skip


def test_order_follows_bridges_where_there_is_no_path():
    inf = float("inf")
    bridges = [[0, 0, 1], [0, 0, 0.4], [1, 0.4, 0]]
    assert ordered([0, 1, 2], bridges=bridges, passages=[0, 1, 2], starts=[0, 0, 0], places=[inf] * 3) == [0, 2, 1]  # fmt: skip


def test_sentences_of_a_passage_stay_together_in_its_order():
    inf = float("inf")
    assert ordered([0, 1, 2], bridges=np.zeros((3, 3)), passages=[5, 6, 5], starts=[90, 0, 10], places=[inf] * 3) == [2, 0, 1]  # fmt: skip


def test_scores_are_the_weighted_sum():
    signals = SentenceSignals(
        similarity=np.array([0.5, 0.0], np.float32),
        overlap=np.array([1.0, 0.0], np.float32),
        relevance=np.array([0.5, 1.0], np.float32),
        edge=np.array([0.0, 0.5], np.float32),
        typed=np.array([1.0, 0.0], np.float32),
    )
    weights = SentenceWeights(similarity=0.4, overlap=0.2, relevance=0.2, edge=0.1, typed=0.1)
    # .2 + .2 + .1 + 0 + .1 and 0 + 0 + .2 + .05 + 0
    np.testing.assert_allclose(sentence_scores(signals, weights), [0.6, 0.25], rtol=1e-6)
