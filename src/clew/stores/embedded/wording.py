"""What nodes and edges are called, as columns: names, relations, and which name stands for what.

Snapshots keep them in flat files, the overlay in rows of the same form. They answer for those who
may see everything; under a filter or for a principal with groups the truth is read.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import NO_CHUNK, Ids
from clew.core.ids import node_id
from clew.stores.embedded.codes import LINK_CODE
from clew.stores.embedded.columns import rows_of, scope

NAME_USE = np.dtype([("key", "i8"), ("node", "i8"), ("chunk", "i8"), ("uses", "i4")])
"""How often a chunk mentions a node by a name, LINK mentions left out; `key` is the id that a node
of that name has."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts end to end in UTF-8: text i is `data[offsets[i]:offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """Return the texts, laid end to end."""
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(offsets, np.frombuffer(b"".join(parts), np.uint8))

    def at(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the texts of rows."""
        starts, ends = self.offsets[rows].tolist(), self.offsets[rows + 1].tolist()
        data = self.data
        return [
            data[start:end].tobytes().decode("utf-8", "surrogatepass")
            for start, end in zip(starts, ends, strict=True)
        ]


def read_node_names(
    connection: sqlite3.Connection, collection: int, ids: Ids | None = None
) -> list[tuple[int, str]]:
    """Return id and name of live nodes, by id."""
    condition, parameters = scope("id", ids)
    return connection.execute(
        f"SELECT id, name FROM nodes WHERE collection = ?{condition} ORDER BY id",  # noqa: S608
        (collection, *parameters),
    ).fetchall()


def read_relations(
    connection: sqlite3.Connection, collection: int, edges: Ids, *, every: bool
) -> list[str]:
    """Return the relation of each of `edges` (sorted); `every` as for `read_evidence`."""
    condition, parameters = scope("id", None if every else edges)
    cursor = connection.execute(
        f"SELECT id, relation FROM edges WHERE collection = ?{condition}",  # noqa: S608
        (collection, *parameters),
    )
    held: dict[int, str] = dict(cursor)
    return [held[edge] for edge in edges.tolist()]


def best_chunks(edges: Ids, evidence: NDArray[Any]) -> Ids:
    """Return the chunk of the surest evidence of each of `edges` (sorted), ties by chunk.

    `evidence` holds `EVIDENCE` rows of these edges; `NO_CHUNK` stands where there is none.
    """
    best = np.full(len(edges), NO_CHUNK, np.int64)
    order = np.lexsort((-evidence["chunk"], evidence["confidence"], evidence["edge"]))
    # Of several values for one place the last is kept, which is the best.
    best[rows_of(edges, evidence["edge"][order])] = evidence["chunk"][order]
    return best


def read_name_uses(
    connection: sqlite3.Connection, collection: int, chunks: Ids | None = None
) -> NDArray[Any]:
    """Return `NAME_USE` rows by key; of some chunks, or of all."""
    condition, parameters = scope("chunk", chunks)
    known: dict[str, int] = {}
    cursor = connection.execute(
        "SELECT key, node, chunk, count(*) FROM mentions "  # noqa: S608
        f"WHERE collection = ?{condition} AND role <> {LINK_CODE} GROUP BY chunk, node, key",
        (collection, *parameters),
    )
    rows = ((_numbered(key, known), node, chunk, uses) for key, node, chunk, uses in cursor)
    found = np.fromiter(rows, NAME_USE)
    return found[np.argsort(found["key"], kind="stable")]


def _numbered(key: str, known: dict[str, int]) -> int:
    number = known.get(key)
    if number is None:
        number = known[key] = node_id(key)
    return number


def nodes_by_use(
    parts: Sequence[tuple[NDArray[Any], Ids, Ids | None]], keys: Sequence[int]
) -> Mapping[int, Counter[int]]:
    """Return how often each key stands for which node.

    `parts` pair `NAME_USE` rows with their keys and with the sorted chunks that do not count.
    """
    wanted = np.array(keys, np.int64)
    found: dict[int, Counter[int]] = {}
    for table, column, gone in parts:
        first = np.searchsorted(column, wanted, "left")
        last = np.searchsorted(column, wanted, "right")
        for place in np.flatnonzero(last > first).tolist():
            rows = table[first[place] : last[place]]
            if gone is not None and len(gone):
                rows = rows[rows_of(gone, rows["chunk"]) < 0]
            nodes, owner = np.unique(rows["node"], return_inverse=True)
            uses = np.bincount(owner, weights=rows["uses"], minlength=len(nodes))
            counter = found.setdefault(keys[place], Counter())
            counter.update(dict(zip(nodes.tolist(), uses.astype(np.int64).tolist(), strict=True)))
    return found
