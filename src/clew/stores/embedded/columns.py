"""Rows of the truth as structured arrays, sorted by key: what indexes are made of.

The same readers serve a whole collection (a snapshot is built) and some ids of it (the overlay is
refreshed). Times are microseconds since 1970, `NO_TIME` where open or unknown.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids, Matrix
from clew.stores.embedded.codes import LINK_CODE

Table: TypeAlias = "NDArray[np.void]"

NO_TIME = np.iinfo(np.int64).min
"""The integer that numpy reads as NaT."""

NO_LABEL = -1

CHUNK = np.dtype([("id", "i8"), ("document", "i8")])
NODE = np.dtype([("id", "i8"), ("label", "i4"), ("mention_count", "i4")])
EDGE = np.dtype(
    [
        ("id", "i8"),
        ("source", "i8"),
        ("target", "i8"),
        ("occurred_at", "i8"),
        ("valid_from", "i8"),
        ("valid_to", "i8"),
        ("confidence", "f4"),
        ("kind", "i1"),
        ("standing", "i1"),
    ],
    align=True,
)
EVIDENCE = np.dtype([("edge", "i8"), ("chunk", "i8"), ("confidence", "f8")])
MENTION = np.dtype(
    [
        ("chunk", "i8"),
        ("node", "i8"),
        ("edge", "i8"),
        ("confidence", "f4"),
        ("establishing", "i1"),
    ],
    align=True,
)

_FETCH = 2048
_TEXTS_AT_ONCE = 1000


@dataclass(slots=True)
class Labels:
    """Codes of node labels. Codes are only ever added, so that readers need no lock."""

    names: list[str] = field(default_factory=list[str])
    codes: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, names: Iterable[str]) -> Labels:
        """Return codes in the order of `names`."""
        held = list(names)
        return cls(held, {name: code for code, name in enumerate(held)})

    def code(self, name: str | None) -> int:
        """Return the code of a label, a new one if it has none; `NO_LABEL` for None."""
        if name is None:
            return NO_LABEL
        known = self.codes.get(name)
        if known is None:
            self.names.append(name)
            known = self.codes[name] = len(self.names) - 1
        return known


@dataclass(frozen=True, slots=True)
class VectorColumns:
    """Vectors by id: `ids` (n,) sorted, `matrix` (n, dimensions)."""

    ids: Ids
    matrix: Matrix


def id_list(ids: Iterable[int]) -> str:
    """Return ids as the JSON array that `_scope` binds; SQLite's parameters have a limit."""
    return json.dumps([int(identifier) for identifier in ids])


def scope(column: str, ids: Sequence[int] | Ids | None) -> tuple[str, tuple[str, ...]]:
    """Return the condition that limits `column` to `ids` (None: no limit) and its parameters."""
    if ids is None:
        return "", ()
    return f" AND {column} IN (SELECT value FROM json_each(?))", (id_list(ids),)  # noqa: S608


def rows_by_text(
    connection: sqlite3.Connection, statement: str, collection: int, texts: Sequence[str]
) -> list[tuple[Any, ...]]:
    """Return the rows of a statement whose `{texts}` stands for a list of the texts.

    SQLite's JSON ends a text at a NUL, so texts are bound one by one, a bounded number at a time.
    """
    found: list[tuple[Any, ...]] = []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        part = texts[start : start + _TEXTS_AT_ONCE]
        marks = ", ".join("?" * len(part))
        found += connection.execute(statement.format(texts=marks), (collection, *part))
    return found


def read_chunks(
    connection: sqlite3.Connection, collection: int, ids: Ids | None = None
) -> NDArray[Any]:
    """Return `CHUNK` rows by id."""
    condition, parameters = scope("id", ids)
    cursor = connection.execute(
        f"SELECT id, document FROM chunks WHERE collection = ?{condition} ORDER BY id",  # noqa: S608
        (collection, *parameters),
    )
    return np.fromiter(cursor, CHUNK)


