"""The rows of a collection, table by table, as a principal may see them, in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from clew.core.arrays import Floats
from clew.core.documents import Chunk
from clew.core.knowledge import Claim, Community, Edge, EdgeType, Statement
from clew.core.ports import Store
from clew.core.query import ALL_RIGHTS, EdgeFilter, Principal
from clew.exchange.rows import (
    chunk_row,
    claim_row,
    community_row,
    document_row,
    edge_row,
    mention_row,
    merge_row,
    node_row,
)
from clew.exchange.tables import Row

_DOCUMENTS, _ROWS = 32, 1024
_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Collected:
    """Gives the rows of each table of `tables.TABLES`; nothing is held but one batch.

    Rows come from several reads: what others write meanwhile may be in later tables only.
    """

    store: Store
    collection: str
    principal: Principal = ALL_RIGHTS
    vectors: bool = False

    def rows(self, table: str) -> Iterator[Row]:
        """Return the rows of a table."""
        readers = {
            "documents": self._documents,
            "chunks": self._chunks,
            "mentions": self._mentions,
            "claims": self._claims,
            "nodes": self._nodes,
            "edges": self._edges,
            "merges": self._merges,
            "communities": self._communities,
        }
        return readers[table]()

    def edges(self) -> Iterator[tuple[Edge, list[Statement]]]:
        """Yield visible edges, retired ones included, each with what is visible of its support.

        An edge that rests on passages shows those alone that the principal may see.
        """
        for ids in batched(self.store.edge_ids(self.collection).tolist(), _ROWS):
            edges = self.store.edges(self.collection, ids, principal=self.principal)
            support: dict[int, list[Statement]] = {edge.id: [] for edge in edges}
            for statement in self.store.statements(self.collection, list(support)):
                support[statement.edge].append(statement)
            seen = self._visible_chunks(
                row.chunk for rows in support.values() for row in rows if row.chunk is not None
            )
            known = self._visible_edges(edge.superseded_by for edge in edges)
            for edge in edges:
                shown = _shown(support[edge.id], seen, self.principal)
                kept = edge.superseded_by if edge.superseded_by in known else None
                yield replace(edge, superseded_by=kept), shown

    def _documents(self) -> Iterator[Row]:
        for ids in self._document_ids():
            held = self.store.documents(self.collection, ids=ids, principal=self.principal)
            yield from map(document_row, held)

    def _chunks(self) -> Iterator[Row]:
        for ids in self._document_ids():
            for document in ids:
                chunks = self.store.document_chunks(self.collection, document)
                stages = self.store.stages(self.collection, document)
                vectors = self._chunk_vectors(chunks)
                for chunk in chunks:
                    row = chunk_row(chunk, stages[chunk.id])
                    yield {**row, "vector": vectors[chunk.id]} if self.vectors else row

    def _mentions(self) -> Iterator[Row]:
        for chunks in self._chunk_ids():
            mentions = self.store.mentions(self.collection, chunks)
            seen = self._visible_nodes(mention.node for mention in mentions)
            yield from (mention_row(held) for held in mentions if held.node in seen)

    def _claims(self) -> Iterator[Row]:
        for chunks in self._chunk_ids():
            claims = self.store.claims(self.collection, chunks)
            yield from map(claim_row, self._with_visible_subjects(claims))

    def _nodes(self) -> Iterator[Row]:
        found = self.store.node_ids(self.collection, principal=self.principal).tolist()
        for ids in batched(found, _ROWS):
            nodes = self.store.nodes(self.collection, ids, principal=self.principal)
            mentioned = self._mention_counts(ids)
            vectors = self._node_vectors(ids)
            for node in nodes:
                row = node_row(node, mentioned[node.id])
                yield {**row, "vector": vectors[node.id]} if self.vectors else row

    def _edges(self) -> Iterator[Row]:
        return (edge_row(edge, statements) for edge, statements in self.edges())

    def _merges(self) -> Iterator[Row]:
        for merges in batched(self.store.merges(self.collection), _ROWS):
            chunks = self._visible_chunks(merge.chunk for merge in merges)
            nodes = self._visible_nodes(merge.node for merge in merges)
            yield from (
                merge_row(held) for held in merges if held.chunk in chunks and held.node in nodes
            )

    def _communities(self) -> Iterator[Row]:
        found = self.store.communities(self.collection, principal=self.principal)
        for communities in batched(found, _ROWS):
            yield from map(community_row, self._with_visible_members(communities))

    def _document_ids(self) -> Iterator[list[int]]:
        found = self.store.document_ids(self.collection, principal=self.principal)
        return batched(found, _DOCUMENTS)

    def _chunk_ids(self) -> Iterator[list[int]]:
        for ids in self._document_ids():
            for document in ids:
                chunks = self.store.document_chunks(self.collection, document)
                if chunks:
                    yield [chunk.id for chunk in chunks]

    def _chunk_vectors(self, chunks: Sequence[Chunk]) -> dict[int, list[float] | None]:
        if not self.vectors:
            return {}
        ids = [chunk.id for chunk in chunks]
        matrix = self.store.vectors(self.collection, np.array(ids, np.int64))
        return {chunk: _listed(vector) for chunk, vector in zip(ids, matrix, strict=True)}

    def _node_vectors(self, nodes: Sequence[int]) -> dict[int, list[float] | None]:
        if not self.vectors or self.principal.groups is not None:
            # A node's vector is made of its best passage, which the principal may not see.
            return dict.fromkeys(nodes)
        matrix = self.store.node_vectors(self.collection, np.array(nodes, np.int64))
        return {node: _listed(vector) for node, vector in zip(nodes, matrix, strict=True)}

    def _mention_counts(self, nodes: Sequence[int]) -> dict[int, int]:
        counts = self.store.mention_counts(self.collection, np.array(nodes, np.int64)).tolist()
        if self.principal.groups is None:
            return dict(zip(nodes, counts, strict=True))
        return self._visible_mention_counts(nodes)

    def _visible_mention_counts(self, nodes: Sequence[int]) -> dict[int, int]:
        reached = self.store.expand(
            self.collection,
            np.array(nodes, np.int64),
            edge_filter=_MENTIONS,
            principal=self.principal,
        )
        counted = dict.fromkeys(nodes, 0)
        for node in reached.source.tolist():
            counted[node] += 1
        return counted

    def _with_visible_subjects(self, claims: Sequence[Claim]) -> Iterator[Claim]:
        seen = self._visible_nodes(node for claim in claims for node in claim.subjects)
        for claim in claims:
            yield replace(claim, subjects=tuple(node for node in claim.subjects if node in seen))

    def _with_visible_members(self, communities: Sequence[Community]) -> Iterator[Community]:
        seen = self._visible_nodes(node for held in communities for node in held.members)
        for community in communities:
            members = tuple(node for node in community.members if node in seen)
            if members:
                yield replace(community, members=members)

    def _visible_nodes(self, nodes: Iterable[int]) -> set[int]:
        wanted = sorted(set(nodes))
        if self.principal.groups is None:
            return set(wanted)
        held = self.store.nodes(self.collection, wanted, principal=self.principal)
        return {node.id for node in held}

    def _visible_chunks(self, chunks: Iterable[int]) -> set[int]:
        wanted = sorted(set(chunks))
        if self.principal.groups is None:
            return set(wanted)
        held = self.store.chunks(self.collection, wanted, principal=self.principal)
        return {chunk.id for chunk in held}

    def _visible_edges(self, edges: Iterable[int | None]) -> set[int]:
        wanted = sorted({edge for edge in edges if edge is not None})
        if self.principal.groups is None or not wanted:
            return set(wanted)
        held = self.store.edges(self.collection, wanted, principal=self.principal)
        return {edge.id for edge in held}


def batched(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of at most `size`."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def _shown(
    statements: Sequence[Statement], seen: set[int], principal: Principal
) -> list[Statement]:
    """Return the support of a visible edge that the principal may see."""
    if principal.groups is None:
        return list(statements)
    passages = [row for row in statements if row.chunk is not None]
    return [row for row in passages if row.chunk in seen] if passages else list(statements)


def _listed(vector: Floats) -> list[float] | None:
    return vector.tolist() if vector.any() else None
