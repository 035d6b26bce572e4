"""SQLite connections: a pool for reading, one for writing, one that watches for commits.

Reads and writes may come from several threads and several processes. SQLite lets one process
write at a time (`BEGIN IMMEDIATE` waits up to the time-out); within this process a lock queues the
writing threads, and the thread that holds a transaction reads through it.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from clew.core.errors import StoreBusyError, StoreError
from clew.stores.embedded.migrations import ensure_schema
from clew.stores.embedded.schema import PAGE_BYTES

_PRAGMA_RETRY_SECONDS = 0.01
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_REMEDIES = {
    sqlite3.SQLITE_FULL: "the disk is full; nothing was changed: free space and repeat",
    sqlite3.SQLITE_READONLY: "it is read-only; nothing was changed: make the folder writable",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that the folder exists and is writable",
    sqlite3.SQLITE_IOERR: "the disk reports an error; nothing was changed: check the disk",
    sqlite3.SQLITE_CORRUPT: "it is damaged; restore a copy or add the documents again",
    sqlite3.SQLITE_NOTADB: "it is not a Clew store; choose another path",
}


@contextlib.contextmanager
def store_errors(place: object) -> Iterator[None]:
    """Turn the errors of SQLite and of the file system into `StoreError`s that name `place`."""
    try:
        with sqlite_errors(place):
            yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StoreError(f"{place}: {_REMEDIES[sqlite3.SQLITE_FULL]}") from error
        raise StoreError(f"{place}: {error.strerror or error}; nothing was changed") from error


@contextlib.contextmanager
def sqlite_errors(place: object) -> Iterator[None]:
    """Turn the errors of SQLite into `StoreError`s; a caller's own errors pass as they are."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        base = code & 0xFF if code is not None else None
        if base in _BUSY:
            raise StoreBusyError(
                f"{place}: another process has been writing for longer than the time-out; "
                "try again, or raise busy_seconds"
            ) from error
        remedy = _REMEDIES.get(base) if base is not None else None
        raise StoreError(f"{place}: {remedy or error}") from error


class Database:
    """The connections to one SQLite file.

    Args:
        path: the file; its folder exists.
        busy_seconds: how long a write waits for another process.
        before_commit: called with the writing connection before the outermost commit.
        after_end: called after the outermost transaction has ended either way.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy_seconds: float,
        before_commit: Callable[[sqlite3.Connection], None],
        after_end: Callable[[], None],
    ) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._before_commit = before_commit
        self._after_end = after_end
        self._guard = threading.Lock()
        self._write_lock = threading.RLock()
        self._writing_thread: int | None = None
        self._depth = 0
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        with store_errors(path):
            self._writer = self._open()
            ensure_schema(self._writer, str(path))
            self._watcher = self._open()

    @property
    def in_transaction(self) -> bool:
        """Whether the calling thread holds the write transaction."""
        return self._writing_thread == threading.get_ident()

    def data_version(self) -> int:
        """Return a number that changes with every commit of any other connection or process."""
        with self._guard:
            self._require_open()
            with store_errors(self._path):
                return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading; the open transaction's own to the thread that holds it."""
        if self.in_transaction:
            with sqlite_errors(self._path):
                yield self._writer
            return
        connection = self._borrow()
        try:
            with sqlite_errors(self._path):
                yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            with self._guard:
                self._idle.append(connection)
            if self._closed:
                self._close_idle()

    @contextlib.contextmanager
    def read_snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection whose reads all see one state of the truth."""
        with self.read() as connection:
            if not connection.in_transaction:
                connection.execute("BEGIN")
            yield connection

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection; commit at the outermost exit, or roll back on an error.

        A transaction within a transaction joins it; its own part is undone if an error leaves it,
        so that a caller who catches the error does not commit half a unit.
        """
        with self._write_lock, sqlite_errors(self._path):
            self._require_open()
            nested = self._depth > 0
            self._writer.execute(f"SAVEPOINT depth_{self._depth}" if nested else "BEGIN IMMEDIATE")
            self._writing_thread = threading.get_ident()
            self._depth += 1
            try:
                yield self._writer
                if not nested:
                    self._before_commit(self._writer)
            except BaseException:
                self._leave(f"ROLLBACK TO depth_{self._depth - 1}" if nested else "ROLLBACK")
                raise
            try:
                self._leave(f"RELEASE depth_{self._depth - 1}" if nested else "COMMIT")
            except BaseException:
                if not nested and self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close every connection; a second call does nothing."""
        with self._write_lock, self._guard:
            if self._closed:
                return
            self._closed = True
            with store_errors(self._path):
                self._watcher.close()
                # The last connection to close folds the log into the database file.
                self._writer.close()
        self._close_idle()

    def _leave(self, statement: str) -> None:
        self._depth -= 1
        try:
            # SQLite rolls back by itself on some errors, such as a full disk.
            if self._writer.in_transaction:
                self._writer.execute(statement)
        finally:
            if self._depth == 0:
                self._writing_thread = None
                self._after_end()

    def _borrow(self) -> sqlite3.Connection:
        with self._guard:
            self._require_open()
            if self._idle:
                return self._idle.pop()
        with store_errors(self._path):
            return self._open()

    def _close_idle(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self._path}: the store has been closed; open it again")

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        for pragma in (
            f"page_size = {PAGE_BYTES}",
            "journal_mode = WAL",
            # A killed process loses nothing with NORMAL: what it handed to the system is written.
            # A power cut may take the last commits, never the order: an ingest resumes from them.
            "synchronous = NORMAL",
            # Deleted text must not linger in free pages; FAST zeroes those that are written anyway
            # and leaves whole freed pages to be overwritten, at no extra writes.
            "secure_delete = FAST",
            "journal_size_limit = 67108864",
            "cache_size = -32768",
            "mmap_size = 268435456",
            "temp_store = MEMORY",
        ):
            self._set(connection, pragma)
        return connection

    def _set(self, connection: sqlite3.Connection, pragma: str) -> None:
        """Set a pragma, waiting for other processes as long as a write would.

        SQLite does not wait by itself where the journal mode changes: two processes that open a
        new store at the same moment would fail.
        """
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                connection.execute(f"PRAGMA {pragma}")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() >= deadline:
                    raise
                time.sleep(_PRAGMA_RETRY_SECONDS)
            else:
                return
