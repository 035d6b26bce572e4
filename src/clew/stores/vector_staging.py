"""Vectors that are being made beside those in force, in a file of their own.

The file is a cache: a row counts only for the model that it was made by, and only while the key of
what was embedded is the same. So it may be left behind by a killed run, taken up by the next one,
or deleted, at any time.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from clew.core.arrays import Floats, Ids, Matrix
from clew.core.batches import NodeVectors, Vectors

_FORMAT = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS model (name TEXT NOT NULL, format INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, pass INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS nodes (
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, pass INTEGER NOT NULL, name BLOB NOT NULL,
    search BLOB NOT NULL, origin INTEGER NOT NULL);
"""
_BATCH = 1024
_OF_IDS = "IN (SELECT value FROM json_each(?))"


class VectorStaging:
    """Vectors of one collection for one model. Every call is committed at once.

    A *pass* is one walk over the collection: only what it has confirmed or written is given out.

    Args:
        path: the file, whose folder is created; None keeps all in memory.
        model: fingerprint of the model; what another one left is dropped.
    """

    def __init__(self, path: Path | None, *, model: str) -> None:
        self._path = path
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(
            ":memory:" if path is None else path, isolation_level=None, check_same_thread=False
        )
        self._connection.executescript(_TABLES)
        known = self._connection.execute("SELECT name, format FROM model").fetchall()
        if known != [(model, _FORMAT)]:
            with self._writing() as connection:
                for table in ("model", "chunks", "nodes"):
                    connection.execute(f"DELETE FROM {table}")  # noqa: S608
                connection.execute("INSERT INTO model VALUES (?, ?)", (model, _FORMAT))
        self._pass = self._last_pass()

    def begin_pass(self) -> None:
        """Begin another walk over the collection."""
        self._pass += 1

    def confirmed_chunks(self, keys: dict[int, int]) -> set[int]:
        """Return the chunks that are there under their present keys; the pass confirms them."""
        return self._confirmed("chunks", keys)

    def confirmed_nodes(self, keys: dict[int, int]) -> set[int]:
        """Return the nodes that are there under their present keys; the pass confirms them."""
        return self._confirmed("nodes", keys)

    def write_chunks(self, vectors: Vectors, keys: Sequence[int]) -> None:
        """Keep vectors of chunks, made of what `keys` stand for."""
        rows = zip(vectors.ids.tolist(), keys, _blobs(vectors.matrix), strict=True)
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO chunks (id, key, pass, vector) VALUES (?, ?, ?, ?)",
                [(chunk, key, self._pass, blob) for chunk, key, blob in rows],
            )

    def write_nodes(self, vectors: NodeVectors, keys: Sequence[int]) -> None:
        """Keep vectors of nodes, made of what `keys` stand for."""
        rows = zip(
            vectors.ids.tolist(),
            keys,
            _blobs(vectors.name),
            _blobs(vectors.search),
            vectors.origins.tolist(),
            strict=True,
        )
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO nodes (id, key, pass, name, search, origin) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [(node, key, self._pass, *rest) for node, key, *rest in rows],
            )

    def chunk_keys(self, chunks: Iterable[int]) -> dict[int, int]:
        """Return the keys of the chunks that this pass has confirmed or written."""
        cursor = self._connection.execute(
            f"SELECT id, key FROM chunks WHERE pass = ? AND id {_OF_IDS}",  # noqa: S608
            (self._pass, _list(chunks)),
        )
        return dict(cursor.fetchall())

    def chunk_vectors(self, chunks: Ids, *, dimensions: int) -> Matrix:
        """Return vectors in the order of `chunks`, zeros where this pass has none."""
        found: dict[int, Floats] = {
            chunk: np.frombuffer(blob, np.float32)
            for chunk, blob in self._connection.execute(
                f"SELECT id, vector FROM chunks WHERE pass = ? AND id {_OF_IDS}",  # noqa: S608
                (self._pass, _list(chunks.tolist())),
            )
        }
        matrix = np.zeros((len(chunks), dimensions), np.float32)
        for row, chunk in enumerate(chunks.tolist()):
            if chunk in found:
                matrix[row] = found[chunk]
        return matrix

    def chunks(self) -> Iterator[Vectors]:
        """Yield all vectors of chunks that this pass has confirmed or written."""
        cursor = self._connection.execute(
            "SELECT id, vector FROM chunks WHERE pass = ? ORDER BY id", (self._pass,)
        )
        while rows := cursor.fetchmany(_BATCH):
            yield Vectors(_ids(rows, 0), _matrix(rows, 1))

    def nodes(self) -> Iterator[NodeVectors]:
        """Yield all vectors of nodes that this pass has confirmed or written."""
        cursor = self._connection.execute(
            "SELECT id, name, search, origin FROM nodes WHERE pass = ? ORDER BY id", (self._pass,)
        )
        while rows := cursor.fetchmany(_BATCH):
            yield NodeVectors(_ids(rows, 0), _matrix(rows, 1), _matrix(rows, 2), _ids(rows, 3))

    def close(self) -> None:
        """Close the file and keep it."""
        self._connection.close()

    def delete(self) -> None:
        """Close the file and remove it."""
        self.close()
        if self._path is not None:
            for suffix in ("", "-journal"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _last_pass(self) -> int:
        row = self._connection.execute(
            "SELECT max(ifnull((SELECT max(pass) FROM chunks), 0), "
            "ifnull((SELECT max(pass) FROM nodes), 0))"
        ).fetchone()
        return int(row[0])

    def _confirmed(self, table: str, keys: dict[int, int]) -> set[int]:
        known = self._connection.execute(
            f"SELECT id, key FROM {table} WHERE id {_OF_IDS}",  # noqa: S608
            (_list(keys),),
        )
        same = {identifier for identifier, key in known if keys[identifier] == key}
        with self._writing() as connection:
            connection.execute(
                f"UPDATE {table} SET pass = ? WHERE id {_OF_IDS}",  # noqa: S608
                (self._pass, _list(same)),
            )
        return same

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _list(ids: Iterable[int]) -> str:
    return json.dumps(list(ids))


def _blobs(matrix: Matrix) -> list[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(matrix, np.float32)]


def _ids(rows: Sequence[tuple[object, ...]], column: int) -> Ids:
    return np.array([row[column] for row in rows], np.int64)


def _matrix(rows: Sequence[tuple[bytes, ...]], column: int) -> Matrix:
    joined = b"".join(row[column] for row in rows)
    return np.frombuffer(joined, np.float32).reshape(len(rows), -1)
