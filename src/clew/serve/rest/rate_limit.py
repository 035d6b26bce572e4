"""How many requests a caller may make: a bucket of tokens that fills up again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic

_MOST_CALLERS = 10_000


class RateLimit:
    """Each caller may make `per_minute` requests at once, and so many in a minute (0: no limit).

    The callers seen last are remembered, 10,000 of them.
    """

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = monotonic) -> None:
        self._capacity = float(per_minute)
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> int:
        """Count a request; return the seconds that the caller must wait, 0 if it may go on."""
        if not self._capacity:
            return 0
        rate = self._capacity / 60.0
        with self._lock:
            now = self._clock()
            tokens, seen = self._buckets.pop(caller, (self._capacity, now))
            tokens = min(self._capacity, tokens + (now - seen) * rate)
            allowed = tokens >= 1.0
            self._buckets[caller] = (tokens - 1.0 if allowed else tokens, now)
            while len(self._buckets) > _MOST_CALLERS:
                self._buckets.popitem(last=False)
        return 0 if allowed else max(1, ceil((1.0 - tokens) / rate))
