"""Who may see which rows of the truth, for reads of single rows."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from clew.core.knowledge import Mention
from clew.core.query import Principal
from clew.stores.embedded import rows
from clew.stores.embedded.codes import LINK_CODE
from clew.stores.embedded.columns import id_list


def visible_chunks(
    connection: sqlite3.Connection, collection: int, chunks: Iterable[int], principal: Principal
) -> set[int]:
    """Return those of `chunks` whose document the principal may see; all of them with all rights."""
    if principal.groups is None:
        return set(chunks)
    cursor = connection.execute(
        """SELECT c.id, d.acl FROM chunks c
        JOIN documents d ON d.collection = c.collection AND d.id = c.document
        WHERE c.collection = ? AND c.id IN (SELECT value FROM json_each(?))""",
        (collection, id_list(chunks)),
    )
    return {chunk for chunk, acl in cursor if principal.may_see(rows.acl_value(acl))}


def visible_mentions(
    connection: sqlite3.Connection, collection: int, nodes: Iterable[int], principal: Principal
) -> dict[int, list[Mention]]:
    """Return, by node, the mentions that keep it alive and that the principal may see."""
    held = connection.execute(
        f"SELECT {rows.MENTION} FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node IN (SELECT value FROM json_each(?)) AND role <> {LINK_CODE}",
        (collection, id_list(nodes)),
    ).fetchall()
    seen = visible_chunks(connection, collection, {row[0] for row in held}, principal)
    grouped: dict[int, list[Mention]] = defaultdict(list)
    for row in held:
        if row[0] in seen:
            grouped[row[1]].append(rows.mention_value(row))
    return dict(grouped)


def visible_nodes(
    connection: sqlite3.Connection, collection: int, nodes: Iterable[int], principal: Principal
) -> set[int]:
    """Return those of `nodes` that live and that the principal may see."""
    if principal.groups is not None:
        return set(visible_mentions(connection, collection, nodes, principal))
    cursor = connection.execute(
        "SELECT id FROM nodes WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(nodes)),
    )
    return {row[0] for row in cursor}
