"""What every call of the store stands on: connections, the change log, views and compaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar

from clew.core.errors import StoreError
from clew.core.query import Filter, Principal
from clew.stores.embedded import logging_rows
from clew.stores.embedded.changes import ChangeLog, read_last_change
from clew.stores.embedded.columns import counted_rows
from clew.stores.embedded.compaction import Compactor, read_pointers
from clew.stores.embedded.connection import Database, store_errors
from clew.stores.embedded.masks import chunk_scope
from clew.stores.embedded.view import View
from clew.stores.embedded.views import Views

Found = TypeVar("Found")

_REOPENINGS = 3


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Generation of a collection's indexes, chunks and nodes in the overlay, bytes of the folder."""

    generation: int
    overlay_rows: int
    disk_bytes: int


class Session:
    """One process's access to the folder of a store.

    Args and errors are those of `EmbeddedStore`.
    """

    def __init__(self, path: Path, *, busy_seconds: float, inverted_lists_from: int) -> None:
        with store_errors(path):
            path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.log = ChangeLog()
        self.database = Database(
            path / "clew.db",
            busy_seconds=busy_seconds,
            before_commit=self.log.flush,
            after_end=self._end_transaction,
        )
        self.compactor = Compactor(
            self.database,
            path / "index",
            wait_seconds=busy_seconds,
            lists_from=inverted_lists_from,
        )
        self._views = Views(self.database, self.compactor, self.log)

    def transaction(self) -> AbstractContextManager[Connection]:
        """Group writes; a transaction within another joins it."""
        return self.database.transaction()

    def steady(self) -> AbstractContextManager[None]:
        """Give this thread one view of each collection until the context ends."""
        return self._views.steady()

    @contextmanager
    def reading(self, collection: str) -> Iterator[tuple[Connection, int]]:
        """Give a connection and the collection's id; that of an unknown one finds nothing."""
        with self.database.read() as connection:
            yield connection, logging_rows.collection_id(connection, collection)

    @contextmanager
    def writing(self, collection: str) -> Iterator[tuple[Connection, int]]:
        """Give the writing connection and the id of a collection, which the write creates."""
        with self.database.transaction() as connection:
            yield connection, logging_rows.created_collection(connection, collection)

    @contextmanager
    def removing(self, collection: str) -> Iterator[tuple[Connection, int]]:
        """Give the writing connection and a collection's id; an unknown one stays unknown."""
        with self.database.transaction() as connection:
            yield connection, logging_rows.collection_id(connection, collection)

    def scoped(
        self,
        collection: str,
        compute: Callable[[View], Found],
        *,
        filter: Filter,
        principal: Principal,
    ) -> Found:
        """Return what `compute` finds where a filter and a principal have their say."""
        reads_documents = principal.groups is not None or filter.restricts_documents()
        give = self._views.with_documents if reads_documents else self._views.view
        return self._computed(collection, give, compute)

    def derived(self, collection: str, compute: Callable[[View], Found]) -> Found:
        """Return what `compute` finds in the present view of a collection."""
        return self._computed(collection, self._views.view, compute)

    def with_text(
        self,
        collection: str,
        compute: Callable[[View], Found],
        *,
        filter: Filter,
        principal: Principal,
    ) -> Found:
        """Return what `compute` finds where it also reads the words of the overlay."""

        def search(view: View) -> Found:
            self._views.read_text(collection, view)
            return compute(view)

        return self.scoped(collection, search, filter=filter, principal=principal)

    def labelled_documents(self, collection: str, filter: Filter) -> set[int]:
        """Return the documents with a chunk that mentions a node with one of the labels."""
        labels = Filter(labels=filter.labels)

        def chunks(view: View) -> list[int]:
            flags = chunk_scope(view, labels, Principal())
            if flags is None:
                return []
            old = len(view.dead_chunks)
            return [
                *view.snapshot.chunk_ids[flags[:old]].tolist(),
                *view.fresh_chunk_ids[flags[old:-1]].tolist(),
            ]

        held = self.derived(collection, chunks)
        with self.reading(collection) as (connection, where):
            return logging_rows.documents_of_chunks(connection, where, held)

    def check(self) -> list[str]:
        """Return what is wrong with the truth and with every index, one line each."""
        with self.database.read() as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            pointers = read_pointers(connection)
        wrong = [f"clew.db: {line}" for line in found if line != "ok"]
        return wrong + [
            f"index of {name!r}: {file} is missing or damaged"
            for name, pointer in pointers.items()
            for file in self.compactor.damaged(pointer)
        ]

    def derived_counts(self, collection: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return the rows that the truth has by kind, and those that searches find."""
        with self.database.read_snapshot() as connection:
            where = logging_rows.collection_id(connection, collection)
            expected = counted_rows(connection, where)
            view = self._views.view(collection)
            if read_last_change(connection, where) != view.overlay.seq:
                # Somebody wrote in between: what differs proves nothing.
                return expected, expected
        return expected, view.row_counts()

    def status(self, collection: str) -> StoreStatus:
        """Return generation, fresh rows and size."""
        view = self._views.view(collection)
        return StoreStatus(
            generation=view.snapshot.generation,
            overlay_rows=view.overlay.row_count,
            disk_bytes=sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file()),
        )

    def _computed(
        self, collection: str, give: Callable[[str], View], compute: Callable[[View], Found]
    ) -> Found:
        # Between a look at the pointer and the opening of a file, another process may have
        # replaced the generation; the next look finds the new one.
        for _ in range(_REOPENINGS):
            try:
                return compute(give(collection))
            except FileNotFoundError:
                self._views.forget(collection)
        raise StoreError(
            f"{self.path}: index files vanish while they are read; "
            "keep other programs out of the folder, then try again"
        )

    def _end_transaction(self) -> None:
        self.log.clear()
        self._views.end_transaction()
