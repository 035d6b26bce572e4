"""Lends a collection as it was known, and keeps the last copy for the next question about it."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from clew.core.errors import StoreError
from clew.stores.embedded.connection import Database, store_errors
from clew.stores.embedded.past import write_past


class _Closable(Protocol):
    def close(self) -> None: ...


Opened = TypeVar("Opened", bound=_Closable)

_Key = tuple[str, int, int]
"""Collection, moment, and the state of the truth."""


@dataclass(slots=True)
class _Copy(Generic[Opened]):
    """A copy that is open; it goes when it is stale and the last user has left."""

    key: _Key
    folder: Path
    store: Opened
    users: int = 0


class Historian(Generic[Opened]):
    """Makes copies of past states with `write_past` and opens them; safe for several threads.

    Args:
        database: the truth; `path` is its file.
        open_store: opens the store in a folder.
    """

    def __init__(
        self, database: Database, path: Path, open_store: Callable[[Path], Opened]
    ) -> None:
        self._database = database
        self._path = path
        self._open_store = open_store
        self._lock = threading.Lock()
        self._latest: _Copy[Opened] | None = None

    @contextmanager
    def as_of(self, collection: str, moment: int) -> Iterator[Opened]:
        """Lend the collection as it was known at a moment.

        Raises:
            StoreError: a transaction is open in this thread, or there is no room for the copy.
        """
        if self._database.in_transaction:
            raise StoreError(
                f"{self._path}: a transaction is open; leave it before reading what was known"
            )
        with self._lock:
            lent = self._copy(collection, moment)
            lent.users += 1
        try:
            yield lent.store
        finally:
            with self._lock:
                lent.users -= 1
                if lent is not self._latest:
                    _discard_unused(lent)

    def forget(self) -> None:
        """Remove the copy that is kept, once nobody uses it; to be called by what erases."""
        with self._lock:
            latest, self._latest = self._latest, None
            if latest is not None:
                _discard_unused(latest)

    def _copy(self, collection: str, moment: int) -> _Copy[Opened]:
        key = collection, moment, self._database.data_version()
        latest = self._latest
        if latest is not None and latest.key == key:
            return latest
        self._latest = None
        if latest is not None:
            _discard_unused(latest)
        with store_errors(tempfile.gettempdir()):
            folder = Path(tempfile.mkdtemp(prefix="clew-past-"))
        try:
            write_past(self._path, folder / "clew.db", name=collection, moment=moment)
            made = _Copy(key, folder, self._open_store(folder))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._latest = made
        return made


def _discard_unused(copy: _Copy[Opened]) -> None:
    if copy.users == 0:
        copy.store.close()
        shutil.rmtree(copy.folder, ignore_errors=True)
