"""Compaction beside the work: one thread of the store folds the overlay in when it has grown."""

from __future__ import annotations

import threading
from collections.abc import Callable

from clew.core.errors import StoreError


class BackgroundCompaction:
    """Runs `compact_if_due` for the collections that are asked for, one after the other.

    The thread starts with the first request and ends with `close`. Readers go on with the overlay
    meanwhile, and writers wait for the swap of a pointer alone. What fails leaves the overlay in
    place, is told by `failure`, and is tried again at the next request.

    Args:
        compact_if_due: compacts a collection if enough has changed and nobody else does.
    """

    def __init__(self, compact_if_due: Callable[[str], bool]) -> None:
        self._compact_if_due = compact_if_due
        self._changed = threading.Condition()
        self._wanted: list[str] = []
        self._busy = False
        self._closed = False
        self._failure: str | None = None
        self._thread: threading.Thread | None = None

    @property
    def failure(self) -> str | None:
        """Why the last compaction failed, None if it did not."""
        return self._failure

    def request(self, collection: str) -> None:
        """Compact a collection soon, if it is due; a closed store compacts no more."""
        with self._changed:
            if self._closed or collection in self._wanted:
                return
            self._wanted.append(collection)
            if self._thread is None or not self._thread.is_alive():
                # A daemon, so that a program that forgets to close its store can end: to stop
                # halfway is as harmless as a kill.
                self._thread = threading.Thread(
                    target=self._work, name="clew-compaction", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def wait(self) -> None:
        """Return when nothing is requested or under way."""
        with self._changed:
            self._changed.wait_for(lambda: not self._wanted and not self._busy)

    def close(self) -> None:
        """Finish what was requested and end the thread; a second call does nothing."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._closed)
                if not self._wanted:
                    return
                collection = self._wanted.pop(0)
                self._busy = True
            try:
                self._compact_if_due(collection)
                self._failure = None
            except StoreError as error:
                self._failure = str(error)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
