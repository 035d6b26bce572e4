"""Columnar results of stores: parallel numpy arrays, one row per hit or edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]
Matrix: TypeAlias = NDArray[np.float32]
Times: TypeAlias = NDArray[np.datetime64]
Booleans: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """Ranked hits, best first; ties are ordered by id. `ids` and `scores` have shape (n,)."""

    ids: Ids
    scores: Floats


@dataclass(frozen=True, slots=True)
class EdgeBatch:
    """Edges that leave a frontier, shape (n,) each, ordered by (frontier row, -confidence, edge).

    `source` is the frontier node from which the edge was reached and `target` its other end;
    `forward` is False where the edge itself points from `target` to `source`. `kind` holds
    `EDGE_TYPE_CODES`. Times are datetime64[us], NaT where open or unknown.
    """

    source: Ids
    target: Ids
    edge: Ids
    kind: NDArray[np.int8]
    forward: Booleans
    confidence: Floats
    occurred_at: Times
    valid_from: Times
    valid_to: Times


@dataclass(frozen=True, slots=True)
class EdgeLabels:
    """What edges are called and where they are stated best, parallel to the ids asked for.

    `known` (n,) is False for what is no edge in sight; `relations` are then empty. `chunks` (n,)
    holds the passage of the surest evidence, `NO_CHUNK` where an edge has none.
    """

    known: Booleans
    relations: tuple[str, ...]
    chunks: Ids


NO_CHUNK = -1


def dots(matrix: Matrix, vector: Floats) -> Floats:
    """Return the dot product of each row with the vector, shape (n,).

    Row by row in the calling thread: a BLAS product wakes its threads for a few microseconds of
    work, and waits for them where others use the cores.
    """
    return np.asarray(np.vecdot(matrix, vector), np.float32)


def empty_hits() -> Hits:
    """Return no hits."""
    return Hits(np.empty(0, np.int64), np.empty(0, np.float32))


def top_hits(ids: Ids, scores: Floats, limit: int) -> Hits:
    """Return the `limit` best of parallel `ids` and `scores`, ties by id."""
    if len(ids) > 4 * limit:
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        keep = scores >= cut
        ids, scores = ids[keep], scores[keep]
    order = np.lexsort((ids, -scores))[:limit]
    return Hits(ids[order], scores[order])
