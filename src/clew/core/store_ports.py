"""The ports of stores: chunks, graph, log and catalogue have a file each, history stands here.

A store implements all of them.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from clew.core.bulk_ports import BulkChunks, BulkGraph
from clew.core.catalogue_port import Catalogue
from clew.core.chunk_store_port import ChunkStore
from clew.core.documents import DocumentVersion
from clew.core.graph_store_port import GraphStore
from clew.core.log_port import Log

__all__ = ["Catalogue", "ChunkStore", "GraphStore", "History", "Log", "Store"]


class History(Protocol):
    """Versions of documents, and the graph as it was known.

    A row was known from its `recorded_at` (rows without one: since ever) until it was retired. What
    was erased was never known.
    """

    def versions(self, collection: str, source: str) -> list[DocumentVersion]:
        """Return the versions of a source that the store holds, oldest first."""
        ...

    def as_of(self, collection: str, moment: datetime) -> AbstractContextManager[Store]:
        """Give the collection as it was known at a moment, as a store of its own.

        It holds what was recorded at or before `moment` and not retired by then:

        - documents and chunks of the version that stood; acl is that of the present version, so
          that nobody sees more of the past than of the present;
        - mentions, statements, claims and merges, and the nodes and edges that they make; an edge
          that was superseded later is in force;
        - vectors of nodes that live now; nodes that died since are found by name;
        - facts of the collection. Communities, outcomes, profiles and jobs are left out.

        Where rows of one key were overwritten, or a supersession was taken back, the last state
        counts. It lives until the context ends; what is written to it is lost.

        Raises:
            StoreError: a transaction is open in this thread, or there is no room for the copy.
        """
        ...


class Store(ChunkStore, GraphStore, History, Log, Catalogue, BulkChunks, BulkGraph, Protocol):
    """A back end that implements every store port."""
