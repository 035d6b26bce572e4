"""Work on whole collections in the truth: listing, statements as they are, other vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from clew.core.arrays import Ids
from clew.core.batches import NodeVectors, Vectors
from clew.core.knowledge import Statement
from clew.core.query import Principal
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog, every_row
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.merging import aside
from clew.stores.embedded.visibility import visible_nodes
from clew.stores.embedded.writing_chunks import write_vectors
from clew.stores.embedded.writing_graph import write_node_vectors

_BATCH = 2048


def document_ids(
    connection: sqlite3.Connection, collection: int, *, principal: Principal
) -> list[int]:
    """Return the visible documents by source."""
    cursor = connection.execute(
        "SELECT id, acl FROM documents WHERE collection = ? ORDER BY source", (collection,)
    )
    return [
        document
        for document, acl in cursor
        if principal.groups is None or principal.may_see(rows.acl_value(acl))
    ]


def node_ids(connection: sqlite3.Connection, collection: int, *, principal: Principal) -> Ids:
    """Return the visible live nodes, sorted."""
    cursor = connection.execute(
        "SELECT id FROM nodes WHERE collection = ? ORDER BY id", (collection,)
    )
    ids = np.fromiter((row[0] for row in cursor), np.int64)
    if principal.groups is None:
        return ids
    seen: list[int] = []
    for start in range(0, len(ids), _BATCH):
        part = ids[start : start + _BATCH].tolist()
        seen += sorted(visible_nodes(connection, collection, part, principal))
    return np.array(seen, np.int64)


def edge_ids(connection: sqlite3.Connection, collection: int) -> Ids:
    """Return every edge, sorted."""
    cursor = connection.execute(
        "SELECT id FROM edges WHERE collection = ? ORDER BY id", (collection,)
    )
    return np.fromiter((row[0] for row in cursor), np.int64)


def statements(
    connection: sqlite3.Connection, collection: int, edges: Sequence[int]
) -> list[Statement]:
    """Return what edges rest on, by edge as given, then chunk (words first), span and origin."""
    cursor = connection.execute(
        f"SELECT {rows.STATEMENT} FROM statements "  # noqa: S608
        "WHERE collection = ? AND edge IN (SELECT value FROM json_each(?)) "
        "ORDER BY chunk, span_start, span_end, origin",
        (collection, id_list(set(edges))),
    )
    grouped: dict[int, list[Statement]] = {edge: [] for edge in edges}
    for row in cursor:
        grouped[row[0]].append(rows.statement_value(row))
    return [statement for edge in edges for statement in grouped[edge]]


def replace_vectors(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, batches: Iterable[Vectors]
) -> int:
    """Put other vectors in the place of all vectors of chunks; return how many were written.

    Every chunk is noted as changed: what derived files hold of the old vectors is dead then.
    """
    connection.execute("DELETE FROM chunk_vectors WHERE collection = ?", (collection,))
    for batch in batches:
        if len(batch.ids):
            write_vectors(connection, log, collection, batch)
    _note_every(connection, log, collection, Changed.CHUNK)
    return _count(connection, "chunk_vectors", collection)


def replace_node_vectors(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, batches: Iterable[NodeVectors]
) -> int:
    """Put other vectors in the place of all vectors of nodes; return how many were written."""
    connection.execute(
        "DELETE FROM node_vectors WHERE collection IN (?, ?)", (collection, aside(collection))
    )
    connection.execute("UPDATE nodes SET embedded = 0 WHERE collection = ?", (collection,))
    for batch in batches:
        write_node_vectors(connection, log, collection, batch)
    _note_every(connection, log, collection, Changed.NODE)
    return _count(connection, "node_vectors", collection)


def _note_every(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, kind: Changed
) -> None:
    log.note(collection, kind, every_row(connection, collection)[kind].tolist())


def _count(connection: sqlite3.Connection, table: str, collection: int) -> int:
    cursor = connection.execute(
        f"SELECT count(*) FROM {table} WHERE collection = ?",  # noqa: S608
        (collection,),
    )
    return int(cursor.fetchone()[0])
