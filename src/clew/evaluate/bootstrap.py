"""Percentile bootstrap intervals of a mean over questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the ends of its confidence interval."""

    mean: float
    low: float
    high: float


def bootstrap_mean(
    values: Sequence[float], *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval:
    """Return the mean of `values` and its percentile bootstrap interval at `level`.

    Equal arguments give equal intervals. Source: Efron and Tibshirani, An Introduction to the
    Bootstrap (1993), chapter 13.

    Raises:
        EvaluationError: `values` is empty, or `level` lies outside 0..1.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise EvaluationError("no values: the mean of nothing is not defined")
    if not 0.0 < level < 1.0:
        raise EvaluationError(f"level is {level}; it must lie between 0 and 1")
    random = np.random.default_rng(seed)
    # Drawing n values with replacement is drawing how often each occurs: one product, no gather.
    shares = np.full(sample.size, 1.0 / sample.size)
    means = random.multinomial(sample.size, shares, size=resamples) @ sample / sample.size
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, (tail, 1.0 - tail))
    return Interval(float(sample.mean()), float(low), float(high))
