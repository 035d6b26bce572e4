"""Reading documents and chunks from the truth."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from clew.core.documents import Chunk, Document, Stage
from clew.core.query import Filter, Principal
from clew.stores.embedded import rows
from clew.stores.embedded.codes import LAST_STAGE_CODE, STAGE_CODES, STAGES
from clew.stores.embedded.columns import id_list, rows_by_text, scope
from clew.stores.embedded.visibility import visible_chunks
from clew.stores.filters import passes_document


def documents(
    connection: sqlite3.Connection,
    collection: int,
    *,
    ids: Sequence[int] | None,
    sources: Sequence[str] | None,
    filter: Filter,
    principal: Principal,
) -> list[Document]:
    """Return documents that satisfy every argument (labels left aside), by source."""
    if sources is not None:
        held = rows_by_text(
            connection,
            "SELECT id FROM documents WHERE collection = ? AND source IN ({texts})",
            collection,
            list(dict.fromkeys(sources)),
        )
        named = {row[0] for row in held}
        ids = sorted(named if ids is None else named & set(ids))
    condition, parameters = scope("id", ids)
    if principal.groups is not None or filter.restricts_documents():
        light = connection.execute(
            f"SELECT {rows.LIGHT_DOCUMENT} FROM documents "  # noqa: S608
            f"WHERE collection = ?{condition}",
            (collection, *parameters),
        )
        kept = [
            document.id
            for document in map(rows.light_document, light)
            if principal.may_see(document.acl) and passes_document(filter, document)
        ]
        condition, parameters = scope("id", kept)
    cursor = connection.execute(
        f"SELECT {rows.DOCUMENT} FROM documents "  # noqa: S608
        f"WHERE collection = ?{condition}",
        (collection, *parameters),
    )
    # SQLite orders text by bytes of UTF-8, which is the order of code points, as Python's.
    return sorted(map(rows.document_value, cursor), key=lambda document: document.source)


def chunks(
    connection: sqlite3.Connection, collection: int, ids: Sequence[int], *, principal: Principal
) -> list[Chunk]:
    """Return visible chunks in the order of `ids`."""
    cursor = connection.execute(
        f"SELECT {rows.CHUNK} FROM chunks "  # noqa: S608
        "WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(ids)),
    )
    found = {row[0]: rows.chunk_value(row) for row in cursor}
    seen = visible_chunks(connection, collection, found, principal)
    return [found[chunk] for chunk in ids if chunk in seen]


def document_chunks(connection: sqlite3.Connection, collection: int, document: int) -> list[Chunk]:
    """Return a document's chunks by ordinal, ties by id."""
    cursor = connection.execute(
        f"SELECT {rows.CHUNK} FROM chunks "  # noqa: S608
        "WHERE collection = ? AND document = ? ORDER BY ordinal, id",
        (collection, document),
    )
    return list(map(rows.chunk_value, cursor))


def pending(connection: sqlite3.Connection, collection: int, before: Stage) -> list[int]:
    """Return documents, by source, with chunks that have not reached a stage."""
    cursor = connection.execute(
        f"""SELECT d.id FROM documents d WHERE d.collection = ?1 AND d.id IN (
            SELECT document FROM chunks
            WHERE collection = ?1 AND stage < {LAST_STAGE_CODE} AND stage < ?2)
        ORDER BY d.source""",  # noqa: S608
        (collection, STAGE_CODES[before]),
    )
    return [row[0] for row in cursor]


def stages(connection: sqlite3.Connection, collection: int, document: int) -> Mapping[int, Stage]:
    """Return the stage of each chunk of a document, by ordinal."""
    cursor = connection.execute(
        "SELECT id, stage FROM chunks WHERE collection = ? AND document = ? ORDER BY ordinal, id",
        (collection, document),
    )
    return {chunk: STAGES[stage] for chunk, stage in cursor}
