"""A watch that runs in a thread, and what it has told so far."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from clew.core.errors import ClewError
from clew.core.watching import WatchEvent, WatchEventKind
from clew.engine.clew import Clew

_LONGEST = 30.0


class Watched:
    """Events of a watch; `wait` returns once something holds, and fails after a long while."""

    def __init__(self) -> None:
        self.events: list[WatchEvent] = []
        self.stop = threading.Event()
        self.error: ClewError | None = None

    def kinds(self, name: str) -> list[str]:
        """Return what happened to sources whose last part begins with `name`."""
        return [
            event.kind.value
            for event in list(self.events)
            if event.source.rpartition("/")[2].startswith(name)
        ]

    def wait(self, holds: Callable[[], bool]) -> None:
        end = monotonic() + _LONGEST
        while not holds():
            assert self.error is None, self.error
            assert monotonic() < end, self.events
            sleep(0.02)

    def wait_for(self, kind: WatchEventKind, name: str = "", count: int = 1) -> None:
        self.wait(lambda: self.kinds(name).count(kind.value) >= count)


@contextmanager
def watching(clew: Clew, *folders, **options) -> Iterator[Watched]:
    """Watch until the block ends; the first pass is over when it begins."""
    watched = Watched()

    def run() -> None:
        try:
            clew.watch(
                *folders,
                on_event=watched.events.append,
                stop=watched.stop,
                debounce=0.05,
                **options,
            )
        except ClewError as error:
            watched.error = error

    thread = threading.Thread(target=run)
    thread.start()
    try:
        watched.wait_for(WatchEventKind.WATCHING)
        yield watched
    finally:
        watched.stop.set()
        thread.join(_LONGEST)
        assert not thread.is_alive()
