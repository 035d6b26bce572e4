"""A lock between processes on a file, released by the system when its holder dies."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from clew.core.errors import StoreBusyError

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def file_lock(path: Path, *, wait_seconds: float) -> Iterator[None]:
    """Hold the lock on `path`, which is created.

    Raises:
        StoreBusyError: another process or thread held it for longer than `wait_seconds`.
    """
    deadline = time.monotonic() + wait_seconds
    with path.open("ab") as file:
        while not _try_lock(file):
            if time.monotonic() >= deadline:
                raise StoreBusyError(f"{path}: another process is compacting; try again later")
            time.sleep(_PAUSE_SECONDS)
        yield
