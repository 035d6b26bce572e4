"""Writers take turns, few of them wait, and readers are never held up by those that do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from clew.serve.rest.problems import Problem

MOST_WAITING = 8
"""Far fewer than the threads that answer requests: the others stay free for readers."""


class Writing:
    """The turn to write: the models that extract serve one run at a time."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(most_waiting + 1)

    def turn_of_job(self) -> AbstractContextManager[object]:
        """Wait for the turn however many wait: jobs have a thread of their own, one at a time."""
        return self._turn

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn and hold it.

        Raises:
            Problem: too many wait already; the caller may come again.
        """
        if not self._places.acquire(blocking=False):
            raise Problem(503, "Too many writes wait; try again.", headers={"Retry-After": "5"})
        try:
            with self._turn:
                yield
        finally:
            self._places.release()