def read_nodes(
    connection: sqlite3.Connection, collection: int, labels: Labels, ids: Ids | None = None
) -> NDArray[Any]:
    """Return `NODE` rows of live nodes by id; new labels get codes."""
    condition, parameters = scope("id", ids)
    cursor = connection.execute(
        "SELECT id, label, mention_count FROM nodes "  # noqa: S608
        f"WHERE collection = ?{condition} ORDER BY id",
        (collection, *parameters),
    )
    rows = ((node, labels.code(label), count) for node, label, count in cursor)
    return np.fromiter(rows, NODE)


def read_edges(
    connection: sqlite3.Connection, collection: int, ids: Ids | None = None
) -> NDArray[Any]:
    """Return `EDGE` rows of edges in force between live nodes, by id."""
    condition, parameters = scope("e.id", ids)
    cursor = connection.execute(
        f"""SELECT e.id, source, target, ifnull(occurred_at, {NO_TIME}),
               ifnull(valid_from, {NO_TIME}), ifnull(valid_to, {NO_TIME}),
               confidence, kind, standing
        FROM edges e
        WHERE e.collection = ?{condition} AND retired_at IS NULL
          AND EXISTS (SELECT 1 FROM nodes n WHERE n.collection = e.collection AND n.id = source)
          AND EXISTS (SELECT 1 FROM nodes n WHERE n.collection = e.collection AND n.id = target)
        ORDER BY e.id""",  # noqa: S608
        (collection, *parameters),
    )
    return np.fromiter(cursor, EDGE)


def read_evidence(
    connection: sqlite3.Connection, collection: int, edges: Ids, *, every: bool
) -> NDArray[Any]:
    """Return `EVIDENCE` rows in force of `edges` (sorted), by edge and chunk.

    `every` says that `edges` are most of the collection's, so that a scan is the faster way.
    """
    condition, parameters = scope("edge", None if every else edges)
    cursor = connection.execute(
        "SELECT edge, chunk, max(confidence) FROM statements "  # noqa: S608
        f"WHERE collection = ?{condition} AND retired_at IS NULL AND +chunk >= 0 "
        "GROUP BY edge, chunk ORDER BY edge, chunk",
        (collection, *parameters),
    )
    rows = np.fromiter(cursor, EVIDENCE)
    return rows[rows_of(edges, rows["edge"]) >= 0] if every else rows


def read_mentions(
    connection: sqlite3.Connection, collection: int, chunks: Ids | None = None
) -> NDArray[Any]:
    """Return one `MENTION` row for each pair of chunk and live node, by chunk and node."""
    condition, parameters = scope("chunk", chunks)
    cursor = connection.execute(
        f"""SELECT chunk, node, min(edge), max(confidence), max(role <> {LINK_CODE})
        FROM mentions m
        WHERE collection = ?{condition}
          AND EXISTS (SELECT 1 FROM nodes n WHERE n.collection = m.collection AND n.id = m.node)
        GROUP BY chunk, node ORDER BY chunk, node""",  # noqa: S608
        (collection, *parameters),
    )
    return np.fromiter(cursor, MENTION)


def read_chunk_vectors(connection: sqlite3.Connection, collection: int, ids: Ids) -> VectorColumns:
    """Return the vectors of those chunks of `ids` that have one."""
    condition, parameters = scope("id", ids)
    cursor = connection.execute(
        "SELECT id, vector FROM chunk_vectors "  # noqa: S608
        f"WHERE collection = ?{condition} ORDER BY id",
        (collection, *parameters),
    )
    rows = cursor.fetchall()
    return VectorColumns(_first_ids(rows), matrix_of([row[1] for row in rows]))


