"""Who may see which rows of the truth, and what passes a filter, for reads of single rows."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from clew.core.knowledge import Mention
from clew.core.query import NO_FILTER, Filter, Principal
from clew.stores.embedded import rows
from clew.stores.embedded.codes import LINK_CODE
from clew.stores.embedded.columns import id_list
from clew.stores.filters import passes_document

_LIGHT_DOCUMENT = ", ".join(f"d.{column}" for column in rows.LIGHT_DOCUMENT.split(", "))


def visible_chunks(
    connection: sqlite3.Connection,
    collection: int,
    chunks: Iterable[int],
    principal: Principal,
    filter: Filter = NO_FILTER,
) -> set[int]:
    """Return those of `chunks` whose document the principal may see and the filter lets through,
    labels left aside; all of them where nothing is excluded."""
    if principal.groups is None and not filter.restricts_documents():
        return set(chunks)
    cursor = connection.execute(
        f"""SELECT c.id, {_LIGHT_DOCUMENT} FROM chunks c
        JOIN documents d ON d.collection = c.collection AND d.id = c.document
        WHERE c.collection = ? AND c.id IN (SELECT value FROM json_each(?))""",  # noqa: S608
        (collection, id_list(chunks)),
    )
    found = ((row[0], rows.light_document(row[1:])) for row in cursor)
    return {
        chunk
        for chunk, document in found
        if principal.may_see(document.acl) and passes_document(filter, document)
    }


def visible_mentions(
    connection: sqlite3.Connection,
    collection: int,
    nodes: Iterable[int],
    principal: Principal,
    filter: Filter = NO_FILTER,
) -> dict[int, list[Mention]]:
    """Return, by node, the mentions in scope that keep it alive and that the principal may see."""
    held = connection.execute(
        f"SELECT {rows.MENTION} FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node IN (SELECT value FROM json_each(?)) AND role <> {LINK_CODE}",
        (collection, id_list(nodes)),
    ).fetchall()
    seen = visible_chunks(connection, collection, {row[0] for row in held}, principal, filter)
    grouped: dict[int, list[Mention]] = defaultdict(list)
    for row in held:
        if row[0] in seen:
            grouped[row[1]].append(rows.mention_value(row))
    return dict(grouped)


def visible_nodes(
    connection: sqlite3.Connection,
    collection: int,
    nodes: Iterable[int],
    principal: Principal,
    filter: Filter = NO_FILTER,
) -> set[int]:
    """Return those of `nodes` that live, are in scope and that the principal may see."""
    if principal.groups is not None or filter.restricts_documents():
        return set(visible_mentions(connection, collection, nodes, principal, filter))
    cursor = connection.execute(
        "SELECT id FROM nodes WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(nodes)),
    )
    return {row[0] for row in cursor}


def labelled_nodes(
    connection: sqlite3.Connection, collection: int, nodes: Iterable[int], labels: frozenset[str]
) -> set[int]:
    """Return those of `nodes` that have one of the labels."""
    cursor = connection.execute(
        "SELECT id, label FROM nodes "
        "WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(nodes)),
    )
    return {node for node, label in cursor if label in labels}
