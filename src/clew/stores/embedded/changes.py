"""The change log: what every write appends in its own transaction, and every process follows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from clew.core.arrays import Ids
from clew.stores.embedded.columns import distinct, union


class Changed(IntEnum):
    """What kind of row changed; the numbers are part of the store format.

    CHUNK: its text, title, document or vector. MENTIONS: those of a chunk. NODE: its aggregate or
    vectors. EDGE: its columns, evidence or liveness.
    """

    DOCUMENT = 0
    CHUNK = 1
    MENTIONS = 2
    NODE = 3
    EDGE = 4


NOWHERE = 0
"""Id that no collection has: reads find nothing, and changes of it are not logged."""


@dataclass(slots=True)
class ChangeLog:
    """Changes of the open transaction that are not in the log table yet, each once.

    `serial` grows with every change, so that a reader within the transaction knows when to look.
    """

    held: dict[tuple[int, Changed], set[int]] = field(
        default_factory=dict[tuple[int, Changed], set[int]]
    )
    serial: int = 0

    def note(self, collection: int, kind: Changed, ids: Iterable[int]) -> None:
        """Remember that rows changed."""
        if collection != NOWHERE:
            self.serial += 1
            self.held.setdefault((collection, kind), set()).update(ids)

    def of(self, collection: int) -> dict[Changed, Ids]:
        """Return what is held of a collection, ids sorted."""
        return {
            kind: np.array(sorted(ids), np.int64)
            for (where, kind), ids in self.held.items()
            if where == collection and ids
        }

    def clear(self) -> None:
        """Forget what is held: the transaction has ended."""
        self.held.clear()

    def flush(self, connection: sqlite3.Connection) -> None:
        """Append what is held to the log table."""
        connection.executemany(
            "INSERT INTO changes (collection, kind, id) VALUES (?, ?, ?)",
            [
                (collection, int(kind), identifier)
                for (collection, kind), ids in self.held.items()
                for identifier in ids
            ],
        )


def changes_since(
    connection: sqlite3.Connection, collection: int, seq: int
) -> tuple[int, dict[Changed, Ids]]:
    """Return the last change's number and, by kind, the sorted ids that changed after `seq`."""
    rows = np.fromiter(
        connection.execute(
            "SELECT seq, kind, id FROM changes WHERE collection = ? AND seq > ?", (collection, seq)
        ),
        np.dtype([("seq", "i8"), ("kind", "i8"), ("id", "i8")]),
    )
    if not len(rows):
        return seq, {}
    found = {kind: distinct(rows["id"][rows["kind"] == kind]) for kind in Changed}
    return int(rows["seq"].max()), {kind: ids for kind, ids in found.items() if len(ids)}


def read_last_change(connection: sqlite3.Connection, collection: int) -> int:
    """Return the number of a collection's last change, be it folded into a snapshot or not."""
    row = connection.execute(
        "SELECT max(snapshot_seq, ifnull((SELECT max(seq) FROM changes WHERE collection = ?1), 0)) "
        "FROM collections WHERE id = ?1",
        (collection,),
    ).fetchone()
    return 0 if row is None else int(row[0])


def change_count(connection: sqlite3.Connection, collection: int, seq: int) -> int:
    """Return how many chunks and nodes changed after `seq`."""
    return int(
        connection.execute(
            "SELECT count(*) FROM (SELECT DISTINCT kind, id FROM changes "
            "WHERE collection = ? AND seq > ? AND kind IN (?, ?, ?))",
            (collection, seq, int(Changed.CHUNK), int(Changed.MENTIONS), int(Changed.NODE)),
        ).fetchone()[0]
    )


def revision(connection: sqlite3.Connection, collection: int) -> int:
    """Return the number of the collection's last change, also where a snapshot has taken it in."""
    row = connection.execute(
        "SELECT max(snapshot_seq, coalesce((SELECT max(seq) FROM changes WHERE collection = ?), 0))"
        " FROM collections WHERE id = ?",
        (collection, collection),
    ).fetchone()
    return 0 if row is None else int(row[0])


def every_row(connection: sqlite3.Connection, collection: int) -> dict[Changed, Ids]:
    """Return all ids of a collection by kind: what changed since there was nothing."""
    columns = {
        Changed.CHUNK: "id FROM chunks",
        Changed.MENTIONS: "DISTINCT chunk FROM mentions",
        Changed.NODE: "id FROM nodes",
        Changed.EDGE: "id FROM edges",
    }
    return {
        kind: distinct(
            np.fromiter(
                (
                    row[0]
                    for row in connection.execute(
                        f"SELECT {column} WHERE collection = ?",
                        (collection,),
                    )
                ),
                np.int64,
            )
        )
        for kind, column in columns.items()
    }


def merged_changes(first: dict[Changed, Ids], second: dict[Changed, Ids]) -> dict[Changed, Ids]:
    """Return the union of two sets of changes."""
    return {
        kind: union(first.get(kind, _NO_IDS), second.get(kind, _NO_IDS))
        for kind in first.keys() | second.keys()
    }


_NO_IDS: Ids = np.empty(0, np.int64)
