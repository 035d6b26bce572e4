"""What follows from a collection's rows: live nodes and edges, adjacency, visibility."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from clew.core.documents import Document
from clew.core.knowledge import Edge, Mention, Node, Statement
from clew.core.query import Filter, Principal
from clew.stores.aggregate import aggregate_edge, aggregate_node, establishes
from clew.stores.filters import passes_document, passes_labels
from clew.stores.memory_rows import MentionKey, Rows, mention_key
from clew.text.bm25 import BagOfTerms, bag_of_terms
from clew.text.phrases import joined_tokens, phrase_tokens


class View:
    """Derived tables over rows that do not change while the view is in use; built on demand."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    @cached_property
    def mentions(self) -> list[Mention]:
        """All mentions as they are read: those of merged nodes are their root's."""
        merging = self.rows.merging
        if not merging:
            return [row.mention for row in self.rows.mentions.values()]
        read: dict[MentionKey, tuple[tuple[bool, int], Mention]] = {}
        for row in self.rows.mentions.values():
            mention = merging.mention(row.mention)
            rank = mention.node != row.mention.node, row.mention.node
            key = mention_key(mention)
            if key not in read or rank < read[key][0]:
                read[key] = rank, mention
        return [mention for _, mention in read.values()]

    @cached_property
    def mentions_by_chunk(self) -> dict[int, list[Mention]]:
        """Mentions of live nodes, by chunk."""
        grouped: dict[int, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            if mention.node in self.nodes:
                grouped[mention.chunk].append(mention)
        return dict(grouped)

    @cached_property
    def mentions_by_node(self) -> dict[int, list[Mention]]:
        """All mentions, by node."""
        grouped: dict[int, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            grouped[mention.node].append(mention)
        return dict(grouped)

    @cached_property
    def nodes(self) -> dict[int, Node]:
        """Live nodes."""
        found: dict[int, Node] = {}
        for identifier, mentions in self.mentions_by_node.items():
            node = aggregate_node(
                identifier, mentions, community=self.community_paths.get(identifier)
            )
            if node is not None:
                found[identifier] = node
        return found

    @cached_property
    def community_paths(self) -> dict[int, str]:
        """Path of the deepest community of each node, ties by path."""
        deepest: dict[int, tuple[int, str]] = {}
        for community in self.rows.communities.values():
            place = (-community.level, community.path)
            for member in community.members:
                deepest[member] = min(place, deepest.get(member, place))
        return {member: path for member, (_, path) in deepest.items()}

    @cached_property
    def edges(self) -> dict[int, Edge]:
        """Every edge that has statements, live or not."""
        grouped: dict[int, list[Statement]] = defaultdict(list)
        for statement in self.rows.statements.values():
            grouped[statement.edge].append(statement)
        found: dict[int, Edge] = {}
        merging = self.rows.merging
        for identifier, statements in grouped.items():
            head = merging.edge(self.rows.edge_heads[identifier])
            edge = aggregate_edge(head, statements)
            if edge is not None:
                found[identifier] = edge
        return found

    @cached_property
    def live_edges(self) -> dict[int, Edge]:
        """Edges in force between live nodes."""
        return {
            identifier: edge
            for identifier, edge in self.edges.items()
            if edge.retired_at is None and edge.source in self.nodes and edge.target in self.nodes
        }

    @cached_property
    def incident(self) -> dict[int, list[Edge]]:
        """Live edges by each of their ends; an edge from a node to itself stands once."""
        grouped: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.live_edges.values():
            for end in {edge.source, edge.target}:
                grouped[end].append(edge)
        return dict(grouped)

    @cached_property
    def bags(self) -> dict[int, BagOfTerms]:
        """Keyword terms of each chunk: its document's title and its text."""
        return {
            chunk.id: bag_of_terms(f"{self.title_of(chunk.id)}\n{chunk.text}")
            for chunk in self.rows.chunks.values()
        }

    @cached_property
    def token_rows(self) -> dict[int, str]:
        """Tokens of each chunk's text, joined for phrase search."""
        return {
            chunk.id: joined_tokens(phrase_tokens(chunk.text))
            for chunk in self.rows.chunks.values()
        }

    def document_of(self, chunk: int) -> Document | None:
        """Return the document that holds a chunk, None where either is not in the store."""
        found = self.rows.chunks.get(chunk)
        return None if found is None else self.rows.documents.get(found.document)

    def title_of(self, chunk: int) -> str:
        """Return the title of a chunk's document, "" without one."""
        document = self.document_of(chunk)
        return "" if document is None else document.title

    def labels_of(self, chunk: int) -> frozenset[str]:
        """Return the labels of the live nodes that a chunk mentions."""
        labels = (
            self.nodes[mention.node].label for mention in self.mentions_by_chunk.get(chunk, ())
        )
        return frozenset(label for label in labels if label is not None)

    def sees_chunk(self, principal: Principal, chunk: int) -> bool:
        """Return whether the principal may see what stands in a chunk."""
        if principal.groups is None:
            return True
        document = self.document_of(chunk)
        return document is not None and principal.may_see(document.acl)

    def sees_node(self, principal: Principal, node: int) -> bool:
        """Return whether the principal sees a chunk that keeps the node alive."""
        if principal.groups is None:
            return node in self.nodes
        return any(
            establishes(mention) and self.sees_chunk(principal, mention.chunk)
            for mention in self.mentions_by_node.get(node, ())
        )

    def sees_edge(self, principal: Principal, edge: Edge) -> bool:
        """Return whether the principal sees both ends and some evidence, if there is any."""
        if principal.groups is None:
            return True
        if not (self.sees_node(principal, edge.source) and self.sees_node(principal, edge.target)):
            return False
        return not edge.evidence or any(
            self.sees_chunk(principal, found.chunk) for found in edge.evidence
        )

    def edge_in_scope(self, edge: Edge, filter: Filter, principal: Principal) -> bool:
        """Return whether an edge is visible and, under a filter, stated by a chunk in scope."""
        return self.sees_edge(principal, edge) and (
            filter.is_empty()
            or any(self.chunk_in_scope(found.chunk, filter, principal) for found in edge.evidence)
        )

    def chunk_in_scope(self, chunk: int, filter: Filter, principal: Principal) -> bool:
        """Return whether a chunk is visible and passes the whole filter.

        A chunk that is not in the store passes the empty filter alone.
        """
        return self.document_in_scope(chunk, filter, principal) and (
            not filter.labels
            or (chunk in self.rows.chunks and passes_labels(filter, self.labels_of(chunk)))
        )

    def node_in_scope(self, node: Node, filter: Filter, principal: Principal) -> bool:
        """Return whether a node has a label asked for and a chunk in scope that keeps it alive."""
        return self.label_in_scope(node, filter) and any(
            establishes(mention) and self.document_in_scope(mention.chunk, filter, principal)
            for mention in self.mentions_by_node[node.id]
        )

    def label_in_scope(self, node: Node, filter: Filter) -> bool:
        """Return whether a node's label, which may be missing, is asked for."""
        return passes_labels(filter, frozenset(() if node.label is None else (node.label,)))

    def document_in_scope(self, chunk: int, filter: Filter, principal: Principal) -> bool:
        """Return whether a chunk is visible and its document passes, labels left aside."""
        if not self.sees_chunk(principal, chunk):
            return False
        if not filter.restricts_documents():
            return True
        document = self.document_of(chunk)
        return document is not None and passes_document(filter, document)
