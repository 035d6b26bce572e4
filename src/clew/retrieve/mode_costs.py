"""What a search in each mode costs, in milliseconds: measured constants, then what is observed."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from clew.core.query import RetrievalMode

MEASURED_MS: Mapping[RetrievalMode, float] = {
    RetrievalMode.KEYWORD: 2.0,
    RetrievalMode.VECTOR_ONLY: 28.0,
    RetrievalMode.KG_ONLY: 45.0,
    RetrievalMode.HYBRID: 230.0,
    RetrievalMode.DUAL: 230.0,
    RetrievalMode.COMMUNITY: 230.0,
    RetrievalMode.GLOBAL: 5000.0,
}
"""Where nothing was observed yet: the p95 of a search with its embedding, on the 1,971 passages of
HotpotQA dev200 and two busy cores (`docs/benchmarks.md`). `dual`, `community` and `global` were not
measured; theirs are guesses on the high side."""

_SHARE = 0.2
_LARGEST_RISE = 4.0


class ModeCosts:
    """Keeps a running mean and deviation of each mode's time. Safe to use from several threads.

    What a mode costs depends on the collection and the machine, so constants are a start only. An
    observation counts a fifth; one that is more than four times what was expected counts as four
    times, since it may be a model's first call.
    """

    def __init__(self, start: Mapping[RetrievalMode, float] | None = None) -> None:
        self._lock = threading.Lock()
        self._mean = dict(MEASURED_MS if start is None else start)
        self._deviation = dict.fromkeys(self._mean, 0.0)

    def expected(self, mode: RetrievalMode) -> float:
        """Return the mean plus twice the mean deviation, which few searches exceed."""
        with self._lock:
            return self._mean[mode] + 2.0 * self._deviation[mode]

    def observe(self, mode: RetrievalMode, milliseconds: float) -> None:
        """Take a measured time into account."""
        with self._lock:
            mean = self._mean[mode]
            counted = min(milliseconds, _LARGEST_RISE * mean)
            difference = counted - mean
            self._mean[mode] = mean + _SHARE * difference
            self._deviation[mode] += _SHARE * (abs(difference) - self._deviation[mode])
