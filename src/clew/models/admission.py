"""Who may send a request now: limits a minute, how many at once, and an end for all that wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from clew.core.errors import ModelError
from clew.models.rate_limit import TokenBucket

_LOOK = 0.05


class Admission:
    """Lets calls through to one endpoint; used by several threads.

    Args:
        concurrency: how many calls run at once.
        requests_per_minute: limit on calls; None: none.
        tokens_per_minute: limit on tokens, of prompt and answer; None: none.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
    ) -> None:
        self._slots = threading.BoundedSemaphore(concurrency)
        self._requests = TokenBucket(requests_per_minute) if requests_per_minute else None
        self._tokens = TokenBucket(tokens_per_minute) if tokens_per_minute else None
        self._ended = threading.Event()

    @contextmanager
    def slot(self, tokens: int) -> Iterator[None]:
        """Hold one of the places while a call of about so many tokens runs.

        Raises:
            ModelError: `end` was called, before or while this waited.
        """
        while not self._slots.acquire(timeout=_LOOK):
            self.require_open()
        try:
            self.wait(self._requests.reserve(1.0) if self._requests else 0.0)
            self.wait(self._tokens.reserve(tokens) if self._tokens else 0.0)
            yield
        finally:
            self._slots.release()

    def settle(self, *, reserved: int, used: int) -> None:
        """Correct the tokens that a call was counted with by those that it used."""
        if self._tokens is not None:
            self._tokens.settle(reserved - used)

    def wait(self, seconds: float) -> None:
        """Wait, unless everything is to end.

        Raises:
            ModelError: `end` was called, before or meanwhile.
        """
        self._ended.wait(seconds)
        self.require_open()

    def end(self) -> None:
        """Send away all that wait and all that come."""
        self._ended.set()

    def require_open(self) -> None:
        """Raise where `end` was called.

        Raises:
            ModelError: it was.
        """
        if self._ended.is_set():
            raise ModelError("the language model was closed; open it again to ask it")
