"""The embedded store: one folder, SQLite as the truth, memory-mapped indexes derived from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, EdgeLabels, Floats, Hits, Ids, Matrix
from clew.core.batches import ChunkBatch, CommunityBatch, GraphBatch, NodeVectors, Vectors
from clew.core.documents import Chunk, Document, DocumentVersion, Stage
from clew.core.jobs import Job
from clew.core.knowledge import Claim, Community, Edge, Mention, Merge, Node, Statement
from clew.core.learning import Outcome, Profile
from clew.core.listing import NodeList, NodeSelection
from clew.core.query import ALL_RIGHTS, ANY_EDGE, NO_FILTER, EdgeFilter, Filter, Principal
from clew.stores.community_scope import nearest_communities, visible_communities
from clew.stores.edge_labels import labels_of
from clew.stores.embedded import (
    bulk,
    community_rows,
    listing_nodes,
    logging_rows,
    merging,
    reading_chunks,
    reading_graph,
    searching,
    versions,
    writing_chunks,
    writing_edges,
    writing_graph,
)
from clew.stores.embedded.catalogue import EmbeddedCatalogue
from clew.stores.embedded.historian import Historian
from clew.stores.embedded.labelling import edge_labels, known_names, node_names
from clew.stores.embedded.session import Session
from clew.stores.embedded.vectors import INVERTED_LISTS_FROM
from clew.stores.times import microseconds


class EmbeddedStore(EmbeddedCatalogue):
    """Implements `core.ports.Store` in the folder `path` (NAME.clew), which is created.

    Safe to use from several threads and several processes at once. A write is seen by every
    process as soon as it is committed; the thread that holds a transaction sees its own writes.

    Args:
        path: the folder.
        busy_seconds: how long a write waits for another process before `StoreBusyError`.
        inverted_lists_from: rows from which nearest neighbours are searched in inverted lists.

    Raises:
        StoreVersionError: a newer Clew wrote the folder.
        StoreError: the folder cannot be read and written.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        busy_seconds: float = 30.0,
        inverted_lists_from: int = INVERTED_LISTS_FROM,
    ) -> None:
        folder = Path(path)
        session = Session(
            folder, busy_seconds=busy_seconds, inverted_lists_from=inverted_lists_from
        )
        super().__init__(folder, session)
        self._historian: Historian[EmbeddedStore] = Historian(
            session.database, folder / "clew.db", EmbeddedStore
        )

    def close(self) -> None:
        """Finish the compaction that was asked for and close the files; once is enough."""
        self._historian.forget()
        super().close()

    def drop(self, collection: str) -> None:
        """Remove a collection with all that is in it."""
        self._historian.forget()
        super().drop(collection)

    def transaction(self) -> AbstractContextManager[None]:
        """Group writes: all of them are committed at exit, or none if an error leaves it."""
        return _without_value(self._session.transaction())

    def write_chunks(self, collection: str, batch: ChunkBatch) -> None:
        """Upsert documents, chunks, vectors and stages."""
        with self._session.writing(collection) as (connection, where):
            writing_chunks.write_chunks(connection, self._session.log, where, batch)

    def remove_chunks(self, collection: str, chunks: Sequence[int]) -> int:
        """Remove chunks; return how many there were."""
        with self._session.removing(collection) as (connection, where):
            return writing_chunks.remove_chunks(connection, self._session.log, where, chunks)

    def remove_document(self, collection: str, document: int) -> Mapping[str, int]:
        """Remove a document and its chunks; return row counts."""
        self._historian.forget()
        with self._session.removing(collection) as (connection, where):
            return writing_chunks.remove_document(connection, self._session.log, where, document)

    def documents(
        self,
        collection: str,
        *,
        ids: Sequence[int] | None = None,
        sources: Sequence[str] | None = None,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Document]:
        """Return documents that satisfy every argument, by source."""
        labelled = self._session.labelled_documents(collection, filter) if filter.labels else None
        with self._session.reading(collection) as (connection, where):
            found = reading_chunks.documents(
                connection, where, ids=ids, sources=sources, filter=filter, principal=principal
            )
        return [held for held in found if labelled is None or held.id in labelled]

    def chunks(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Chunk]:
        """Return visible chunks in the order of `ids`."""
        with self._session.reading(collection) as (connection, where):
            return reading_chunks.chunks(connection, where, ids, principal=principal)

    def document_chunks(self, collection: str, document: int) -> list[Chunk]:
        """Return a document's chunks by ordinal."""
        with self._session.reading(collection) as (connection, where):
            return reading_chunks.document_chunks(connection, where, document)

    def pending(self, collection: str, before: Stage) -> list[int]:
        """Return documents, by source, with chunks that have not reached the stage."""
        with self._session.reading(collection) as (connection, where):
            return reading_chunks.pending(connection, where, before)

    def stages(self, collection: str, document: int) -> Mapping[int, Stage]:
        """Return the stage of each chunk of a document."""
        with self._session.reading(collection) as (connection, where):
            return reading_chunks.stages(connection, where, document)

    def vectors(self, collection: str, chunks: Ids) -> Matrix:
        """Return vectors in the order of `chunks`, zeros where there is none."""
        return self._session.derived(
            collection,
            lambda view: searching.vectors_of(
                view.old_vectors, view.fresh_vectors, view.overlay.changed_chunks, chunks
            ),
        )

    def search_vector(
        self,
        collection: str,
        vector: Floats,
        *,
        limit: int,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return the chunks in scope of highest cosine."""
        return self._session.scoped(
            collection,
            lambda view: searching.search_chunks(
                view, vector, limit=limit, filter=filter, principal=principal
            ),
            filter=filter,
            principal=principal,
        )

    def search_text(
        self,
        collection: str,
        text: str,
        *,
        limit: int,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return the chunks in scope of highest BM25."""
        return self._session.with_text(
            collection,
            lambda view: searching.search_text(
                view, text, limit=limit, filter=filter, principal=principal
            ),
            filter=filter,
            principal=principal,
        )

    def in_scope(
        self,
        collection: str,
        chunks: Ids,
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Booleans:
        """Return which chunks pass filter and principal."""
        return self._session.scoped(
            collection,
            lambda view: searching.in_scope(view, chunks, filter=filter, principal=principal),
            filter=filter,
            principal=principal,
        )

    def term_presence(self, collection: str, chunks: Ids, terms: Sequence[str]) -> Booleans:
        """Return which index terms each chunk holds."""
        return self._session.with_text(
            collection,
            lambda view: searching.term_presence(view, chunks, terms),
            filter=NO_FILTER,
            principal=ALL_RIGHTS,
        )

    def find_phrases(self, collection: str, phrases: Sequence[str]) -> Mapping[str, list[int]]:
        """Return, by phrase, the chunks whose text holds its tokens in a row."""
        return self._session.with_text(
            collection,
            lambda view: searching.find_phrases(view, phrases),
            filter=NO_FILTER,
            principal=ALL_RIGHTS,
        )

    def write_graph(self, collection: str, batch: GraphBatch) -> None:
        """Add mentions, statements, claims and merges."""
        with self._session.writing(collection) as (connection, where):
            writing_graph.write_graphs(connection, self._session.log, where, [batch])

    def write_graphs(self, collection: str, batches: Sequence[GraphBatch]) -> None:
        """Add the knowledge of several sources at once."""
        with self._session.writing(collection) as (connection, where):
            writing_graph.write_graphs(connection, self._session.log, where, batches)

    def write_node_vectors(self, collection: str, vectors: NodeVectors) -> None:
        """Set the vectors of live nodes."""
        with self._session.writing(collection) as (connection, where):
            writing_graph.write_node_vectors(connection, self._session.log, where, vectors)

    def write_communities(self, collection: str, batch: CommunityBatch) -> None:
        """Remove what the batch replaces and upsert its communities."""
        with self._session.writing(collection) as (connection, where):
            community_rows.write_communities(connection, where, batch)

    def set_merged(self, collection: str, roots: Mapping[int, int]) -> None:
        """Read nodes as others from now on."""
        with self._session.writing(collection) as (connection, where):
            merging.set_merged(connection, self._session.log, where, roots)

    def merged(self, collection: str) -> Mapping[int, int]:
        """Return which nodes are read as which."""
        with self._session.reading(collection) as (connection, where):
            return merging.merged_nodes(connection, where).roots

    def erase(self, collection: str, origin: int) -> Mapping[str, int]:
        """Remove what came from an origin and whatever rested on it alone."""
        self._historian.forget()
        with self._session.removing(collection) as (connection, where):
            return writing_graph.erase(connection, self._session.log, where, origin)

    def retire(self, collection: str, chunks: Sequence[int], at: datetime) -> None:
        """Drop what vanished chunks say, and mark the evidence in them retired."""
        with self._session.removing(collection) as (connection, where):
            writing_graph.retire(connection, self._session.log, where, chunks, at)

    def nodes(
        self,
        collection: str,
        ids: Sequence[int],
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Node]:
        """Return visible live nodes in the order of `ids`."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.nodes(connection, where, ids, filter=filter, principal=principal)

    def list_nodes(
        self,
        collection: str,
        *,
        wanted: NodeSelection,
        limit: int,
        offset: int = 0,
        principal: Principal = ALL_RIGHTS,
    ) -> NodeList:
        """Return the visible live nodes that are wanted, page by page."""
        with self._session.reading(collection) as (connection, where):
            return listing_nodes.list_nodes(
                connection, where, wanted=wanted, limit=limit, offset=offset, principal=principal
            )

    def find_names(
        self,
        collection: str,
        keys: Sequence[str],
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Mapping[str, tuple[int, ...]]:
        """Return the visible nodes that each key stands for, most mentioned first."""
        if self._open_to_all(filter, principal):
            merged = self.merged(collection)
            return self._session.derived(collection, lambda view: known_names(view, keys, merged))
        with self._session.reading(collection) as (connection, where):
            return reading_graph.find_names(
                connection, where, keys, filter=filter, principal=principal
            )

    def nodes_without_vectors(self, collection: str, *, limit: int) -> list[int]:
        """Return the first live nodes, by id, that have no vectors."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.nodes_without_vectors(connection, where, limit=limit)

    def search_nodes(
        self,
        collection: str,
        vector: Floats,
        *,
        limit: int,
        by_name: bool = False,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return the nodes in scope by cosine to their search or name vector."""
        search = searching.search_names if by_name else searching.search_nodes
        return self._session.scoped(
            collection,
            lambda view: search(view, vector, limit=limit, filter=filter, principal=principal),
            filter=filter,
            principal=principal,
        )

    def match_names(self, collection: str, vectors: Matrix, *, least: float) -> list[Hits]:
        """Return the live nodes whose name vector is near each row."""
        return self._session.derived(
            collection, lambda view: searching.match_names(view, vectors, least=least)
        )

    def node_vectors(self, collection: str, nodes: Ids) -> Matrix:
        """Return search vectors in the order of `nodes`, zeros where there is none."""
        return self._session.derived(
            collection,
            lambda view: searching.vectors_of(
                view.old_node_searches,
                view.fresh_node_searches,
                view.overlay.changed_nodes,
                nodes,
            ),
        )

    def expand(
        self,
        collection: str,
        nodes: Ids,
        *,
        at: datetime | None = None,
        edge_filter: EdgeFilter = ANY_EDGE,
        limit: int | None = None,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeBatch:
        """Return the live, visible edges of a whole frontier, in both directions."""
        return self._session.scoped(
            collection,
            lambda view: searching.expand(
                view,
                nodes,
                at=at,
                edge_filter=edge_filter,
                limit=limit,
                filter=filter,
                principal=principal,
            ),
            filter=filter,
            principal=principal,
        )

    def knowledge_edges(
        self,
        collection: str,
        *,
        at: datetime | None = None,
        edge_filter: EdgeFilter = ANY_EDGE,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeBatch:
        """Return every live, visible knowledge edge once, forward, ordered by edge id."""
        return self._session.scoped(
            collection,
            lambda view: searching.knowledge_edges(
                view, at=at, edge_filter=edge_filter, principal=principal
            ),
            filter=NO_FILTER,
            principal=principal,
        )

    def degrees(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return the number of live knowledge edges of each node."""
        return self._session.derived(collection, lambda view: view.degrees(nodes))

    def hub_degree(self, collection: str) -> int:
        """Return the smallest degree of the top tenth of nodes, at least 1."""
        return self._session.derived(collection, lambda view: view.hub_degree)

    def mention_counts(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return in how many chunks each live node is mentioned."""
        return self._session.derived(collection, lambda view: view.mention_counts(nodes))

    def edges(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Edge]:
        """Return live and retired edges with the visible evidence."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.edges(connection, where, ids, principal=principal)

    def edge_labels(
        self, collection: str, edges: Ids, *, principal: Principal = ALL_RIGHTS
    ) -> EdgeLabels:
        """Return relation and best passage of live edges."""
        if principal.groups is not None or self._session.database.in_transaction:
            return labels_of(self.edges(collection, edges.tolist(), principal=principal), edges)
        return self._session.derived(collection, lambda view: edge_labels(view, edges))

    def node_names(
        self,
        collection: str,
        nodes: Ids,
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Mapping[int, str]:
        """Return the names of visible live nodes."""
        if self._open_to_all(filter, principal):
            return self._session.derived(collection, lambda view: node_names(view, nodes))
        found = self.nodes(collection, nodes.tolist(), filter=filter, principal=principal)
        return {node.id: node.name for node in found}

    def _open_to_all(self, filter: Filter, principal: Principal) -> bool:
        """Return whether nothing is excluded, and no write of this thread waits for its commit:
        each write would have the indexes brought up to date for the next read."""
        restricted = principal.groups is not None or not filter.is_empty()
        return not restricted and not self._session.database.in_transaction

    def mentions(self, collection: str, chunks: Sequence[int]) -> list[Mention]:
        """Return mentions of live nodes, by chunk as given."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.mentions(connection, where, chunks)

    def claims(self, collection: str, chunks: Sequence[int]) -> list[Claim]:
        """Return claims, by chunk as given."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.claims(connection, where, chunks)

    def merges(self, collection: str, *, node: int | None = None) -> list[Merge]:
        """Return the merge log."""
        with self._session.reading(collection) as (connection, where):
            return reading_graph.merges(connection, where, node=node)

    def communities(
        self,
        collection: str,
        *,
        ids: Sequence[int] | None = None,
        level: int | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Community]:
        """Return visible communities by level and path."""
        with self._session.reading(collection) as (connection, where):
            found = community_rows.read_communities(connection, where, ids=ids, level=level)
        return visible_communities(
            found,
            principal=principal,
            in_scope=partial(self.in_scope, collection, principal=principal),
        )

    def community_vectors(self, collection: str, communities: Ids) -> Matrix:
        """Return vectors of summaries in the order of `communities`."""
        with self._session.reading(collection) as (connection, where):
            held = community_rows.read_vectors(connection, where, communities)
        return community_rows.vectors_in_order(held, communities)

    def search_communities(
        self,
        collection: str,
        vector: Floats,
        *,
        limit: int,
        level: int | None = None,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return the communities in scope by cosine to their summary."""
        with self._session.reading(collection) as (connection, where):
            held = community_rows.read_summaries(connection, where, level=level)
        return nearest_communities(
            held,
            vector,
            limit=limit,
            principal=principal,
            read=lambda ids: self.communities(collection, ids=ids),
            in_scope=partial(self.in_scope, collection, filter=filter, principal=principal),
        )

    def versions(self, collection: str, source: str) -> list[DocumentVersion]:
        """Return the versions of a source, oldest first."""
        with self._session.reading(collection) as (connection, where):
            return versions.versions(connection, where, source)

    def as_of(self, collection: str, moment: datetime) -> AbstractContextManager[EmbeddedStore]:
        """Give the collection as it was known at a moment, as a store of its own."""
        return self._historian.as_of(collection, microseconds(moment))

    def document_ids(self, collection: str, *, principal: Principal = ALL_RIGHTS) -> list[int]:
        """Return the visible documents by source."""
        with self._session.reading(collection) as (connection, where):
            return bulk.document_ids(connection, where, principal=principal)

    def replace_vectors(self, collection: str, batches: Iterable[Vectors]) -> int:
        """Put other vectors in the place of all vectors of chunks."""
        with self._session.removing(collection) as (connection, where):
            return bulk.replace_vectors(connection, self._session.log, where, batches)

    def node_ids(self, collection: str, *, principal: Principal = ALL_RIGHTS) -> Ids:
        """Return the visible live nodes, sorted."""
        with self._session.reading(collection) as (connection, where):
            return bulk.node_ids(connection, where, principal=principal)

    def edge_ids(self, collection: str) -> Ids:
        """Return every edge that rests on a statement, sorted."""
        with self._session.reading(collection) as (connection, where):
            return bulk.edge_ids(connection, where)

    def statements(self, collection: str, edges: Sequence[int]) -> list[Statement]:
        """Return all that edges rest on, retired rows included."""
        with self._session.reading(collection) as (connection, where):
            return bulk.statements(connection, where, edges)

    def write_statements(
        self, collection: str, edges: Sequence[Edge], statements: Sequence[Statement]
    ) -> None:
        """Add statements as they are, each with the origin that it names."""
        with self._session.writing(collection) as (connection, where):
            writing_edges.write_statements(connection, self._session.log, where, edges, statements)

    def replace_node_vectors(self, collection: str, batches: Iterable[NodeVectors]) -> int:
        """Put other vectors in the place of all vectors of nodes."""
        with self._session.removing(collection) as (connection, where):
            return bulk.replace_node_vectors(connection, self._session.log, where, batches)

    def record_outcome(self, collection: str, outcome: Outcome) -> None:
        """Keep an outcome; one with the same id is replaced."""
        with self._session.writing(collection) as (connection, where):
            logging_rows.record_outcome(connection, where, outcome)

    def outcomes(self, collection: str, *, since: datetime | None = None) -> list[Outcome]:
        """Return outcomes recorded at or after `since`, oldest first."""
        with self._session.reading(collection) as (connection, where):
            return logging_rows.outcomes(connection, where, since=since)

    def save_profile(self, collection: str, profile: Profile) -> None:
        """Keep a profile under its name."""
        with self._session.writing(collection) as (connection, where):
            logging_rows.save_profile(connection, where, profile)

    def profiles(self, collection: str) -> list[Profile]:
        """Return profiles by name."""
        with self._session.reading(collection) as (connection, where):
            return logging_rows.profiles(connection, where)

    def save_job(self, collection: str, job: Job) -> None:
        """Keep the latest state of a job."""
        with self._session.writing(collection) as (connection, where):
            logging_rows.save_job(connection, where, job)

    def jobs(self, collection: str) -> list[Job]:
        """Return jobs by creation, oldest first."""
        with self._session.reading(collection) as (connection, where):
            return logging_rows.jobs(connection, where)


@contextmanager
def _without_value(transaction: AbstractContextManager[object]) -> Iterator[None]:
    with transaction:
        yield
