"""Versions of documents that a later one replaced. Each call that writes stands in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from clew.core.documents import Document, DocumentVersion
from clew.stores.embedded import rows
from clew.stores.embedded.columns import id_list


def keep_version(
    connection: sqlite3.Connection,
    collection: int,
    document: Document,
    *,
    staying: AbstractSet[int],
) -> None:
    """Keep the version that `document` is about to replace, with its chunks as they stand.

    `staying` are chunks that the new version has too: their vectors stay where they are. Nothing
    is kept where the new version has no `recorded_at`, since nobody could say until when the old
    one stood, and of the same version written again.
    """
    if document.recorded_at is None:
        return
    at = rows.time_column(document.recorded_at)
    older = connection.execute(
        "SELECT id FROM documents WHERE collection = ? AND source = ? AND id <> ?",
        (collection, document.source, document.id),
    ).fetchone()
    if older is None:
        return
    connection.execute(
        f"INSERT INTO past_documents (collection, {rows.DOCUMENT}, retired_at, superseded_by) "  # noqa: S608
        f"SELECT collection, {rows.DOCUMENT}, ?, ? FROM documents WHERE collection = ? AND id = ?",
        (at, document.id, collection, older[0]),
    )
    connection.execute(
        f"""INSERT INTO past_chunks
            (collection, stage, {rows.CHUNK}, recorded_at, retired_at, source, vector)
        SELECT c.collection, stage, {rows.qualified(rows.CHUNK, "c")}, recorded_at, ?, ?,
            CASE WHEN c.id IN (SELECT value FROM json_each(?)) THEN NULL ELSE v.vector END
        FROM chunks c LEFT JOIN chunk_vectors v ON v.collection = c.collection AND v.id = c.id
        WHERE c.collection = ? AND c.document = ?""",  # noqa: S608
        (at, document.source, id_list(sorted(staying)), collection, older[0]),
    )


def drop_versions(
    connection: sqlite3.Connection, collection: int, document: int
) -> Mapping[str, int]:
    """Remove the earlier versions of a document's source; return row counts."""
    return {
        table: connection.execute(
            f"DELETE FROM {table} WHERE collection = ?1 AND source = "  # noqa: S608
            "(SELECT source FROM documents WHERE collection = ?1 AND id = ?2)",
            (collection, document),
        ).rowcount
        for table in ("past_documents", "past_chunks")
    }


def versions(connection: sqlite3.Connection, collection: int, source: str) -> list[DocumentVersion]:
    """Return the versions of a source, oldest first."""
    columns = "id, source, title, content_hash, recorded_at"
    cursor = connection.execute(
        f"""SELECT {columns}, retired_at, superseded_by, rowid AS place, 0 AS stands
            FROM past_documents WHERE collection = ?1 AND source = ?2
        UNION ALL SELECT {columns}, NULL, NULL, NULL, 1
            FROM documents WHERE collection = ?1 AND source = ?2
        ORDER BY stands, retired_at, place""",  # noqa: S608
        (collection, source),
    )
    return [
        DocumentVersion(
            document=document,
            source=name,
            title=title,
            content_hash=content_hash,
            recorded_at=rows.time_value(recorded),
            retired_at=rows.time_value(retired),
            superseded_by=successor,
        )
        for document, name, title, content_hash, recorded, retired, successor, *_ in cursor
    ]
