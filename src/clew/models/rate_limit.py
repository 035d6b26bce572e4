"""A token bucket: how long to wait so that no more than so much is used a minute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class TokenBucket:
    """Holds at most `per_minute`, is full at first and fills evenly.

    `reserve` never refuses: what is taken beyond what is there is owed, and whoever takes waits
    until it has come in. So calls go in the order in which they reserved, and one that needs more
    than the bucket holds waits longer and still goes.
    """

    def __init__(self, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = per_minute
        self._rate = per_minute / 60.0
        self._clock = clock
        self._level = per_minute
        self._seen = clock()
        self._lock = threading.Lock()

    def reserve(self, amount: float) -> float:
        """Take `amount` and return the seconds to wait before it may be used."""
        with self._lock:
            self._fill()
            self._level -= amount
            return max(0.0, -self._level / self._rate)

    def settle(self, difference: float) -> None:
        """Give back what was reserved and not used; a negative number takes what was lacking."""
        with self._lock:
            self._fill()
            self._level = min(self._capacity, self._level + difference)

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self._capacity, self._level + (now - self._seen) * self._rate)
        self._seen = now
