"""Changes below folders as the operating system reports them, in groups that have come to rest."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from watchfiles import Change, watch

from clew.core.errors import IngestError
from clew.ingest.excludes import IGNORE_FILE
from clew.ingest.folders import is_store

_LONGEST_GROUP = 20
_WAKE = 0.2
_Found: TypeAlias = "frozenset[Path] | IngestError"


@contextmanager
def following(
    folders: Sequence[Path], *, debounce: float, stop: threading.Event
) -> Iterator[Callable[[], frozenset[Path]]]:
    """Follow resolved folders from now on; give a function that waits for the next group.

    A group is what changed until nothing did for `debounce` seconds; it is empty after a short
    wait without changes. Hidden paths and stores are passed over, `.clewignore` is not. A folder
    that merely had something put in it is no change of its own.

    Raises:
        IngestError: the folders cannot be watched (too many of them, or one is gone).
    """
    groups: queue.SimpleQueue[_Found] = queue.SimpleQueue()
    ended = threading.Event()
    thread = threading.Thread(
        target=_collect,
        args=(folders, groups, ended),
        kwargs={"step": max(1, round(debounce * 1000))},
        name="clew-watch",
        daemon=True,
    )
    thread.start()

    def next_group() -> frozenset[Path]:
        if stop.is_set():
            return frozenset()
        try:
            found = groups.get(timeout=_WAKE)
        except queue.Empty:
            return frozenset()
        while not groups.empty() and not isinstance(found, IngestError):
            more = groups.get()
            found = more if isinstance(more, IngestError) else found | more
        if isinstance(found, IngestError):
            raise found
        return found

    try:
        first = groups.get()
        if isinstance(first, IngestError):
            raise first
        yield next_group
    finally:
        ended.set()
        thread.join()


def _collect(
    folders: Sequence[Path],
    groups: queue.SimpleQueue[_Found],
    ended: threading.Event,
    *,
    step: int,
) -> None:
    """Put every group into `groups`; the first, which may be empty, says that the watch stands."""
    standing = False
    try:
        for changes in watch(
            *folders,
            watch_filter=lambda _, path: _counts(Path(path), folders),
            step=step,
            debounce=step * _LONGEST_GROUP,
            stop_event=ended,
            rust_timeout=round(_WAKE * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            found = frozenset(
                Path(path)
                for kind, path in changes
                if not (kind is Change.modified and Path(path).is_dir())
            )
            if found or not standing:
                groups.put(found)
            standing = True
    except (OSError, RuntimeError) as error:
        groups.put(IngestError(f"the folders cannot be watched any longer: {error}"))


def _counts(path: Path, folders: Sequence[Path]) -> bool:
    """Return whether a change of `path` bears on what is indexed."""
    folder = next((folder for folder in folders if path.is_relative_to(folder)), None)
    if folder is None:
        return False
    *above, name = path.relative_to(folder).parts or ("",)
    if any(part.startswith(".") for part in above):
        return False
    if name.startswith(".") and name != IGNORE_FILE:
        return False
    inner = [each for each in (path, *path.parents) if each != folder]
    return not any(is_store(each) for each in inner if each.is_relative_to(folder))
