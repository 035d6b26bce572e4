"""Writing documents and chunks to the truth. Each call stands in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from clew.core.arrays import Matrix
from clew.core.batches import ChunkBatch, Vectors
from clew.core.documents import Chunk, Document
from clew.core.errors import StoreError
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog
from clew.stores.embedded.codes import STAGE_CODES
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.versions import drop_versions, keep_version


def write_chunks(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, batch: ChunkBatch
) -> None:
    """Upsert documents, chunks, vectors and stages, in this order."""
    staying = {chunk.id for chunk in batch.chunks}
    for document in batch.documents:
        keep_version(connection, collection, document, staying=staying)
        _write_document(connection, log, collection, document)
    _write_rows(connection, log, collection, batch.chunks)
    if batch.vectors is not None and len(batch.vectors.ids):
        write_vectors(connection, log, collection, batch.vectors)
    if batch.stage is not None:
        code = STAGE_CODES[batch.stage]
        connection.executemany(
            "UPDATE chunks SET stage = ? WHERE collection = ? AND id = ?",
            [(code, collection, chunk) for chunk in batch.staged],
        )


def remove_chunks(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, chunks: Iterable[int]
) -> int:
    """Remove chunks; return how many there were."""
    wanted = id_list(chunks)
    known = [
        row[0]
        for row in connection.execute(
            "SELECT id FROM chunks WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
            (collection, wanted),
        )
    ]
    for table in ("chunks", "chunk_vectors"):
        connection.execute(
            f"DELETE FROM {table} WHERE collection = ? "  # noqa: S608
            "AND id IN (SELECT value FROM json_each(?))",
            (collection, id_list(known)),
        )
    log.note(collection, Changed.CHUNK, known)
    return len(known)


def remove_document(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, document: int
) -> Mapping[str, int]:
    """Remove a document, its chunks and its earlier versions; return row counts."""
    held = _chunks_of(connection, collection, document)
    vectors = connection.execute(
        "SELECT count(*) FROM chunk_vectors "
        "WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(held)),
    ).fetchone()[0]
    chunks = remove_chunks(connection, log, collection, held)
    past = drop_versions(connection, collection, document)
    removed = connection.execute(
        "DELETE FROM documents WHERE collection = ? AND id = ?", (collection, document)
    ).rowcount
    log.note(collection, Changed.DOCUMENT, [document])
    return {"documents": removed, "chunks": chunks, "chunk_vectors": vectors, **past}


def require_dimensions(
    connection: sqlite3.Connection,
    collection: int,
    matrix: Matrix,
    *,
    table: str,
    column: str,
    place: str,
) -> None:
    """Check that vectors fit those that a table holds.

    Raises:
        StoreError: they do not.
    """
    held = connection.execute(
        f"SELECT length({column}) / 4 FROM {table} WHERE collection = ? LIMIT 1",  # noqa: S608
        (collection,),
    ).fetchone()
    if held is not None:
        require_same(matrix.shape[1], int(held[0]), place)


def require_same(offered: int, held: int, place: str) -> None:
    """Check that a vector has the dimensions of those that are held.

    Raises:
        StoreError: it has not.
    """
    if offered != held:
        raise StoreError(
            f"a vector has {offered} dimensions, those of {place} have {held}; "
            "use the model that the collection was made with"
        )


def _write_document(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, document: Document
) -> None:
    older = connection.execute(
        "SELECT id, title FROM documents WHERE collection = ? AND (source = ? OR id = ?)",
        (collection, document.source, document.id),
    ).fetchall()
    titles: dict[int, str] = dict(older)
    connection.execute(
        "DELETE FROM documents WHERE collection = ? AND (source = ? OR id = ?)",
        (collection, document.source, document.id),
    )
    connection.execute(
        f"INSERT INTO documents (collection, {rows.DOCUMENT}) "  # noqa: S608
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (collection, *rows.document_row(document)),
    )
    log.note(collection, Changed.DOCUMENT, [document.id, *titles])
    # Keyword search reads the title with each chunk.
    retitled = [identifier for identifier, title in titles.items() if identifier != document.id]
    if titles.get(document.id, "") != document.title:
        retitled.append(document.id)
    for identifier in retitled:
        log.note(collection, Changed.CHUNK, _chunks_of(connection, collection, identifier))


def _write_rows(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, chunks: Sequence[Chunk]
) -> None:
    connection.executemany(
        f"""INSERT INTO chunks (collection, stage, {rows.CHUNK}, recorded_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
            (SELECT recorded_at FROM documents WHERE collection = ?1 AND id = ?4))
        ON CONFLICT (collection, id) DO UPDATE SET
            document = excluded.document, ordinal = excluded.ordinal, text = excluded.text,
            span_start = excluded.span_start, span_end = excluded.span_end,
            page = excluded.page, original = excluded.original, recorded_at =
                CASE WHEN document = excluded.document THEN recorded_at
                ELSE excluded.recorded_at END""",  # noqa: S608
        [(collection, rows.FIRST_STAGE_CODE, *rows.chunk_row(chunk)) for chunk in chunks],
    )
    log.note(collection, Changed.CHUNK, [chunk.id for chunk in chunks])


def write_vectors(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, vectors: Vectors
) -> None:
    """Set the vectors of known chunks."""
    require_dimensions(
        connection,
        collection,
        vectors.matrix,
        table="chunk_vectors",
        column="vector",
        place="the collection",
    )
    matrix = np.ascontiguousarray(vectors.matrix, np.float32)
    ids = vectors.ids.tolist()
    connection.executemany(
        """INSERT INTO chunk_vectors (collection, id, vector)
        SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM chunks WHERE collection = ?1 AND id = ?2)
        ON CONFLICT (collection, id) DO UPDATE SET vector = excluded.vector""",
        [(collection, chunk, vector.tobytes()) for chunk, vector in zip(ids, matrix, strict=True)],
    )
    log.note(collection, Changed.CHUNK, ids)


def _chunks_of(connection: sqlite3.Connection, collection: int, document: int) -> list[int]:
    cursor = connection.execute(
        "SELECT id FROM chunks WHERE collection = ? AND document = ?", (collection, document)
    )
    return [row[0] for row in cursor]
