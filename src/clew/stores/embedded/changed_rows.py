"""The change log, read for those who keep what they once read of a collection."""

from __future__ import annotations

import sqlite3

import numpy as np

from clew.core.arrays import Ids
from clew.core.changes import Changes, no_changes
from clew.stores.embedded.changes import Changed, changes_since
from clew.stores.embedded.columns import union
from clew.stores.embedded.overlay import NO_IDS
from clew.stores.embedded.writing_edges import ends_of

MOST_CHANGES = 20_000
"""Rows of the log that are read; who missed more had better read everything anew."""


def changed_rows(connection: sqlite3.Connection, collection: int, seq: int) -> Changes | None:
    """Return what changed after `seq`, None where the log does not reach back so far.

    It does if `seq` is the end of the snapshot or a row of the log: the rows of a collection that
    was dropped and made anew have other numbers.
    """
    row = connection.execute(
        "SELECT snapshot_seq FROM collections WHERE id = ?", (collection,)
    ).fetchone()
    folded = 0 if row is None else int(row[0])
    if seq < folded or (seq > folded and not _is_logged(connection, collection, seq)):
        return None
    (many,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM changes WHERE collection = ? AND seq > ? LIMIT ?)",
        (collection, seq, MOST_CHANGES + 1),
    ).fetchone()
    if many > MOST_CHANGES:
        return None
    if not many:
        return no_changes()
    _, found = changes_since(connection, collection, seq)
    edges = found.get(Changed.EDGE, NO_IDS)
    return Changes(
        chunks=union(found.get(Changed.CHUNK, NO_IDS), found.get(Changed.MENTIONS, NO_IDS)),
        documents=found.get(Changed.DOCUMENT, NO_IDS),
        nodes=union(found.get(Changed.NODE, NO_IDS), _ends(connection, collection, edges)),
        edges=edges,
    )


def _is_logged(connection: sqlite3.Connection, collection: int, seq: int) -> bool:
    found = connection.execute(
        "SELECT 1 FROM changes WHERE seq = ? AND collection = ?", (seq, collection)
    ).fetchone()
    return found is not None


def _ends(connection: sqlite3.Connection, collection: int, edges: Ids) -> Ids:
    return np.array(sorted(ends_of(connection, collection, edges.tolist())), np.int64)
