"""Backup of the truth into one file, while others read and write, and the way back.

Derived files are not part of a backup: they are built again from the truth when it is restored.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from clew.core.errors import NotFoundError, StoreError, StoreVersionError
from clew.core.health import BackupReport
from clew.stores.embedded.connection import store_errors
from clew.stores.embedded.migrations import stored_version
from clew.stores.embedded.schema import COLLECTION_TABLES

_PAGES_A_STEP = 256
_PARTIAL = ".partial"


class _Restorable(Protocol):
    def compact(self) -> None: ...
    def check(self) -> list[str]: ...
    def close(self) -> None: ...


def write_backup(truth: Path, target: Path, *, overwrite: bool) -> BackupReport:
    """Copy the database `truth` to the file `target`, which appears whole or not at all.

    One state is copied, that of the moment of the call, by SQLite's online backup in small steps:
    nobody waits for it. The copy is read back: `PRAGMA integrity_check`, and every table has as
    many rows as there were.

    Raises:
        StoreError: `target` exists and `overwrite` is False, there is no room for it, or the copy
            is not what was copied.
    """
    if target.is_dir():
        raise StoreError(f"{target} is a folder; name a file for the backup")
    if target.exists() and not overwrite:
        raise StoreError(f"{target} exists; choose another file, or ask to overwrite it")
    if not truth.exists():
        raise NotFoundError(f"there is no store at {truth.parent}")
    partial = target.with_name(f"{target.name}{_PARTIAL}-{os.getpid()}")
    with store_errors(target), _removed_on_error(partial):
        rows = _copy(truth, partial)
        _verify(partial, rows)
        _flush(partial)
        os.replace(partial, target)  # noqa: PTH105 - flushed and moved in one glance
        _flush(target.parent)
        return BackupReport(str(target), target.stat().st_size, rows)


def restore_backup(
    source: Path,
    folder: Path,
    *,
    overwrite: bool,
    open_store: Callable[[Path], _Restorable],
) -> BackupReport:
    """Make the store `folder` from a backup (or from another store), with its indexes.

    All is built beside and checked before it takes the place of `folder`. A backup of an earlier
    format is brought to the present one. Processes that have the old store open keep reading it
    until they close it.

    Raises:
        NotFoundError: there is no backup at `source`.
        StoreError: `folder` exists and `overwrite` is False, the backup is damaged or no backup,
            or there is no room.
    """
    file = source / "clew.db" if source.is_dir() else source
    if not file.exists():
        raise NotFoundError(f"there is no backup at {source}")
    if folder.exists() and not overwrite:
        raise StoreError(f"{folder} exists; choose another path, or ask to overwrite it")
    partial = folder.with_name(f"{folder.name}{_PARTIAL}-{os.getpid()}")
    with store_errors(folder), _removed_on_error(partial):
        partial.mkdir(parents=True)
        _require_backup(file)
        rows = _copy(file, partial / "clew.db")
        _verify(partial / "clew.db", rows)
        _build(partial, open_store)
        _put_in_place(partial, folder)
        return BackupReport(str(folder), _bytes_below(folder), rows)


def _copy(source: Path, target: Path) -> dict[str, int]:
    """Copy one state of a database; return its rows by table."""
    with (
        closing(sqlite3.connect(source, isolation_level=None)) as reading,
        closing(sqlite3.connect(target, isolation_level=None)) as writing,
    ):
        # An open read keeps the copied state still while others write, so that no step makes the
        # backup begin again.
        reading.execute("BEGIN")
        rows = _rows(reading)
        reading.backup(writing, pages=_PAGES_A_STEP, sleep=0.0)
        writing.execute("PRAGMA journal_mode = DELETE")
        return rows


def _rows(connection: sqlite3.Connection) -> dict[str, int]:
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    return {
        table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
        for table in ("collections", *COLLECTION_TABLES)
        if table in known
    }


def _verify(path: Path, rows: dict[str, int]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        held = _rows(connection)
    if found != ["ok"] or held != rows:
        raise StoreError(
            f"{path}: the copy is not what was copied ({found[0]}); check the disk, and the store "
            "with: clew doctor"
        )


def _require_backup(file: Path) -> None:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        if stored_version(connection, str(file)) == 0:
            raise StoreVersionError(f"{file} is no backup of a Clew store; choose another file")


def _build(folder: Path, open_store: Callable[[Path], _Restorable]) -> None:
    store = open_store(folder)
    try:
        store.compact()
        wrong = store.check()
    finally:
        store.close()
    if wrong:
        raise StoreError(f"{folder}: what was restored is not sound: {wrong[0]}; check the disk")


def _put_in_place(partial: Path, folder: Path) -> None:
    replaced = folder.with_name(f"{folder.name}.replaced-{os.getpid()}")
    if folder.exists():
        folder.rename(replaced)
    partial.rename(folder)
    _flush(folder.parent)
    shutil.rmtree(replaced, ignore_errors=True)


def _flush(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@contextmanager
def _removed_on_error(partial: Path) -> Iterator[None]:
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            if partial.is_dir():
                shutil.rmtree(partial, ignore_errors=True)
            else:
                for path in partial.parent.glob(f"{partial.name}*"):
                    path.unlink(missing_ok=True)
