"""Compaction: the next generation of a collection's snapshot, built beside the one in use.

The truth names the generation that counts and the last change that it covers, in one transaction;
so a reader finds either the old snapshot with all changes since, or the new one. Covered changes
are dropped after.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import NamedTuple

from clew.core.errors import StoreBusyError, StoreError
from clew.stores.embedded.build import build_snapshot
from clew.stores.embedded.changes import Changed, change_count, changes_since
from clew.stores.embedded.connection import Database, store_errors
from clew.stores.embedded.file_lock import file_lock
from clew.stores.embedded.manifest import damage, read_manifest
from clew.stores.embedded.overlay import NO_IDS
from clew.stores.embedded.snapshot import Snapshot, empty_snapshot, open_snapshot

_LEAST_CHANGES = 2_000
_CHANGED_FRACTION = 0.05
_CHANGES_AT_ONCE = 20_000


class Pointer(NamedTuple):
    """A collection's id, the generation that counts, and the last change that it covers."""

    collection: int
    generation: int
    seq: int


def read_pointers(connection: sqlite3.Connection) -> dict[str, Pointer]:
    """Return the pointer of every collection by name."""
    cursor = connection.execute("SELECT name, id, generation, snapshot_seq FROM collections")
    return {name: Pointer(*rest) for name, *rest in cursor}


class Compactor:
    """Builds, replaces and checks the snapshots below `directory`."""

    def __init__(
        self, database: Database, directory: Path, *, wait_seconds: float, lists_from: int
    ) -> None:
        self._database = database
        self._directory = directory
        self._wait_seconds = wait_seconds
        self._lists_from = lists_from

    def folder(self, pointer: Pointer) -> Path:
        """Return where the generation that counts lies."""
        return self._directory / str(pointer.collection) / str(pointer.generation)

    def open(self, pointer: Pointer) -> Snapshot | None:
        """Return the snapshot that counts, None if it is missing or damaged."""
        return open_snapshot(self.folder(pointer)) if pointer.generation else empty_snapshot()

    def compact_if_due(self, name: str) -> bool:
        """Compact a collection if enough has changed and nobody else compacts."""
        with self._database.read() as connection:
            pointer = read_pointers(connection).get(name)
            if pointer is None:
                return False
            changed = change_count(connection, pointer.collection, pointer.seq)
        manifest = read_manifest(self.folder(pointer))
        rows = 0 if manifest is None else manifest.rows
        if changed <= max(_LEAST_CHANGES, int(_CHANGED_FRACTION * rows)):
            return False
        return self.compact(name, wait=False)

    def compact(self, name: str, *, wait: bool = True) -> bool:
        """Build the next generation of a collection, unless nothing changed.

        `wait` False gives up at once where another process is compacting. Returns whether a
        generation was built.
        """
        if self._database.in_transaction:
            raise StoreError(
                f"{self._directory}: a transaction is open; leave it before compacting"
            )
        with store_errors(self._directory):
            self._directory.mkdir(exist_ok=True)
            try:
                lock = self._directory / "compaction.lock"
                with file_lock(lock, wait_seconds=self._wait_seconds if wait else 0.0):
                    return self._compact(name)
            except StoreBusyError:
                if wait:
                    raise
                return False

    def rebuild(self, name: str) -> None:
        """Build the next generation of a collection from the truth alone."""
        with store_errors(self._directory):
            self._directory.mkdir(exist_ok=True)
            lock = self._directory / "compaction.lock"
            with file_lock(lock, wait_seconds=self._wait_seconds):
                self._compact(name, from_truth=True)

    def damaged(self, pointer: Pointer) -> list[str]:
        """Return the derived files that are not what was written, every byte compared."""
        if not pointer.generation:
            return []
        folder = self.folder(pointer)
        manifest = read_manifest(folder)
        if manifest is None:
            return ["manifest.json"]
        return damage(folder, manifest, every_byte=True)

    def sweep(self) -> None:
        """Remove what no collection points to; what another process is building stays."""
        with store_errors(self._directory):
            self._directory.mkdir(exist_ok=True)
            try:
                with file_lock(self._directory / "compaction.lock", wait_seconds=0.0):
                    self._sweep()
            except StoreBusyError:
                return

    def _compact(self, name: str, *, from_truth: bool = False) -> bool:
        with self._database.read_snapshot() as connection:
            pointer = read_pointers(connection).get(name)
            if pointer is None:
                return False
            previous = None if from_truth else self.open(pointer)
            seq, changes = changes_since(connection, pointer.collection, pointer.seq)
            if previous is not None and not changes:
                return False
            target = Pointer(pointer.collection, pointer.generation + 1, seq)
            built = build_snapshot(
                connection,
                collection=pointer.collection,
                directory=self.folder(target),
                generation=target.generation,
                seq=seq,
                previous=previous or empty_snapshot(),
                changed_texts=changes.get(Changed.CHUNK, NO_IDS),
                lists_from=self._lists_from,
            )
        if built is None:
            raise StoreError(
                f"{self.folder(target)}: what was just written does not read back; check the disk"
            )
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE collections SET generation = ?, snapshot_seq = ? WHERE id = ?",
                (target.generation, seq, target.collection),
            )
        self._drop_changes(target)
        self._sweep()
        return True

    def _drop_changes(self, pointer: Pointer) -> None:
        """Remove the changes that a snapshot covers, a few at a time: writers wait for none long.

        Nobody reads them any more; those that a killed process leaves go with the next ones.
        """
        removed = _CHANGES_AT_ONCE
        while removed == _CHANGES_AT_ONCE:
            with self._database.transaction() as connection:
                removed = connection.execute(
                    "DELETE FROM changes WHERE seq IN (SELECT seq FROM changes "
                    "WHERE collection = ? AND seq <= ? LIMIT ?)",
                    (pointer.collection, pointer.seq, _CHANGES_AT_ONCE),
                ).rowcount

    def _sweep(self) -> None:
        with self._database.read() as connection:
            kept = {self.folder(pointer) for pointer in read_pointers(connection).values()}
        parents = {folder.parent for folder in kept}
        for parent in self._directory.iterdir():
            if not parent.is_dir():
                continue
            # Where a reader still maps a file, POSIX keeps it for that reader; Windows refuses to
            # delete it, and the next sweep tries again.
            if parent not in parents:
                shutil.rmtree(parent, ignore_errors=True)
                continue
            for folder in parent.iterdir():
                if folder not in kept:
                    shutil.rmtree(folder, ignore_errors=True)
