"""The port of graph stores: nodes, edges and what they rest on.

Every store call takes a collection, and every read a principal; filters apply before top-k. Store
reads raise `StoreError` on failure and never return a part of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import EdgeBatch, EdgeLabels, Floats, Hits, Ids, Matrix
from clew.core.batches import CommunityBatch, GraphBatch, NodeVectors
from clew.core.knowledge import Claim, Community, Edge, Mention, Merge, Node
from clew.core.listing import NodeList, NodeSelection
from clew.core.query import ALL_RIGHTS, ANY_EDGE, NO_FILTER, EdgeFilter, Filter, Principal


class GraphStore(Protocol):
    """Nodes, edges and what they rest on. Chunks take part as nodes by MENTIONS edges.

    A store keeps *mentions* and *statements* (an edge's evidence), each with the origin of its
    batch; nodes and edges are aggregates of them (`stores.aggregate`):

    - A node is live while a mention whose role is not LINK names it. What touches a dead node
      (LINK mentions, edges) is hidden, and shows again if the node comes back to life.
    - An edge is live while it has evidence that is not retired, its own `retired_at` is not set (a
      newer statement superseded it), and both ends are live. Inferred and assumed edges may be
      written without evidence: they then rest on the word of the batch's origin.
    - An edge stays superseded while the edge that superseded it has evidence in force. When that
      loses it, the first edge passes to what superseded the other in its turn, or is in force
      again.

    A principal sees a node if it sees a chunk that keeps it alive, a MENTIONS edge if it sees chunk
    and node, and an edge if it sees both ends and one piece of its evidence (both ends alone, if it
    has none). Names and aliases come from the mentions that it sees; a node's label in a filter,
    and an edge's confidence and standing, are those of the whole. A chunk that the store does not
    hold is visible only with all rights.
    """

    def steady(self) -> AbstractContextManager[None]:
        """Let reads of this thread within it be answered from the state that the first one sees.

        It spares a look for new writes with every read; what is read row by row may be newer.
        """
        ...

    def write_graph(self, collection: str, batch: GraphBatch) -> None:
        """Add mentions, statements, claims and merges; those known already are overwritten.

        What makes two the same: a mention by (chunk, node, key, span, role), evidence by (edge,
        chunk, span), a word by (edge, origin), a claim by id, a merge by (key, node, chunk). An
        edge's own columns (ends, kind, relation, negated, period, retired_at, superseded_by) are
        those written last, with the first `recorded_at`; to state a retired edge again revives it.
        Rows keep the first `recorded_at` of their batch while they are in force.
        An edge with `retired_at` and without evidence changes these columns alone.

        Raises:
            StoreError: a reported or retired edge, unknown to the store, has no evidence.
        """
        ...

    def write_graphs(self, collection: str, batches: Sequence[GraphBatch]) -> None:
        """Do what `write_graph` does for each batch in turn, all of it or nothing."""
        ...

    def write_node_vectors(self, collection: str, vectors: NodeVectors) -> None:
        """Set vectors of nodes; those of nodes that are not live are ignored.

        Raises:
            StoreError: vectors differ in dimensions from those of the collection's nodes.
        """
        ...

    def write_communities(self, collection: str, batch: CommunityBatch) -> None:
        """Remove the communities that the batch replaces, by default all, and upsert its own.

        Raises:
            StoreError: vectors differ in dimensions from those of the other communities.
        """
        ...

    def set_merged(self, collection: str, roots: Mapping[int, int]) -> None:
        """Read each node of `roots` as the node that it maps to, in the place of what was set.

        Every row stays that of the node that it was written for, so that to set what was set
        before brings back every read as it was, and rows that came meanwhile go to their own
        nodes. While it is set:

        - Mentions of a merged node are its root's. Of several that become the same one, the
          root's own counts, else that of the lowest node. Liveness, and what dies by `erase` and
          `retire`, is that of the root.
        - Edges keep their ids and run to and from the root; an edge between two nodes that are
          one is hidden. Written again with the ends that it is read with, an edge keeps its own.
        - Claims and the merge log name the root.
        - The root has its own vectors; those of merged nodes are kept, and found by nothing. The
          root's are kept too, and come back in the place of what was written meanwhile.
        - Communities stay as they are until they are built again. What was known at an earlier
          moment is read alike.

        Vectors of nodes that are not live afterwards are dropped, but for those of merged nodes.

        Raises:
            StoreError: a root is itself a node of `roots`.
        """
        ...

    def merged(self, collection: str) -> Mapping[int, int]:
        """Return what was set last, nothing where nothing was."""
        ...

    def erase(self, collection: str, origin: int) -> Mapping[str, int]:
        """Remove all that came from a source, and nodes and edges that rested on it alone.

        Gone for good are: the origin's mentions, claims, merges and statements (retired ones too);
        edges left without a statement; for each node that lost a mention and thereby or earlier its
        life, its vectors, its LINK mentions and its edges, whatever their origin; vectors whose
        own origin it is; what `History` keeps of the origin; communities that hold a node which
        lost a mention. Returns how many rows of `mentions`, `claims`, `merges`, `statements`,
        `edges` (retired ones included), `nodes` (that were live), `node_vectors`, `communities`,
        `past_mentions`, `past_claims`, `past_merges` and `past_statements` went.
        """
        ...

    def retire(self, collection: str, chunks: Sequence[int], at: datetime) -> None:
        """Drop mentions, claims and merges of vanished chunks and mark their evidence retired.

        `History` keeps them as what held until `at`.

        An edge left without evidence in force is retired since `at`: out of sight of `expand` and
        `degrees`, while `edges` still returns it with the evidence that it rested on. A node that
        lost a mention loses its vectors if it died or their origin is that of the mention, and its
        communities go. Evidence that is retired already keeps its date.
        """
        ...

    def nodes(
        self,
        collection: str,
        ids: Sequence[int],
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Node]:
        """Return live nodes in the order of `ids`; unknown and invisible ones are left out.

        A node passes the filter as in `search_nodes`, and its name and aliases come from the
        mentions in documents that pass. `community` is the path of the deepest community that holds the node, ties by path.
        """
        ...

    def list_nodes(
        self,
        collection: str,
        *,
        wanted: NodeSelection,
        limit: int,
        offset: int = 0,
        principal: Principal = ALL_RIGHTS,
    ) -> NodeList:
        """Return the visible live nodes that are wanted, from the place `offset` on.

        They are ordered as `NodeSelection` says; mentions are the visible chunks, in any role.
        """
        ...

    def find_names(
        self,
        collection: str,
        keys: Sequence[str],
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Mapping[str, tuple[int, ...]]:
        """Return the visible nodes that a normalised name stands for, most mentioned first.

        Only mentions in documents that pass the filter count, and nodes with a label asked for.

        Those are the nodes with a mention of that key whose role is not LINK, ordered by the number
        of such mentions and then id, and the node whose `ids.node_id` is the key's. Keys that stand
        for nothing are left out.
        """
        ...

    def nodes_without_vectors(self, collection: str, *, limit: int) -> list[int]:
        """Return the first `limit` live nodes, by id, that have no vectors."""
        ...

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
        """Return live nodes by cosine to their search vector, or to their name vector.

        A node passes the filter with its label, and with one chunk that keeps it alive, is visible
        and belongs to a document that passes.

        Raises:
            StoreError: `vector` differs in dimensions from those of the collection's nodes.
        """
        ...

    def match_names(self, collection: str, vectors: Matrix, *, least: float) -> list[Hits]:
        """Return, for each row of `vectors`, the live nodes whose name vector has a cosine of at
        least `least`, best first. Exact, with all rights: it serves resolution.

        Raises:
            StoreError: the rows differ in dimensions from the vectors of the collection's nodes.
        """
        ...

    def node_vectors(self, collection: str, nodes: Ids) -> Matrix:
        """Return search vectors in the order of `nodes`; zeros where there is none.

        Shape (len(nodes), dimensions); dimensions may be 0 while no node has a vector.
        """
        ...

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
        """Return the live, visible edges of a whole frontier, in both directions.

        Chunks are nodes here: a MENTIONS edge leads from chunk to node, one a pair, whatever the
        mentions' roles, with the highest of their confidences and the id `ids.edge_id(chunk, node,
        "mentions", "")`; it counts as reported. An edge between two frontier nodes comes from both,
        an edge from a node to itself once, forward; a node twice in the frontier is expanded twice.

        `at` keeps edges with `valid_from <= at < valid_to` and `occurred_at <= at`, open ends and
        unknown dates passing; it restricts no MENTIONS edge. `edge_filter` takes any kind, MENTIONS
        included, unless it names kinds; its confidence compares as float32. A MENTIONS edge passes
        `filter` with its chunk, another edge with one chunk that passes and states it; an edge
        that no chunk states, and a chunk that the store does not hold, pass the empty filter alone.
        `limit` caps the edges of each frontier node after all filters, best confidence first, ties by edge id.
        """
        ...

    def knowledge_edges(
        self,
        collection: str,
        *,
        at: datetime | None = None,
        edge_filter: EdgeFilter = ANY_EDGE,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeBatch:
        """Return every live, visible edge but MENTIONS once, forward, ordered by edge id.

        The filters are those of `expand`: it is what `expand` gives for all live nodes.
        """
        ...

    def degrees(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return the number of live knowledge edges (MENTIONS left out) of each node.

        All standings count; an edge from a node to itself counts once.
        """
        ...

    def hub_degree(self, collection: str) -> int:
        """Return the smallest degree of the top tenth (rounded up) of live nodes, at least 1."""
        ...

    def mention_counts(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return in how many chunks each live node is mentioned, in any role; 0 for others."""
        ...

    def edges(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Edge]:
        """Return edges, in the order of `ids`, with the evidence that the principal may see.

        Retired edges are included, and need no live ends with all rights; edges that are neither
        live nor retired, invisible, or MENTIONS are left out. Evidence is ordered by confidence,
        chunk and span.
        """
        ...

    def edge_labels(
        self, collection: str, edges: Ids, *, principal: Principal = ALL_RIGHTS
    ) -> EdgeLabels:
        """Return relation and best passage of live edges, as `edges` has them: the chunk of the
        first piece of evidence that the principal may see. Retired edges may be known or not."""
        ...

    def node_names(
        self,
        collection: str,
        nodes: Ids,
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Mapping[int, str]:
        """Return the names of those of `nodes` that `nodes` returns."""
        ...

    def mentions(self, collection: str, chunks: Sequence[int]) -> list[Mention]:
        """Return mentions of live nodes, by chunk as given, then span, node, key and role."""
        ...

    def claims(self, collection: str, chunks: Sequence[int]) -> list[Claim]:
        """Return claims, by chunk as given, then span and id."""
        ...

    def merges(self, collection: str, *, node: int | None = None) -> list[Merge]:
        """Return the merge log, ordered by key, node, chunk, best score and reason."""
        ...

    def communities(
        self,
        collection: str,
        *,
        ids: Sequence[int] | None = None,
        level: int | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Community]:
        """Return communities by level, path and id, those of `ids` if they are given: the ones
        whose acl the principal satisfies, if the chunks of their evidence are all there and
        visible."""
        ...

    def community_vectors(self, collection: str, communities: Ids) -> Matrix:
        """Return vectors of summaries in the order of `communities`; zeros where there is none."""
        ...

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
        """Return the visible communities (see `communities`) of highest cosine to their summary.

        A community passes the filter if every chunk of its evidence does; one without a vector is
        left out.

        Raises:
            StoreError: `vector` differs in dimensions from those of the communities.
        """
        ...
