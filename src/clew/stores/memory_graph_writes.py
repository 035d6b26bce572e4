"""Writing, erasing and retiring knowledge in memory: the reference of `GraphStore`'s writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias, TypeVar

import numpy as np

from clew.core.batches import CommunityBatch, GraphBatch, NodeVectors
from clew.core.errors import StoreError
from clew.core.ids import format_id
from clew.core.knowledge import Edge, Statement
from clew.core.merging import MergedNodes
from clew.stores.aggregate import (
    earlier,
    establishes,
    merged_head,
    recorded_edges,
    standing_successor,
    statements_of,
)
from clew.stores.memory_chunks import require_dimensions
from clew.stores.memory_rows import (
    ClaimRow,
    MentionRow,
    MergeRow,
    NodeVectorRow,
    Past,
    Rows,
    StatementKey,
    append,
    mention_key,
)

Key = TypeVar("Key")
Row = TypeVar("Row")
_Timed: TypeAlias = "MentionRow | ClaimRow | MergeRow | Statement"


def write_graph(rows: Rows, batch: GraphBatch) -> None:
    """Add what a batch states; rows that are known already are overwritten."""
    at = batch.recorded_at
    for mention in batch.mentions:
        key = mention_key(mention)
        rows.mentions[key] = MentionRow(mention, batch.origin, _first(rows.mentions.get(key), at))
    for edge in recorded_edges(batch.edges, at):
        _write_edge(rows, edge, batch.origin)
    for claim in batch.claims:
        known = rows.claims.get(claim.id)
        rows.claims[claim.id] = ClaimRow(claim, batch.origin, _first(known, at))
    for merge in batch.merges:
        place = merge.key, merge.node, merge.chunk
        rows.merges[place] = MergeRow(merge, batch.origin, _first(rows.merges.get(place), at))


def write_node_vectors(rows: Rows, vectors: NodeVectors) -> None:
    """Set the vectors of live nodes."""
    if not len(vectors.ids):
        return
    for matrix in (vectors.name, vectors.search):
        held = (row.search for row in rows.node_vectors.values())
        require_dimensions(held, matrix, "the collection's nodes")
    live = _live_nodes(rows)
    for place, node in enumerate(vectors.ids.tolist()):
        if node in live:
            rows.node_vectors[node] = NodeVectorRow(
                np.array(vectors.name[place], np.float32),
                np.array(vectors.search[place], np.float32),
                int(vectors.origins[place]),
            )


def write_communities(rows: Rows, batch: CommunityBatch) -> None:
    """Remove what a batch replaces and upsert its communities."""
    for identifier in list(rows.communities) if batch.replaced is None else batch.replaced:
        rows.communities.pop(identifier, None)
        rows.community_vectors.pop(identifier, None)
    if len(batch.vectors.ids):
        held = rows.community_vectors.values()
        require_dimensions(held, batch.vectors.matrix, "the collection's communities")
    rows.communities |= {community.id: community for community in batch.communities}
    rows.community_vectors |= {
        int(identifier): np.array(vector, np.float32)
        for identifier, vector in zip(batch.vectors.ids, batch.vectors.matrix, strict=True)
        if int(identifier) in rows.communities
    }


def set_merged(rows: Rows, roots: Mapping[int, int]) -> None:
    """Read nodes as others; drop vectors of what is then neither live nor merged."""
    old, new = rows.merging, MergedNodes(dict(roots))
    rows.merged = dict(new.roots)
    live = _live_nodes(rows)
    for node in old.changed_groups(new):
        if node in old.involved():
            rows.node_vectors.pop(node, None)
        if node in rows.own_vectors:
            rows.node_vectors[node] = rows.own_vectors.pop(node)
        if node in new.involved() and node in rows.node_vectors:
            rows.own_vectors[node] = rows.node_vectors[node]
        if node not in live:
            rows.node_vectors.pop(node, None)


def erase(rows: Rows, origin: int) -> Mapping[str, int]:
    """Remove what came from an origin and whatever rested on it alone; return row counts."""
    root = rows.merging.root
    live_before, read_before = _live_nodes(rows), _mentions_read(rows)
    lost = _remove(rows.mentions, lambda row: row.origin == origin)
    touched = {root(row.mention.node) for row in lost}
    dead = touched - _live_nodes(rows)
    _remove(rows.mentions, lambda row: root(row.mention.node) in dead)

    in_force = _edges_in_force(rows)
    successors = {edge.id: edge.superseded_by for edge in rows.edge_heads.values()}
    statements = _remove(rows.statements, lambda statement: statement.origin == origin)
    past = _remove(rows.past_statements, lambda statement: statement.origin == origin)
    stated = {statement.edge for statement in rows.statements.values()}
    edges = _remove(
        rows.edge_heads,
        lambda edge: edge.id not in stated or bool({root(edge.source), root(edge.target)} & dead),
    )
    gone = {edge.id for edge in edges}
    statements += _remove(rows.statements, lambda statement: statement.edge in gone)
    past += _remove(rows.past_statements, lambda statement: statement.edge in gone)
    _pass_on(rows, successors, in_force - _edges_in_force(rows))

    claims = _remove(rows.claims, lambda row: row.origin == origin)
    merges = _remove(rows.merges, lambda row: row.origin == origin)
    vectors = len(rows.node_vectors)
    _keep_node_vectors(rows, lambda node, row: root(node) not in dead and row.origin != origin)
    return {
        "mentions": read_before - _mentions_read(rows),
        "claims": len(claims),
        "merges": len(merges),
        "statements": len(statements),
        "edges": len(edges),
        "nodes": len(dead & live_before),
        "node_vectors": vectors - len(rows.node_vectors),
        "communities": _drop_communities(rows, touched),
        "past_mentions": len(_remove(rows.past_mentions, lambda past: past.row.origin == origin)),
        "past_claims": len(_remove(rows.past_claims, lambda past: past.row.origin == origin)),
        "past_merges": len(_remove(rows.past_merges, lambda past: past.row.origin == origin)),
        "past_statements": len(past),
    }


def retire(rows: Rows, chunks: Sequence[int], at: datetime) -> None:
    """Drop what vanished chunks say, and mark the evidence in them retired."""
    gone = set(chunks)
    lost = _remove(rows.mentions, lambda row: row.mention.chunk in gone)
    for mention in lost:
        append(rows.past_mentions, Past(mention, at))
    for claim in _remove(rows.claims, lambda row: row.claim.chunk in gone):
        append(rows.past_claims, Past(claim, at))
    for merge in _remove(rows.merges, lambda row: row.merge.chunk in gone):
        append(rows.past_merges, Past(merge, at))
    in_force = _edges_in_force(rows)
    for key, statement in rows.statements.items():
        if statement.chunk in gone and statement.retired_at is None:
            rows.statements[key] = replace(statement, retired_at=at)
    successors = {edge.id: edge.superseded_by for edge in rows.edge_heads.values()}
    _pass_on(rows, successors, in_force - _edges_in_force(rows))

    root = rows.merging.root
    touched = {root(row.mention.node) for row in lost}
    dead = touched - _live_nodes(rows)
    stale = {(root(row.mention.node), row.origin) for row in lost}
    _keep_node_vectors(
        rows,
        lambda node, row: root(node) not in dead and (root(node), row.origin) not in stale,
    )
    _drop_communities(rows, touched)


def _write_edge(rows: Rows, edge: Edge, origin: int) -> None:
    statements = statements_of(edge, origin)
    known = rows.edge_heads.get(edge.id)
    if not statements and known is None:
        raise StoreError(
            f"edge {format_id(edge.id)} ({edge.relation!r}) has no evidence; "
            "give a span that states it, or write it as inferred or assumed"
        )
    rows.edge_heads[edge.id] = written_head(rows, edge)
    for statement in statements:
        key = statement_key(statement)
        before = rows.statements.get(key)
        if before is not None and before.retired_at is not None:
            append(rows.past_statements, before)
            before = None
        recorded = _first(before, statement.recorded_at)
        rows.statements[key] = replace(statement, recorded_at=recorded)


def written_head(rows: Rows, edge: Edge) -> Edge:
    """Return the columns that an edge has after it is written; with the ends that it is read with,
    it keeps its own."""
    known = rows.edge_heads.get(edge.id)
    head = replace(merged_head(known, edge), evidence=())
    if known is None:
        return head
    read = rows.merging.ends(known.source, known.target)
    if read != (edge.source, edge.target):
        return head
    return replace(head, source=known.source, target=known.target)


def _edges_in_force(rows: Rows) -> set[int]:
    return {row.edge for row in rows.statements.values() if row.retired_at is None}


def _pass_on(rows: Rows, successors: Mapping[int, int | None], lost: set[int]) -> None:
    """Free what edges superseded that have lost their evidence: it passes to what superseded
    them, or is in force again."""
    passing = {edge: successors[edge] for edge in lost}
    for identifier, head in rows.edge_heads.items():
        if head.superseded_by in passing:
            successor = standing_successor(identifier, head.superseded_by, passing)
            rows.edge_heads[identifier] = replace(
                head,
                superseded_by=successor,
                retired_at=None if successor is None else head.retired_at,
            )


def _first(known: _Timed | None, written: datetime | None) -> datetime | None:
    """Return the time of a row that is written: that of the row of its key, if it is earlier."""
    return written if known is None else earlier(known.recorded_at, written)


def statement_key(statement: Statement) -> StatementKey:
    """Return what makes two statements the same."""
    if statement.chunk is None:
        return statement.edge, None, None, statement.origin
    return statement.edge, statement.chunk, statement.span, None


def _live_nodes(rows: Rows) -> set[int]:
    root = rows.merging.root
    return {root(row.mention.node) for row in rows.mentions.values() if establishes(row.mention)}


def _mentions_read(rows: Rows) -> int:
    """Return how many mentions there are, those that merging makes the same counted once."""
    merging = rows.merging
    return len({mention_key(merging.mention(row.mention)) for row in rows.mentions.values()})


def _keep_node_vectors(rows: Rows, keep: Callable[[int, NodeVectorRow], bool]) -> None:
    rows.node_vectors = {node: row for node, row in rows.node_vectors.items() if keep(node, row)}
    rows.own_vectors = {node: row for node, row in rows.own_vectors.items() if keep(node, row)}


def _drop_communities(rows: Rows, touched: set[int]) -> int:
    held = rows.merging.members(touched)
    dropped = _remove(rows.communities, lambda row: not held.isdisjoint(row.members))
    for community in dropped:
        rows.community_vectors.pop(community.id, None)
    return len(dropped)


def _remove(table: dict[Key, Row], condition: Callable[[Row], bool]) -> list[Row]:
    """Remove the rows that satisfy a condition from a table, and return them."""
    keys = [key for key, row in table.items() if condition(row)]
    return [table.pop(key) for key in keys]
