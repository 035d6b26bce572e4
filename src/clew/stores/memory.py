"""The store in memory: the readable reference that other stores are tested against.

Every read is computed from plain rows; nothing is kept on disk. Use it from one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, EdgeLabels, Floats, Hits, Ids, Matrix
from clew.core.batches import ChunkBatch, CommunityBatch, GraphBatch, NodeVectors, Vectors
from clew.core.changes import Changes, no_changes
from clew.core.documents import Chunk, Document, DocumentVersion, Stage
from clew.core.health import Finding
from clew.core.jobs import Job
from clew.core.knowledge import Claim, Community, Edge, Mention, Merge, Node, Statement
from clew.core.learning import Outcome, Profile
from clew.core.listing import NodeList, NodeSelection
from clew.core.query import ALL_RIGHTS, ANY_EDGE, NO_FILTER, EdgeFilter, Filter, Principal
from clew.stores import memory_bulk as bulk
from clew.stores import memory_chunks as chunk_rows
from clew.stores import memory_graph_reads as graph_reads
from clew.stores import memory_graph_writes as graph_writes
from clew.stores import memory_history as history
from clew.stores.community_scope import nearest_communities, visible_communities
from clew.stores.edge_labels import labels_of
from clew.stores.memory_rows import NodeVectorRow, Rows
from clew.stores.memory_view import View
from clew.stores.times import in_utc


class MemoryStore:
    """Implements `core.ports.Store` on dictionaries."""

    def __init__(self) -> None:
        self._collections: dict[str, Rows] = {}
        self._views: dict[str, View] = {}
        self._revisions: dict[str, int] = {}
        self._changes = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Group writes: all of them are kept at exit, or none if an error leaves it."""
        before = {name: rows.copy() for name, rows in self._collections.items()}
        committed = False
        try:
            yield
            committed = True
        finally:
            if not committed:
                self._collections = before
                self._views.clear()

    def steady(self) -> AbstractContextManager[None]:
        """Do nothing: one thread at a time reads, and what it reads does not change meanwhile."""
        return nullcontext()

    def write_chunks(self, collection: str, batch: ChunkBatch) -> None:
        """Upsert documents, chunks, vectors and stages."""
        with self._changing(collection) as rows:
            chunk_rows.write_chunks(rows, batch)

    def remove_chunks(self, collection: str, chunks: Sequence[int]) -> int:
        """Remove chunks; return how many there were."""
        with self._removing(collection) as rows:
            return chunk_rows.remove_chunks(rows, chunks)

    def remove_document(self, collection: str, document: int) -> Mapping[str, int]:
        """Remove a document and its chunks; return row counts."""
        with self._removing(collection) as rows:
            return chunk_rows.remove_document(rows, document)

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
        return chunk_rows.documents(
            self._view(collection), ids=ids, sources=sources, filter=filter, principal=principal
        )

    def chunks(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Chunk]:
        """Return visible chunks in the order of `ids`."""
        return chunk_rows.chunks(self._view(collection), ids, principal=principal)

    def document_chunks(self, collection: str, document: int) -> list[Chunk]:
        """Return a document's chunks by ordinal."""
        return chunk_rows.document_chunks(self._rows(collection), document)

    def pending(self, collection: str, before: Stage) -> list[int]:
        """Return documents, by source, with chunks that have not reached the stage."""
        return chunk_rows.pending(self._rows(collection), before)

    def stages(self, collection: str, document: int) -> Mapping[int, Stage]:
        """Return the stage of each chunk of a document."""
        return chunk_rows.stages(self._rows(collection), document)

    def vectors(self, collection: str, chunks: Ids) -> Matrix:
        """Return vectors in the order of `chunks`, zeros where there is none."""
        return chunk_rows.vectors(self._rows(collection), chunks)

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
        return chunk_rows.search_vector(
            self._view(collection), vector, limit=limit, filter=filter, principal=principal
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
        return chunk_rows.search_text(
            self._view(collection), text, limit=limit, filter=filter, principal=principal
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
        return chunk_rows.in_scope(
            self._view(collection), chunks, filter=filter, principal=principal
        )

    def term_presence(self, collection: str, chunks: Ids, terms: Sequence[str]) -> Booleans:
        """Return which index terms each chunk holds."""
        return chunk_rows.term_presence(self._view(collection), chunks, terms)

    def find_phrases(self, collection: str, phrases: Sequence[str]) -> Mapping[str, list[int]]:
        """Return, by phrase, the chunks whose text holds its tokens in a row."""
        return chunk_rows.find_phrases(self._view(collection), phrases)

    def write_graph(self, collection: str, batch: GraphBatch) -> None:
        """Add mentions, statements, claims and merges."""
        with self._changing(collection) as rows:
            graph_writes.write_graph(rows, batch)

    def write_graphs(self, collection: str, batches: Sequence[GraphBatch]) -> None:
        """Add the knowledge of several sources, one after the other."""
        with self.transaction():
            for batch in batches:
                self.write_graph(collection, batch)

    def write_node_vectors(self, collection: str, vectors: NodeVectors) -> None:
        """Set the vectors of live nodes."""
        with self._changing(collection) as rows:
            graph_writes.write_node_vectors(rows, vectors)

    def write_communities(self, collection: str, batch: CommunityBatch) -> None:
        """Remove what the batch replaces and upsert its communities."""
        with self._writing(collection) as rows:
            graph_writes.write_communities(rows, batch)

    def set_merged(self, collection: str, roots: Mapping[int, int]) -> None:
        """Read nodes as others from now on."""
        with self._changing(collection) as rows:
            graph_writes.set_merged(rows, roots)

    def merged(self, collection: str) -> Mapping[int, int]:
        """Return which nodes are read as which."""
        return dict(self._rows(collection).merged)

    def erase(self, collection: str, origin: int) -> Mapping[str, int]:
        """Remove what came from an origin and whatever rested on it alone."""
        with self._removing(collection) as rows:
            return graph_writes.erase(rows, origin)

    def retire(self, collection: str, chunks: Sequence[int], at: datetime) -> None:
        """Drop what vanished chunks say, and mark the evidence in them retired."""
        with self._removing(collection) as rows:
            graph_writes.retire(rows, chunks, at)

    def nodes(
        self,
        collection: str,
        ids: Sequence[int],
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Node]:
        """Return visible live nodes in the order of `ids`."""
        return graph_reads.nodes(self._view(collection), ids, filter=filter, principal=principal)

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
        return graph_reads.list_nodes(
            self._view(collection), wanted=wanted, limit=limit, offset=offset, principal=principal
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
        return graph_reads.find_names(
            self._view(collection), keys, filter=filter, principal=principal
        )

    def nodes_without_vectors(self, collection: str, *, limit: int) -> list[int]:
        """Return the first live nodes, by id, that have no vectors."""
        return graph_reads.nodes_without_vectors(self._view(collection), limit=limit)

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
        return graph_reads.search_nodes(
            self._view(collection),
            vector,
            limit=limit,
            column=_name_vector if by_name else _search_vector,
            filter=filter,
            principal=principal,
        )

    def match_names(self, collection: str, vectors: Matrix, *, least: float) -> list[Hits]:
        """Return the live nodes whose name vector is near each row."""
        return graph_reads.match_names(self._view(collection), vectors, least=least)

    def node_vectors(self, collection: str, nodes: Ids) -> Matrix:
        """Return search vectors in the order of `nodes`, zeros where there is none."""
        return graph_reads.node_vectors(self._view(collection), nodes)

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
        return graph_reads.expand(
            self._view(collection),
            nodes,
            at=at,
            edge_filter=edge_filter,
            limit=limit,
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
        return graph_reads.knowledge_edges(
            self._view(collection), at=at, edge_filter=edge_filter, principal=principal
        )

    def degrees(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return the number of live knowledge edges of each node."""
        return graph_reads.degrees(self._view(collection), nodes)

    def hub_degree(self, collection: str) -> int:
        """Return the smallest degree of the top tenth of nodes, at least 1."""
        return graph_reads.hub_degree(self._view(collection))

    def mention_counts(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return in how many chunks each live node is mentioned."""
        return graph_reads.mention_counts(self._view(collection), nodes)

    def edges(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Edge]:
        """Return live and retired edges with the visible evidence."""
        return graph_reads.edges(self._view(collection), ids, principal=principal)

    def edge_labels(
        self, collection: str, edges: Ids, *, principal: Principal = ALL_RIGHTS
    ) -> EdgeLabels:
        """Return relation and best passage of edges."""
        return labels_of(self.edges(collection, edges.tolist(), principal=principal), edges)

    def node_names(
        self,
        collection: str,
        nodes: Ids,
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Mapping[int, str]:
        """Return the names of visible live nodes."""
        found = self.nodes(collection, nodes.tolist(), filter=filter, principal=principal)
        return {node.id: node.name for node in found}

    def mentions(self, collection: str, chunks: Sequence[int]) -> list[Mention]:
        """Return mentions of live nodes, by chunk as given."""
        return graph_reads.mentions(self._view(collection), chunks)

    def claims(self, collection: str, chunks: Sequence[int]) -> list[Claim]:
        """Return claims, by chunk as given."""
        return graph_reads.claims(self._view(collection), chunks)

    def merges(self, collection: str, *, node: int | None = None) -> list[Merge]:
        """Return the merge log."""
        return graph_reads.merges(self._view(collection), node=node)

    def communities(
        self,
        collection: str,
        *,
        ids: Sequence[int] | None = None,
        level: int | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Community]:
        """Return visible communities by level and path."""
        return visible_communities(
            graph_reads.communities(self._view(collection), ids=ids, level=level),
            principal=principal,
            in_scope=partial(self.in_scope, collection, principal=principal),
        )

    def community_vectors(self, collection: str, communities: Ids) -> Matrix:
        """Return vectors of summaries in the order of `communities`."""
        return chunk_rows.rows_in_order(self._rows(collection).community_vectors, communities)

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
        return nearest_communities(
            graph_reads.summaries(self._view(collection), level=level),
            vector,
            limit=limit,
            principal=principal,
            read=lambda ids: self.communities(collection, ids=ids),
            in_scope=partial(self.in_scope, collection, filter=filter, principal=principal),
        )

    def versions(self, collection: str, source: str) -> list[DocumentVersion]:
        """Return the versions of a source, oldest first."""
        return history.versions(self._rows(collection), source)

    @contextmanager
    def as_of(self, collection: str, moment: datetime) -> Iterator[MemoryStore]:
        """Give the collection as it was known at a moment."""
        past = MemoryStore()
        if collection in self._collections:
            past._collections[collection] = history.known_rows(self._rows(collection), moment)
        yield past

    def document_ids(self, collection: str, *, principal: Principal = ALL_RIGHTS) -> list[int]:
        """Return the visible documents by source."""
        return bulk.document_ids(self._view(collection), principal=principal)

    def replace_vectors(self, collection: str, batches: Iterable[Vectors]) -> int:
        """Put other vectors in the place of all vectors of chunks."""
        with self._removing(collection) as rows:
            return bulk.replace_vectors(rows, batches)

    def node_ids(self, collection: str, *, principal: Principal = ALL_RIGHTS) -> Ids:
        """Return the visible live nodes, sorted."""
        return bulk.node_ids(self._view(collection), principal=principal)

    def edge_ids(self, collection: str) -> Ids:
        """Return every edge that rests on a statement, sorted."""
        return bulk.edge_ids(self._view(collection))

    def statements(self, collection: str, edges: Sequence[int]) -> list[Statement]:
        """Return all that edges rest on, retired rows included."""
        return bulk.statements(self._rows(collection), edges)

    def write_statements(
        self, collection: str, edges: Sequence[Edge], statements: Sequence[Statement]
    ) -> None:
        """Add statements as they are, each with the origin that it names."""
        with self._writing(collection) as rows:
            bulk.write_statements(rows, edges, statements)

    def replace_node_vectors(self, collection: str, batches: Iterable[NodeVectors]) -> int:
        """Put other vectors in the place of all vectors of nodes."""
        with self._removing(collection) as rows:
            return bulk.replace_node_vectors(rows, batches)

    def record_outcome(self, collection: str, outcome: Outcome) -> None:
        """Keep an outcome; one with the same id is replaced."""
        with self._writing(collection) as rows:
            rows.outcomes[outcome.id] = outcome

    def outcomes(self, collection: str, *, since: datetime | None = None) -> list[Outcome]:
        """Return outcomes recorded at or after `since`, oldest first."""
        kept = [
            outcome
            for outcome in self._rows(collection).outcomes.values()
            if since is None or in_utc(outcome.recorded_at) >= in_utc(since)
        ]
        return sorted(kept, key=lambda outcome: (in_utc(outcome.recorded_at), outcome.id))

    def save_profile(self, collection: str, profile: Profile) -> None:
        """Keep a profile under its name."""
        with self._writing(collection) as rows:
            rows.profiles[profile.name] = profile

    def profiles(self, collection: str) -> list[Profile]:
        """Return profiles by name."""
        return sorted(self._rows(collection).profiles.values(), key=lambda profile: profile.name)

    def save_job(self, collection: str, job: Job) -> None:
        """Keep the latest state of a job."""
        with self._writing(collection) as rows:
            rows.jobs[job.id] = job

    def jobs(self, collection: str) -> list[Job]:
        """Return jobs by creation, oldest first."""
        kept = self._rows(collection).jobs.values()
        return sorted(kept, key=lambda job: (in_utc(job.created_at), job.id))

    def collections(self) -> list[str]:
        """Return the collections that were written, by name."""
        return sorted(self._collections)

    def drop(self, collection: str) -> None:
        """Remove a collection with all that is in it."""
        for table in (self._collections, self._views, self._revisions):
            table.pop(collection, None)

    def facts(self, collection: str) -> Mapping[str, str]:
        """Return all facts by name."""
        return dict(self._rows(collection).facts)

    def set_fact(self, collection: str, name: str, value: str) -> None:
        """Set one fact."""
        with self._writing(collection) as rows:
            rows.facts[name] = value

    def counts(self, collection: str) -> Mapping[str, int]:
        """Return rows by table."""
        view = self._view(collection)
        return {
            "documents": len(view.rows.documents),
            "chunks": len(view.rows.chunks),
            "nodes": len(view.nodes),
            "edges": len(view.live_edges),
            "claims": len(view.rows.claims),
            "mentions": sum(len(found) for found in view.mentions_by_chunk.values()),
            "merges": len(view.rows.merges),
        }

    def examine(self, *, full: bool = False) -> list[Finding]:  # noqa: ARG002 - the port's
        """Find nothing: what follows from the rows is computed at every read."""
        return []

    def mend(self) -> list[str]:
        """Do nothing: nothing is kept that follows from other rows."""
        return []

    def revision(self, collection: str) -> int:
        """Return a number that grows with every write of documents, chunks and knowledge."""
        return self._revisions.get(collection, 0)

    def changes_since(self, collection: str, revision: int) -> Changes | None:
        """Return no changes at the present revision, else None: nothing is kept of the past."""
        return no_changes() if revision == self.revision(collection) else None

    def compact(self) -> None:
        """Do nothing: rows in memory are the only copy."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _rows(self, collection: str) -> Rows:
        return self._collections.get(collection, _EMPTY)

    def _view(self, collection: str) -> View:
        if collection not in self._views:
            self._views[collection] = View(self._rows(collection))
        return self._views[collection]

    @contextmanager
    def _writing(self, collection: str) -> Iterator[Rows]:
        """Give the rows of a collection, which the write creates, to be changed as a whole."""
        with self.transaction():
            self._views.pop(collection, None)
            yield self._collections.setdefault(collection, Rows())

    @contextmanager
    def _removing(self, collection: str) -> Iterator[Rows]:
        """Give the rows of a collection to be changed as a whole; an unknown one stays unknown."""
        with self.transaction():
            self._views.pop(collection, None)
            self._change(collection)
            yield self._collections.get(collection, Rows())

    @contextmanager
    def _changing(self, collection: str) -> Iterator[Rows]:
        """Give what `_writing` gives, and count a change."""
        with self._writing(collection) as rows:
            self._change(collection)
            yield rows

    def _change(self, collection: str) -> None:
        self._changes += 1
        self._revisions[collection] = self._changes


_EMPTY = Rows()


def _name_vector(row: NodeVectorRow) -> Floats:
    return row.name


def _search_vector(row: NodeVectorRow) -> Floats:
    return row.search
