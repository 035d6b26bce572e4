"""Listing nodes from the truth."""

from __future__ import annotations

import sqlite3
from collections import Counter

from clew.core.listing import ListedNode, NodeList, NodeSelection, listed
from clew.core.query import NO_FILTER, Principal
from clew.stores.embedded.reading_graph import nodes
from clew.stores.embedded.visibility import visible_chunks


def list_nodes(
    connection: sqlite3.Connection,
    collection: int,
    *,
    wanted: NodeSelection,
    limit: int,
    offset: int,
    principal: Principal,
) -> NodeList:
    """Return the visible nodes that are wanted, page by page."""
    counts = _mention_counts(connection, collection, principal)
    found = nodes(connection, collection, list(counts), filter=NO_FILTER, principal=principal)
    rows = (ListedNode(node, counts[node.id]) for node in found)
    return listed(rows, wanted, limit=limit, offset=offset)


def _mention_counts(
    connection: sqlite3.Connection, collection: int, principal: Principal
) -> dict[int, int]:
    """Return how many visible chunks mention each live node."""
    if principal.groups is None:
        return dict(
            connection.execute(
                "SELECT id, mention_count FROM nodes WHERE collection = ?", (collection,)
            )
        )
    pairs = connection.execute(
        "SELECT DISTINCT chunk, node FROM mentions WHERE collection = ?", (collection,)
    ).fetchall()
    seen = visible_chunks(connection, collection, {chunk for chunk, _ in pairs}, principal)
    return Counter(node for chunk, node in pairs if chunk in seen)
