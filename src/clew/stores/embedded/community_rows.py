"""Communities in the truth: writing, dropping and reading them with the vectors of summaries."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from clew.core.arrays import Ids, Matrix
from clew.core.batches import CommunityBatch, Vectors
from clew.core.errors import StoreError
from clew.core.knowledge import Community
from clew.stores.community_scope import SummaryVectors
from clew.stores.embedded import rows
from clew.stores.embedded.columns import id_list, matrix_of

_OF_IDS = "IN (SELECT value FROM json_each(?))"
_FLOAT_BYTES = 4


def write_communities(
    connection: sqlite3.Connection, collection: int, batch: CommunityBatch
) -> None:
    """Remove what the batch replaces and upsert its communities."""
    if batch.replaced is None:
        for table in ("communities", "memberships"):
            connection.execute(
                f"DELETE FROM {table} WHERE collection = ?",  # noqa: S608
                (collection,),
            )
    else:
        _remove(connection, collection, batch.replaced)
    matrix = np.ascontiguousarray(batch.vectors.matrix, np.float32)
    if len(matrix):
        _require_dimensions(connection, collection, matrix.shape[1])
    written = {community.id: community for community in batch.communities}
    vectors = _stored_vectors(connection, collection, list(written)) | {
        community: vector.tobytes()
        for community, vector in zip(batch.vectors.ids.tolist(), matrix, strict=True)
    }
    _remove(connection, collection, list(written))
    marks = ", ".join("?" * (2 + len(rows.COMMUNITY.split(","))))
    connection.executemany(
        f"INSERT INTO communities (collection, vector, {rows.COMMUNITY}) "  # noqa: S608
        f"VALUES ({marks})",
        [
            (collection, vectors.get(community.id), *rows.community_row(community))
            for community in written.values()
        ],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO memberships (collection, node, community, level, path) "
        "VALUES (?, ?, ?, ?, ?)",
        [
            (collection, member, community.id, community.level, community.path)
            for community in written.values()
            for member in community.members
        ],
    )


def drop_communities_of(
    connection: sqlite3.Connection, collection: int, nodes: Iterable[int]
) -> int:
    """Remove the communities that hold one of `nodes`; return how many there were."""
    cursor = connection.execute(
        f"SELECT DISTINCT community FROM memberships WHERE collection = ? AND node {_OF_IDS}",  # noqa: S608
        (collection, id_list(nodes)),
    )
    held = [row[0] for row in cursor]
    _remove(connection, collection, held)
    return len(held)


def read_communities(
    connection: sqlite3.Connection,
    collection: int,
    *,
    ids: Sequence[int] | None,
    level: int | None,
) -> list[Community]:
    """Return communities by level, path and id, whoever may see them."""
    condition = "" if level is None else " AND level = ?"
    condition += "" if ids is None else f" AND id {_OF_IDS}"
    cursor = connection.execute(
        f"SELECT {rows.COMMUNITY} FROM communities "  # noqa: S608
        f"WHERE collection = ?{condition} ORDER BY level, path, id",
        (
            collection,
            *(() if level is None else (level,)),
            *(() if ids is None else (id_list(ids),)),
        ),
    )
    return [rows.community_value(row) for row in cursor]


def read_summaries(
    connection: sqlite3.Connection, collection: int, *, level: int | None
) -> SummaryVectors:
    """Return acl and vector of the communities that have one, whoever may see them."""
    condition = "" if level is None else " AND level = ?"
    found = connection.execute(
        f"SELECT id, acl, vector FROM communities "  # noqa: S608
        f"WHERE collection = ? AND vector IS NOT NULL{condition}",
        (collection,) if level is None else (collection, level),
    ).fetchall()
    return SummaryVectors(
        np.array([row[0] for row in found], np.int64),
        [rows.acl_value(row[1]) for row in found],
        matrix_of([row[2] for row in found]),
    )


def read_vectors(connection: sqlite3.Connection, collection: int, ids: Ids) -> Vectors:
    """Return the vectors of those of `ids` that have one, by id."""
    found = sorted(_stored_vectors(connection, collection, ids.tolist()).items())
    return Vectors(
        np.array([identifier for identifier, _ in found], np.int64),
        matrix_of([blob for _, blob in found]),
    )


def vectors_in_order(held: Vectors, ids: Ids) -> Matrix:
    """Return the rows of `held` in the order of `ids`, zeros where there is none."""
    matrix = np.zeros((len(ids), held.matrix.shape[1] if len(held.ids) else 0), np.float32)
    places = {identifier: row for row, identifier in enumerate(held.ids.tolist())}
    for place, identifier in enumerate(ids.tolist()):
        if identifier in places:
            matrix[place] = held.matrix[places[identifier]]
    return matrix


def _stored_vectors(
    connection: sqlite3.Connection, collection: int, ids: Sequence[int]
) -> dict[int, bytes]:
    cursor = connection.execute(
        f"SELECT id, vector FROM communities "  # noqa: S608
        f"WHERE collection = ? AND vector IS NOT NULL AND id {_OF_IDS}",
        (collection, id_list(ids)),
    )
    return dict(cursor.fetchall())


def _remove(connection: sqlite3.Connection, collection: int, ids: Sequence[int]) -> None:
    for table, column in (("communities", "id"), ("memberships", "community")):
        connection.execute(
            f"DELETE FROM {table} WHERE collection = ? AND {column} {_OF_IDS}",  # noqa: S608
            (collection, json.dumps(list(ids))),
        )


def _require_dimensions(connection: sqlite3.Connection, collection: int, dimensions: int) -> None:
    row = connection.execute(
        "SELECT length(vector) FROM communities "
        "WHERE collection = ? AND vector IS NOT NULL LIMIT 1",
        (collection,),
    ).fetchone()
    held = dimensions if row is None else row[0] // _FLOAT_BYTES
    if held != dimensions:
        raise StoreError(
            f"a vector has {dimensions} dimensions, those of the collection's communities have "
            f"{held}; use the model that the collection was made with"
        )
