"""The current view of every collection, brought up to date before each read.

One number of SQLite (`PRAGMA data_version`, a few microseconds) says whether anybody committed
since the last look; only then is the change log read. The thread that holds a transaction sees its
own writes through a private view, which ends with the transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from clew.core.arrays import Ids
from clew.core.documents import Document
from clew.core.errors import StoreBusyError, StoreError
from clew.stores.embedded import rows
from clew.stores.embedded.changes import (
    NOWHERE,
    Changed,
    ChangeLog,
    changes_since,
    every_row,
    merged_changes,
)
from clew.stores.embedded.columns import scope
from clew.stores.embedded.compaction import Compactor, Pointer, read_pointers
from clew.stores.embedded.connection import Database
from clew.stores.embedded.overlay import NO_IDS, Overlay, refreshed
from clew.stores.embedded.snapshot import empty_snapshot
from clew.stores.embedded.view import View


@dataclass(frozen=True, slots=True)
class _Current:
    """A view with the pointer that it was made under."""

    pointer: Pointer
    view: View


_UNKNOWN = Pointer(NOWHERE, 0, 0)


class Views:
    """Gives views; safe to use from several threads."""

    def __init__(self, database: Database, compactor: Compactor, log: ChangeLog) -> None:
        self._database = database
        self._compactor = compactor
        self._log = log
        self._lock = threading.RLock()
        self._seen: int | None = None
        self._fresh: set[str] = set()
        self._current: dict[str, _Current] = {}
        self._private: dict[str, tuple[int, View]] = {}
        self._steady = threading.local()

    def view(self, name: str) -> View:
        """Return the present state of a collection; an unknown one is empty."""
        if self._database.in_transaction:
            return self._private_view(name)
        held = self._held()
        if held is None:
            return self._present(name)
        if name not in held:
            held[name] = self._present(name)
        return held[name]

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Give this thread one view of each collection until the context ends."""
        if self._held() is not None:
            yield
            return
        self._steady.views = {}
        try:
            yield
        finally:
            self._steady.views = None

    def _held(self) -> dict[str, View] | None:
        views: dict[str, View] | None = getattr(self._steady, "views", None)
        return views

    def _present(self, name: str) -> View:
        version = self._database.data_version()
        with self._lock:
            if version != self._seen:
                self._seen = version
                self._fresh.clear()
            if name not in self._fresh:
                self._refresh(name)
                self._fresh.add(name)
            return self._current[name].view

    def with_documents(self, name: str) -> View:
        """Return the present state with the columns of its documents that filters read."""
        view = self.view(name)
        with self._lock:
            if not view.documents_known:
                with self._database.read() as connection:
                    pointer = read_pointers(connection).get(name, _UNKNOWN)
                    view.documents = _documents(connection, pointer.collection, None)
                view.documents_known = True
        return view

    def read_text(self, name: str, view: View) -> None:
        """Read the words of a view's overlay that have not been read before."""
        with self._lock, self._database.read() as connection:
            pointer = read_pointers(connection).get(name, _UNKNOWN)
            view.overlay.text.complete(connection, pointer.collection, view.fresh_chunk_ids)

    def pointer(self, name: str) -> Pointer:
        """Return a collection's pointer; that of an unknown one has the id `NOWHERE`."""
        with self._database.read() as connection:
            return read_pointers(connection).get(name, _UNKNOWN)

    def forget(self, name: str) -> None:
        """Open the snapshot of a collection again at the next read."""
        held = self._held()
        if held is not None:
            held.pop(name, None)
        with self._lock:
            self._current.pop(name, None)
            self._fresh.discard(name)

    def end_transaction(self) -> None:
        """Drop private views."""
        self._private.clear()

    def _private_view(self, name: str) -> View:
        serial, view = self._private.get(name, (-1, None))
        if view is not None and serial == self._log.serial:
            return view
        with self._lock, self._database.read() as connection:
            pointer = read_pointers(connection).get(name, _UNKNOWN)
            base = self._base(name, pointer)
            view = _advanced(connection, pointer, base, self._log.of(pointer.collection))
        self._private[name] = (self._log.serial, view)
        return view

    def _refresh(self, name: str) -> None:
        with self._database.read_snapshot() as connection:
            pointer = read_pointers(connection).get(name, _UNKNOWN)
            base = self._base(name, pointer)
            if base is not None:
                view = _advanced(connection, pointer, base, {})
                self._current[name] = _Current(pointer, view)
                return
        self._repair(name)

    def _repair(self, name: str) -> None:
        """Build a damaged snapshot again; where that fails, serve the truth from memory."""
        try:
            self._compactor.compact(name)
        except StoreBusyError:
            raise
        except StoreError:
            # A full or read-only disk must not keep a reader from the truth.
            self._current.pop(name, None)
        with self._database.read_snapshot() as connection:
            pointer = read_pointers(connection).get(name, _UNKNOWN)
            view = _advanced(connection, pointer, self._base(name, pointer), {})
            self._current[name] = _Current(pointer, view)

    def _base(self, name: str, pointer: Pointer) -> View | None:
        """Return the view to go on from: the last one, or the snapshot; None if that is damaged."""
        known = self._current.get(name)
        if known is not None and known.pointer == pointer:
            return known.view
        snapshot = self._compactor.open(pointer)
        return None if snapshot is None else View(snapshot, Overlay(pointer.seq))


def _advanced(
    connection: sqlite3.Connection,
    pointer: Pointer,
    base: View | None,
    held: dict[Changed, Ids],
) -> View:
    """Return the view of what `connection` sees, with the changes that are `held` back."""
    if base is None:
        base = View(empty_snapshot(), Overlay(pointer.seq))
        held = merged_changes(held, every_row(connection, pointer.collection))
    seq, changes = changes_since(connection, pointer.collection, base.overlay.seq)
    changes = merged_changes(changes, held)
    if not changes:
        return base
    overlay = refreshed(
        base.overlay,
        connection,
        collection=pointer.collection,
        labels=base.snapshot.labels,
        seq=seq,
        changes=changes,
    )
    view = View(base.snapshot, overlay)
    if base.documents_known:
        touched = changes.get(Changed.DOCUMENT, NO_IDS)
        gone = set(touched.tolist())
        kept = {key: held for key, held in base.documents.items() if key not in gone}
        view.documents = kept | _documents(connection, pointer.collection, touched)
        view.documents_known = True
    return view


def _documents(
    connection: sqlite3.Connection, collection: int, ids: Ids | None
) -> dict[int, Document]:
    condition, parameters = scope("id", ids)
    cursor = connection.execute(
        f"SELECT {rows.LIGHT_DOCUMENT} FROM documents "  # noqa: S608
        f"WHERE collection = ?{condition}",
        (collection, *parameters),
    )
    return {row[0]: rows.light_document(row) for row in cursor}
