"""Work on whole collections in memory: the reference of `BulkChunks` and `BulkGraph`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from clew.core.arrays import Ids
from clew.core.batches import NodeVectors, Vectors
from clew.core.errors import StoreError
from clew.core.ids import format_id
from clew.core.knowledge import Edge, Statement
from clew.core.query import Principal
from clew.stores.memory_chunks import write_chunk_vectors
from clew.stores.memory_graph_writes import (
    statement_key,
    write_node_vectors,
    written_head,
)
from clew.stores.memory_rows import Rows
from clew.stores.memory_view import View


def document_ids(view: View, *, principal: Principal) -> list[int]:
    """Return the visible documents by source."""
    held = [item for item in view.rows.documents.values() if principal.may_see(item.acl)]
    return [document.id for document in sorted(held, key=lambda document: document.source)]


def node_ids(view: View, *, principal: Principal) -> Ids:
    """Return the visible live nodes, sorted."""
    return np.array(sorted(n for n in view.nodes if view.sees_node(principal, n)), np.int64)


def edge_ids(view: View) -> Ids:
    """Return every edge that rests on a statement, sorted."""
    return np.array(sorted(view.edges), np.int64)


def statements(rows: Rows, edges: Sequence[int]) -> list[Statement]:
    """Return what edges rest on, by edge as given, then chunk, span and origin."""
    wanted = set(edges)
    grouped: dict[int, list[Statement]] = {edge: [] for edge in edges}
    for statement in rows.statements.values():
        if statement.edge in wanted:
            grouped[statement.edge].append(statement)
    return [row for edge in edges for row in sorted(grouped[edge], key=statement_order)]


def statement_order(statement: Statement) -> tuple[int, int, int, int]:
    """Return the place of a statement among those of its edge; words come first."""
    chunk = -1 if statement.chunk is None else statement.chunk
    return chunk, statement.span.start, statement.span.end, statement.origin


def write_statements(rows: Rows, edges: Sequence[Edge], added: Sequence[Statement]) -> None:
    """Add statements as they are."""
    for edge in edges:
        rows.edge_heads[edge.id] = written_head(rows, edge)
    for statement in added:
        if statement.edge not in rows.edge_heads:
            raise StoreError(f"a statement names the unknown edge {format_id(statement.edge)}")
        rows.statements[statement_key(statement)] = statement
    stated = {statement.edge for statement in rows.statements.values()}
    for edge in edges:
        if edge.id not in stated:
            del rows.edge_heads[edge.id]


def replace_vectors(rows: Rows, batches: Iterable[Vectors]) -> int:
    """Put other vectors in the place of all vectors of chunks."""
    rows.chunk_vectors = {}
    for batch in batches:
        write_chunk_vectors(rows, batch)
    return len(rows.chunk_vectors)


def replace_node_vectors(rows: Rows, batches: Iterable[NodeVectors]) -> int:
    """Put other vectors in the place of all vectors of nodes."""
    rows.node_vectors, rows.own_vectors = {}, {}
    for batch in batches:
        write_node_vectors(rows, batch)
    return len(rows.node_vectors)
