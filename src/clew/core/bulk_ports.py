"""The ports of work on whole collections: export, import and the change of the embedding model.

They belong to the ports of `core.store_ports`: a chunk store offers `BulkChunks`, a graph store
`BulkGraph`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from clew.core.arrays import Ids
from clew.core.batches import NodeVectors, Vectors
from clew.core.knowledge import Edge, Statement
from clew.core.query import ALL_RIGHTS, Principal


class BulkChunks(Protocol):
    """What a chunk store offers for whole collections."""

    def document_ids(self, collection: str, *, principal: Principal = ALL_RIGHTS) -> list[int]:
        """Return the visible documents by source (by code point), without reading their texts."""
        ...

    def replace_vectors(self, collection: str, batches: Iterable[Vectors]) -> int:
        """Put other vectors in the place of all vectors of chunks; return how many were written.

        A chunk that no batch names has no vector afterwards, though its stage stays. Dimensions may
        differ from those before, not among the batches; vectors of unknown chunks are ignored.

        Raises:
            StoreError: batches differ in dimensions; nothing was changed.
        """
        ...


class BulkGraph(Protocol):
    """What a graph store offers for whole collections."""

    def node_ids(self, collection: str, *, principal: Principal = ALL_RIGHTS) -> Ids:
        """Return the visible live nodes, sorted."""
        ...

    def edge_ids(self, collection: str) -> Ids:
        """Return every edge that rests on a statement, sorted: live, hidden and retired ones."""
        ...

    def statements(self, collection: str, edges: Sequence[int]) -> list[Statement]:
        """Return all that edges rest on, retired rows included, with all rights.

        Ordered by edge as given, then chunk (words first), span and origin.
        """
        ...

    def write_statements(
        self, collection: str, edges: Sequence[Edge], statements: Sequence[Statement]
    ) -> None:
        """Add statements as they are, retired ones included, each with the origin that it names.

        `edges` gives their edges' own columns; evidence, confidence and standing follow from the
        statements, and `retired_at` is to be given only where the edge was superseded. What makes
        two statements the same is said at `GraphStore.write_graph`.

        Raises:
            StoreError: a statement's edge is unknown to the store and not among `edges`.
        """
        ...

    def replace_node_vectors(self, collection: str, batches: Iterable[NodeVectors]) -> int:
        """Put other vectors in the place of all vectors of nodes; return how many were written.

        A node that no batch names has no vectors afterwards. Dimensions may differ from those
        before, not among the batches; vectors of nodes that are not live are ignored.

        Raises:
            StoreError: batches differ in dimensions; nothing was changed.
        """
        ...
