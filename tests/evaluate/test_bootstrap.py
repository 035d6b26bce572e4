"""Bootstrap intervals against theory and exact small cases."""

import math

import numpy as np
import pytest

from clew.core.errors import EvaluationError
from clew.evaluate.bootstrap import bootstrap_mean


def test_constant_values_have_no_spread():
    interval = bootstrap_mean([0.5] * 20)
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.5)
    assert interval.high == pytest.approx(0.5)


def test_one_value():
    interval = bootstrap_mean([0.25])
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)


def test_two_values_take_the_three_possible_means():
    # Means 0, 1/2, 1 occur with probability 1/4, 1/2, 1/4: the quartiles lie at both ends, and
    # the middle 40% lie at one half.
    wide = bootstrap_mean([0.0, 1.0], level=0.9)
    assert (wide.low, wide.high) == (0.0, 1.0)
    narrow = bootstrap_mean([0.0, 1.0], level=0.4)
    assert (narrow.low, narrow.high) == (0.5, 0.5)


def test_interval_agrees_with_the_normal_approximation():
    values = [1.0] * 320 + [0.0] * 80
    interval = bootstrap_mean(values, resamples=8000)
    half = 1.959964 * math.sqrt(0.8 * 0.2 / 400)
    assert interval.mean == pytest.approx(0.8)
    assert interval.low == pytest.approx(0.8 - half, abs=0.004)
    assert interval.high == pytest.approx(0.8 + half, abs=0.004)


def test_seeded_and_higher_level_is_wider():
    values = list(np.linspace(0, 1, 50) ** 2)
    assert bootstrap_mean(values, seed=3) == bootstrap_mean(values, seed=3)
    narrow, wide = bootstrap_mean(values, level=0.5), bootstrap_mean(values, level=0.99)
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_refusals():
    with pytest.raises(EvaluationError, match="no values"):
        bootstrap_mean([])
    with pytest.raises(EvaluationError, match=r"level is 1\.0"):
        bootstrap_mean([1.0], level=1.0)