def read_node_vectors(
    connection: sqlite3.Connection, collection: int, ids: Ids
) -> tuple[VectorColumns, VectorColumns]:
    """Return name and search vectors of those nodes of `ids` that have them."""
    condition, parameters = scope("id", ids)
    cursor = connection.execute(
        "SELECT id, name, search FROM node_vectors "  # noqa: S608
        f"WHERE collection = ?{condition} ORDER BY id",
        (collection, *parameters),
    )
    rows = cursor.fetchall()
    held = _first_ids(rows)
    return (
        VectorColumns(held, matrix_of([row[1] for row in rows])),
        VectorColumns(held, matrix_of([row[2] for row in rows])),
    )


def counted_rows(connection: sqlite3.Connection, collection: int) -> dict[str, int]:
    """Return how many rows of each kind the indexes of a collection must hold."""
    living = "EXISTS (SELECT 1 FROM nodes n WHERE n.collection = t.collection AND n.id = t.{})"
    queries = {
        "chunks": "chunks t WHERE collection = ?",
        "vectors": "chunk_vectors t WHERE collection = ?",
        "nodes": "nodes t WHERE collection = ?",
        "node vectors": "node_vectors t WHERE collection = ?",
        "edges": "edges t WHERE collection = ? AND retired_at IS NULL "
        f"AND {living.format('source')} AND {living.format('target')}",
        "mentions": "(SELECT DISTINCT collection, chunk, node FROM mentions) t "  # noqa: S608
        f"WHERE collection = ? AND {living.format('node')}",
    }
    return {
        kind: int(
            connection.execute(f"SELECT count(*) FROM {query}", (collection,)).fetchone()[0]  # noqa: S608
        )
        for kind, query in queries.items()
    }


def batches(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a cursor in lists of a bounded length."""
    while rows := cursor.fetchmany(_FETCH):
        yield rows


def matrix_of(blobs: Sequence[bytes]) -> Matrix:
    """Return the float32 rows that `blobs` hold, shape (len(blobs), dimensions)."""
    if not blobs:
        return np.empty((0, 0), np.float32)
    return np.frombuffer(b"".join(blobs), np.float32).reshape(len(blobs), -1)


def rows_of(keys: Ids, wanted: Ids) -> NDArray[np.int64]:
    """Return the row of each wanted id in sorted `keys`, -1 where it has none."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    rows = np.searchsorted(keys, wanted)
    rows[rows == len(keys)] = 0
    rows[keys[rows] != wanted] = -1
    return rows


def distinct(ids: Ids) -> Ids:
    """Return the sorted ids without repetition (`numpy.unique` loads all of `numpy.ma`)."""
    ordered: Ids = np.sort(ids)
    first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    found: Ids = ordered[first]
    return found


def union(first: Ids, second: Ids) -> Ids:
    """Return the sorted ids of either, without repetition."""
    return distinct(np.concatenate([first, second])) if len(second) else first


def flat_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges `start .. start + length`, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def replaced(table: NDArray[Any], key: str, gone: Ids, fresh: NDArray[Any]) -> NDArray[Any]:
    """Return `table` without the rows whose key is in sorted `gone`, with `fresh` sorted in."""
    kept = table[rows_of(gone, table[key]) < 0]
    joined = np.concatenate([kept, fresh])
    return joined[np.argsort(joined[key], kind="stable")]


def replaced_vectors(table: VectorColumns, gone: Ids, fresh: VectorColumns) -> VectorColumns:
    """Return vectors without those in sorted `gone`, with `fresh` sorted in."""
    kept = rows_of(gone, table.ids) < 0
    if not kept.any():
        return fresh
    if not len(fresh.ids):
        return VectorColumns(table.ids[kept], table.matrix[kept])
    ids = np.concatenate([table.ids[kept], fresh.ids])
    order = np.argsort(ids, kind="stable")
    return VectorColumns(ids[order], np.concatenate([table.matrix[kept], fresh.matrix])[order])


def no_vectors() -> VectorColumns:
    """Return no vectors."""
    return VectorColumns(np.empty(0, np.int64), np.empty((0, 0), np.float32))


def _first_ids(rows: Sequence[tuple[Any, ...]]) -> Ids:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))
