"""Nodes and edges computed again from the rows that they rest on, and compared."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence

from clew.core.health import Finding, Severity
from clew.core.knowledge import Statement
from clew.stores.aggregate import aggregate_edge, aggregate_node
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog
from clew.stores.embedded.codes import NODE_TYPE_CODES
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.node_upkeep import MentionChanges, update_nodes
from clew.stores.embedded.writing_edges import restate

_SAMPLE = 500
_AT_ONCE = 2_000
_REMEDY = "clew doctor --repair computes them again"


def differing_rows(
    connection: sqlite3.Connection, collection: int, name: str, *, full: bool
) -> list[Finding]:
    """Return a finding for nodes, and one for edges, that are not what their rows make.

    All of them are compared, or without `full` those of 500 ids spread over the whole.
    """
    found: list[Finding] = []
    for table, owners, differing in (
        ("nodes", _owners(connection, collection, "nodes", "mentions", "node"), _differing_nodes),
        ("edges", _owners(connection, collection, "edges", "statements", "edge"), _differing_edges),
    ):
        chosen = owners if full else owners[:: max(1, len(owners) // _SAMPLE)]
        wrong = [
            identifier
            for start in range(0, len(chosen), _AT_ONCE)
            for identifier in differing(connection, collection, chosen[start : start + _AT_ONCE])
        ]
        if wrong:
            problem = f"{len(wrong)} of {len(chosen)} {table} compared differ from their rows"
            found.append(Finding(Severity.ERROR, f"{table} of {name!r}", problem, _REMEDY))
    return found


def recompute(connection: sqlite3.Connection, log: ChangeLog, collection: int) -> None:
    """Write all nodes and edges of a collection anew, in the transaction that is open."""
    for table in ("surfaces", "nodes"):
        connection.execute(f"DELETE FROM {table} WHERE collection = ?", (collection,))  # noqa: S608
    changes = MentionChanges()
    for row in connection.execute(
        f"SELECT {rows.MENTION} FROM mentions WHERE collection = ?",  # noqa: S608
        (collection,),
    ):
        changes.add(row, 1)
    update_nodes(connection, log, collection, changes)
    connection.execute(
        "UPDATE nodes SET embedded = EXISTS (SELECT 1 FROM node_vectors v "
        "WHERE v.collection = nodes.collection AND v.id = nodes.id) WHERE collection = ?",
        (collection,),
    )
    edges = [
        row[0]
        for row in connection.execute("SELECT id FROM edges WHERE collection = ?", (collection,))
    ]
    for start in range(0, len(edges), _AT_ONCE):
        restate(connection, log, collection, edges[start : start + _AT_ONCE])
    log.note(collection, Changed.EDGE, edges)


def _owners(
    connection: sqlite3.Connection, collection: int, table: str, basis: str, column: str
) -> list[int]:
    """Return the ids that a table or the rows it rests on name, in order."""
    return [
        row[0]
        for row in connection.execute(
            f"SELECT id FROM {table} WHERE collection = ?1 "  # noqa: S608
            f"UNION SELECT {column} FROM {basis} WHERE collection = ?1 ORDER BY 1",
            (collection,),
        )
    ]


def _differing_nodes(
    connection: sqlite3.Connection, collection: int, ids: Sequence[int]
) -> list[int]:
    wanted = id_list(ids)
    mentions = defaultdict(list)
    for row in connection.execute(
        f"SELECT {rows.MENTION} FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node IN (SELECT value FROM json_each(?))",
        (collection, wanted),
    ):
        mentions[row[1]].append(rows.mention_value(row))
    held = {
        identifier: tuple(rest)
        for identifier, *rest in connection.execute(
            "SELECT id, name, kind, label, aliases, mention_count FROM nodes "
            "WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
            (collection, wanted),
        )
    }
    wrong: list[int] = []
    for identifier in ids:
        node = aggregate_node(identifier, mentions[identifier])
        expected = None
        if node is not None:
            count = len({mention.chunk for mention in mentions[identifier]})
            aliases = rows.json_text(node.aliases)
            expected = (node.name, NODE_TYPE_CODES[node.kind], node.label, aliases, count)
        if held.get(identifier) != expected:
            wrong.append(identifier)
    return wrong


def _differing_edges(
    connection: sqlite3.Connection, collection: int, ids: Sequence[int]
) -> list[int]:
    wanted = id_list(ids)
    statements: dict[int, list[Statement]] = defaultdict(list)
    for row in connection.execute(
        f"SELECT {rows.STATEMENT} FROM statements "  # noqa: S608
        "WHERE collection = ? AND edge IN (SELECT value FROM json_each(?))",
        (collection, wanted),
    ):
        statements[row[0]].append(rows.statement_value(row))
    held = connection.execute(
        f"SELECT {rows.EDGE} FROM edges "  # noqa: S608
        "WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, wanted),
    ).fetchall()
    return [row[0] for row in held if _edge_differs(row, statements[row[0]])]


def _edge_differs(row: rows.Row, statements: Iterable[Statement]) -> bool:
    head = rows.edge_head(row)
    edge = aggregate_edge(head, list(statements))
    return edge is not None and tuple(rows.edge_row(head, edge)) != tuple(row)
