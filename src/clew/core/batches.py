"""Units of writing: each is applied whole or not at all, and applying one twice changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from clew.core.arrays import Ids, Matrix
from clew.core.documents import Chunk, Document, Stage
from clew.core.knowledge import Claim, Community, Edge, Mention, Merge


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors by id: `ids` (n,), `matrix` (n, dimensions)."""

    ids: Ids
    matrix: Matrix


def no_vectors(dimensions: int = 0) -> Vectors:
    """Return no vectors."""
    return Vectors(np.empty(0, np.int64), np.empty((0, dimensions), np.float32))


@dataclass(frozen=True, slots=True)
class ChunkBatch:
    """Documents, chunks and vectors to upsert, and the stage that chunks have reached.

    Upserting a document replaces an older version of the same source; its chunks that are not
    named again must be removed by the caller in the same transaction.
    """

    documents: tuple[Document, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    vectors: Vectors | None = None
    stage: Stage | None = None
    staged: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeVectors:
    """Vectors of nodes: `name` for matching names, `search` for finding by meaning.

    `origins` holds, by row, the origin whose text went into `search`; erasing it drops the row,
    and the node is embedded again from what is left.
    """

    ids: Ids
    name: Matrix
    search: Matrix
    origins: Ids


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Knowledge that rests on chunks of one source; `origin` is that source's `origin_id`.

    Nodes come into being with their first mention. Edges carry the evidence to be added; an edge
    that exists keeps its other evidence. `recorded_at` says when all of it became known; edges
    that carry a time of their own keep it.
    """

    origin: int
    mentions: tuple[Mention, ...] = ()
    edges: tuple[Edge, ...] = ()
    claims: tuple[Claim, ...] = ()
    merges: tuple[Merge, ...] = ()
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CommunityBatch:
    """Communities to upsert with the unit vectors of their summaries.

    `replaced` names those that go first: None for all of the collection. A community that was
    there already and is given no vector keeps its own, unless it is among those.
    """

    communities: tuple[Community, ...]
    vectors: Vectors
    replaced: tuple[int, ...] | None = None
