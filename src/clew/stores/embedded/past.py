"""What a collection held at an earlier moment: a copy of the truth with later changes undone.

The copy is a database of its own in a temporary folder, so that every read works on it as it does
on the present, with the degrees, names, statistics and scopes of that moment. It costs a pass over
the collection, and is kept while the next questions are about the same moment and nothing was
written in between.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from clew.core.merging import NOTHING_MERGED
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog, every_row
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.connection import store_errors
from clew.stores.embedded.merging import aside, merged_nodes, read_otherwise
from clew.stores.embedded.migrations import ensure_schema
from clew.stores.embedded.node_upkeep import MentionChanges, update_nodes
from clew.stores.embedded.writing_edges import restate
from clew.stores.embedded.writing_graph import take_mentions

_COPIED = (
    "facts",
    "documents",
    "chunks",
    "chunk_vectors",
    "mentions",
    "statements",
    "edges",
    "surfaces",
    "nodes",
    "node_vectors",
    "claims",
    "merges",
    "past_documents",
    "past_chunks",
    "past_mentions",
    "past_statements",
    "past_claims",
    "past_merges",
)
_STOOD = "(recorded_at IS NULL OR recorded_at <= :at) AND retired_at > :at"
_MENTION_KEY = "chunk, node, key, span_start, span_end, role"
_STATEMENT_KEY = "edge, chunk, span_start, span_end, word"


def write_past(truth: Path, copy: Path, *, name: str, moment: int) -> None:
    """Write the database `copy` of the collection `name` as it was known at a moment.

    Raises:
        StoreError: the truth cannot be read, or there is no room for the copy.
    """
    with store_errors(copy), closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        # The copy lives as long as questions about it: nothing of it has to survive a crash.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        ensure_schema(connection, str(copy))
        connection.execute("ATTACH ? AS truth", (str(truth),))
        connection.execute("BEGIN")
        collection = _copy_collection(connection, name)
        connection.execute("COMMIT")
        connection.execute("DETACH truth")
        if collection is not None:
            connection.execute("BEGIN")
            _undo(connection, collection, moment)
            connection.execute("COMMIT")


def _copy_collection(connection: sqlite3.Connection, name: str) -> int | None:
    found = connection.execute(
        "SELECT id FROM truth.collections WHERE name = ?", (name,)
    ).fetchone()
    if found is None:
        return None
    connection.execute("INSERT INTO collections (id, name) VALUES (?, ?)", (found[0], name))
    for table in _COPIED:
        columns = ", ".join(
            row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")
        )
        connection.execute(
            f"INSERT INTO main.{table} ({columns}) "  # noqa: S608
            f"SELECT {columns} FROM truth.{table} WHERE collection = ?",
            found,
        )
    for table in ("mentions", "edges"):
        columns = ", ".join(
            row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")
        )
        connection.execute(
            f"INSERT INTO main.{table} ({columns}) "  # noqa: S608
            f"SELECT {columns} FROM truth.{table} WHERE collection = ?",
            (aside(found[0]),),
        )
    return int(found[0])


def _undo(connection: sqlite3.Connection, collection: int, moment: int) -> None:
    named = {"collection": collection, "at": moment}
    _undo_documents(connection, named)
    _undo_chunks(connection, named)
    log = ChangeLog()
    merging = merged_nodes(connection, collection)
    read_otherwise(connection, log, collection, merging, NOTHING_MERGED)
    _undo_mentions(connection, log, collection, named)
    _undo_edges(connection, log, collection, named)
    read_otherwise(connection, log, collection, NOTHING_MERGED, merging)
    for table, columns in (("claims", rows.KEPT["claims"]), ("merges", rows.KEPT["merges"])):
        connection.execute(f"DELETE FROM {table} WHERE recorded_at > :at", named)  # noqa: S608
        connection.execute(
            f"INSERT OR IGNORE INTO {table} (collection, {columns}) "  # noqa: S608
            f"SELECT collection, {columns} FROM past_{table} WHERE {_STOOD} ORDER BY rowid DESC",
            named,
        )
    connection.execute("DELETE FROM node_vectors WHERE id NOT IN (SELECT id FROM nodes)")
    connection.execute("UPDATE nodes SET embedded = id IN (SELECT id FROM node_vectors)")
    for table in _COPIED:
        if table.startswith("past_"):
            connection.execute(f"DELETE FROM {table}")  # noqa: S608
    _log_every_row(connection, collection)


def _undo_documents(connection: sqlite3.Connection, named: dict[str, int]) -> None:
    connection.execute(
        "CREATE TEMP TABLE acls AS SELECT source, acl FROM documents",
    )
    connection.execute(
        f"DELETE FROM documents WHERE recorded_at > :at OR source IN "  # noqa: S608
        f"(SELECT source FROM past_documents WHERE {_STOOD})",
        named,
    )
    connection.execute(
        f"INSERT OR REPLACE INTO documents (collection, {rows.DOCUMENT}) "  # noqa: S608
        f"SELECT collection, {rows.DOCUMENT} FROM past_documents WHERE {_STOOD} "
        "AND source IN (SELECT source FROM acls) ORDER BY rowid",
        named,
    )
    connection.execute(
        "UPDATE documents SET acl = (SELECT acl FROM acls WHERE acls.source = documents.source)"
    )
    connection.execute("DROP TABLE acls")


def _undo_chunks(connection: sqlite3.Connection, named: dict[str, int]) -> None:
    columns = f"stage, {rows.CHUNK}, recorded_at"
    connection.execute("DELETE FROM chunks WHERE recorded_at > :at", named)
    connection.execute(
        f"INSERT OR REPLACE INTO chunks (collection, {columns}) "  # noqa: S608
        f"SELECT collection, {columns} FROM past_chunks WHERE {_STOOD} ORDER BY rowid",
        named,
    )
    connection.execute(
        "INSERT OR IGNORE INTO chunk_vectors (collection, id, vector) "
        "SELECT collection, id, vector FROM past_chunks WHERE vector IS NOT NULL "
        "ORDER BY rowid DESC"
    )
    connection.execute("DELETE FROM chunk_vectors WHERE id NOT IN (SELECT id FROM chunks)")


def _undo_mentions(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, named: dict[str, int]
) -> None:
    changes = MentionChanges()
    take_mentions(connection, collection, "NOT INDEXED", "recorded_at > ?", (named["at"],), changes)
    returning = connection.execute(
        f"""SELECT {rows.MENTION}, max(rowid) FROM past_mentions p WHERE {_STOOD}
        AND NOT EXISTS (SELECT 1 FROM mentions m
            WHERE m.collection = p.collection AND m.chunk = p.chunk AND m.node = p.node
            AND m.key = p.key AND m.span_start = p.span_start AND m.span_end = p.span_end
            AND m.role = p.role)
        GROUP BY {_MENTION_KEY}""",  # noqa: S608
        named,
    ).fetchall()
    for row in returning:
        changes.add(row[:-1], 1)
    columns = rows.KEPT["mentions"]
    connection.execute(
        f"INSERT INTO mentions (collection, {columns}) "  # noqa: S608
        f"SELECT collection, {columns} FROM past_mentions "
        "WHERE rowid IN (SELECT value FROM json_each(?))",
        (id_list(row[-1] for row in returning),),
    )
    update_nodes(connection, log, collection, changes)


def _undo_edges(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, named: dict[str, int]
) -> None:
    touched = {
        row[0]
        for row in connection.execute(
            """SELECT edge FROM statements WHERE recorded_at > :at OR retired_at > :at
            UNION SELECT edge FROM past_statements
            UNION SELECT id FROM edges WHERE superseded_at > :at""",
            named,
        )
    }
    connection.execute("DELETE FROM statements WHERE recorded_at > :at", named)
    connection.execute(
        f"INSERT OR IGNORE INTO statements (collection, {rows.STATEMENT}) "  # noqa: S608
        f"SELECT collection, {rows.STATEMENT} FROM past_statements "
        "WHERE recorded_at IS NULL OR recorded_at <= :at ORDER BY rowid DESC",
        named,
    )
    connection.execute("UPDATE statements SET retired_at = NULL WHERE retired_at > :at", named)
    connection.execute(
        "UPDATE edges SET superseded_at = NULL, superseded_by = NULL WHERE superseded_at > :at",
        named,
    )
    connection.execute("DELETE FROM edges WHERE id NOT IN (SELECT edge FROM statements)")
    restate(connection, log, collection, touched)


def _log_every_row(connection: sqlite3.Connection, collection: int) -> None:
    """Log all rows as changed: the copy has no indexes, and its overlay holds everything."""
    log = ChangeLog()
    for kind, ids in every_row(connection, collection).items():
        log.note(collection, kind, ids.tolist())
    documents = connection.execute("SELECT id FROM documents").fetchall()
    log.note(collection, Changed.DOCUMENT, [row[0] for row in documents])
    log.flush(connection)
