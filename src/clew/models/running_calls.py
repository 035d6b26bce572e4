"""Ends HTTP responses that are being read: one that takes too long, or all of them at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import httpx


@dataclass(slots=True)
class RunningCall:
    """A response that is being read; `expired`: its time was over."""

    connection: socket.socket | None
    expired: bool = False

    def expire(self) -> None:
        """Say that the time is over, and wake whoever reads."""
        self.expired = True
        self.cut()

    def cut(self) -> None:
        """Shut the connection down: a read that waits on it ends at once, in any thread."""
        if self.connection is not None:
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)


class RunningCalls:
    """The responses that are being read.

    The time-out of an HTTP client is for each read: a server that sends a blank now and then would
    never meet it. So a timer watches each whole response.
    """

    def __init__(self) -> None:
        self._running: list[RunningCall] = []
        self._lock = threading.Lock()

    @contextmanager
    def watched(self, response: httpx.Response, *, seconds: float) -> Iterator[RunningCall]:
        """Cut `response` if it is still read after so many seconds, or when all are cut."""
        stream = response.extensions.get("network_stream")
        call = RunningCall(stream.get_extra_info("socket") if stream is not None else None)
        timer = threading.Timer(max(0.0, seconds), call.expire)
        timer.daemon = True
        with self._lock:
            self._running.append(call)
        timer.start()
        try:
            yield call
        finally:
            timer.cancel()
            with self._lock:
                # By identity: two calls without a connection are equal.
                self._running = [one for one in self._running if one is not call]

    def cut_all(self) -> None:
        """Cut every response that is being read."""
        with self._lock:
            for call in self._running:
                call.cut()
