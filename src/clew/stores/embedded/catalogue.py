"""The catalogue of an embedded store, and its upkeep: compaction, backup, examination, its end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from clew.core.changes import Changes
from clew.core.health import BackupReport, Finding, Severity
from clew.stores.embedded import logging_rows, reading_graph
from clew.stores.embedded.background import BackgroundCompaction
from clew.stores.embedded.backup import write_backup
from clew.stores.embedded.changed_rows import changed_rows
from clew.stores.embedded.changes import revision
from clew.stores.embedded.examining import examine, mend
from clew.stores.embedded.session import Session, StoreStatus


class EmbeddedCatalogue:
    """Implements `core.ports.Catalogue`: the part of `EmbeddedStore` that knows no knowledge.

    Args:
        path: the folder of the store.
        session: the access to it, which `close` ends.
    """

    def __init__(self, path: Path, session: Session) -> None:
        self.path = path
        self._session = session
        self._background = BackgroundCompaction(session.compactor.compact_if_due)

    def steady(self) -> AbstractContextManager[None]:
        """Let reads of this thread within it see one state of the indexes."""
        return self._session.steady()

    def collections(self) -> list[str]:
        """Return the collections that were written, by name."""
        with self._session.database.read() as connection:
            return logging_rows.collections(connection)

    def drop(self, collection: str) -> None:
        """Remove a collection with all that is in it."""
        with self._session.removing(collection) as (connection, where):
            logging_rows.drop(connection, where)
        if not self._session.database.in_transaction:
            self._session.compactor.sweep()

    def facts(self, collection: str) -> Mapping[str, str]:
        """Return all facts by name."""
        with self._session.reading(collection) as (connection, where):
            return logging_rows.facts(connection, where)

    def set_fact(self, collection: str, name: str, value: str) -> None:
        """Set one fact."""
        with self._session.writing(collection) as (connection, where):
            logging_rows.set_fact(connection, where, name, value)

    def counts(self, collection: str) -> Mapping[str, int]:
        """Return rows by table."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.counts(connection, where)

    def revision(self, collection: str) -> int:
        """Return a number that grows with every write of documents, chunks and knowledge."""
        with self._session.reading(collection) as (connection, where):
            return revision(connection, where)

    def changes_since(self, collection: str, revision: int) -> Changes | None:
        """Return the rows that differ from what they were at `revision`, by whatever process they
        were changed; None once the change log no longer tells."""
        with self._session.database.read_snapshot() as connection:
            where = logging_rows.collection_id(connection, collection)
            return changed_rows(connection, where, revision)

    def compact(self) -> None:
        """Fold fresh writes of every collection into its indexes.

        Raises:
            StoreError: a transaction is open in this thread, or the disk is full.
            StoreBusyError: another process has been compacting for longer than the time-out.
        """
        for name in self.collections():
            self._session.compactor.compact(name, wait=True)

    def compact_if_needed(self, collection: str) -> bool:
        """Compact a collection if much has changed and nobody else does; return whether it was.

        Meant for the end of a write: reads never compact by themselves. Within a transaction it
        does nothing.
        """
        return not self._session.database.in_transaction and self._session.compactor.compact_if_due(
            collection
        )

    def compact_in_background(self, collection: str) -> None:
        """Compact a collection soon, in a thread of the store, if much has changed by then.

        `close` waits for it.
        """
        self._background.request(collection)

    def wait_for_compaction(self) -> None:
        """Return when no compaction is requested or under way in this process."""
        self._background.wait()

    def backup(self, target: Path, *, overwrite: bool = False) -> BackupReport:
        """Copy the truth to one file, verified, while others read and write."""
        return write_backup(self.path / "clew.db", target, overwrite=overwrite)

    def examine(self, *, full: bool = False) -> list[Finding]:
        """Return what is wrong with the store; `full` compares every row, else a sample."""
        found = examine(self._session, full=full)
        failure = self._background.failure
        if failure is None:
            return found
        remedy = "free the disk or end what holds it; searches are complete meanwhile"
        return [*found, Finding(Severity.WARNING, "compaction", failure, remedy)]

    def mend(self) -> list[str]:
        """Compute again whatever follows from the truth; return what was done."""
        return mend(self._session)

    def check(self) -> list[str]:
        """Return what is wrong with the folder, one line each, after reading every byte of it.

        A damaged index is harmless: it is built again by the next read. A damaged `clew.db` is
        not: restore a copy, or add the documents again.
        """
        return self._session.check()

    def status(self, collection: str) -> StoreStatus:
        """Return the generation of a collection's indexes, its fresh rows and the bytes on disk."""
        return self._session.status(collection)

    def close(self) -> None:
        """Close the files; a second call does nothing."""
        try:
            self._background.close()
        finally:
            self._session.database.close()
