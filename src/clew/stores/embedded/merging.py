"""Merged nodes in the truth: what was written for them is set aside, and read as their root's.

The rows of merged nodes and of their roots stand aside under the negative number of the collection:
all their mentions and vectors, and the own ends of edges that run to or from a merged node. Mentions and edges that follow from them stand in the collection itself, so that
nothing that reads needs to know; claims and the merge log are translated as they are read. Which
node is read as which is a fact of the collection, which `facts` does not show.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from clew.core.ids import format_id, parse_id
from clew.core.knowledge import Edge, Mention
from clew.core.merging import NOTHING_MERGED, MergedNodes
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.node_upkeep import MentionChanges, update_nodes

FACT = "\x1fmerged nodes"
"""Name of the fact; no other begins with this character."""

_OWN = f"origin, recorded_at, {rows.MENTION}"
"""Columns of `Held`."""


@dataclass(frozen=True, slots=True)
class Held:
    """A mention with its origin and the microsecond from which it was known."""

    origin: int
    recorded_at: int | None
    mention: Mention


_Key: TypeAlias = "tuple[object, ...]"

_OF_IDS = "IN (SELECT value FROM json_each(?))"


def aside(collection: int) -> int:
    """Return the number under which the rows that are set aside stand."""
    return -collection


def merged_nodes(connection: sqlite3.Connection, collection: int) -> MergedNodes:
    """Return which nodes are read as which."""
    row = connection.execute(
        "SELECT value FROM facts WHERE collection = ? AND name = ?", (collection, FACT)
    ).fetchone()
    if row is None:
        return NOTHING_MERGED
    return MergedNodes(
        {parse_id(node): parse_id(root) for node, root in json.loads(row[0]).items()}
    )


def set_merged(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, roots: Mapping[int, int]
) -> None:
    """Read nodes as others from now on; only groups that change are touched.

    Raises:
        StoreError: a root is itself merged.
    """
    old, new = merged_nodes(connection, collection), MergedNodes(dict(roots))
    _write_fact(connection, collection, new)
    touched = old.changed_groups(new)
    if touched:
        living = read_otherwise(connection, log, collection, old, new)
        _move_vectors(connection, log, collection, touched, living, old, new)


def read_otherwise(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    old: MergedNodes,
    new: MergedNodes,
) -> set[int]:
    """Change how mentions and edges are read; return the nodes of changed groups that live then."""
    touched = old.changed_groups(new)
    changes = MentionChanges()
    _put_back(connection, collection, touched & old.involved(), old, changes)
    _set_aside(connection, collection, touched & new.involved(), new, changes)
    changes.nodes |= touched
    _, living = update_nodes(connection, log, collection, changes)
    _turn_edges(connection, log, collection, touched, new)
    return living


def read_as(
    connection: sqlite3.Connection,
    collection: int,
    origin: int,
    recorded: int | None,
    mentions: Sequence[Mention],
) -> list[Held]:
    """Return what mentions, about to be written, are read as; those of merged nodes and of their
    roots are set aside first."""
    merging = merged_nodes(connection, collection)
    involved = merging.involved()
    own = [mention for mention in mentions if mention.node in involved]
    others = [Held(origin, recorded, each) for each in mentions if each.node not in involved]
    if not own:
        return others
    connection.executemany(
        rows.WRITE_MENTION,
        [
            (
                aside(collection),
                recorded,
                origin,
                rows.mention_edge(mention),
                *rows.mention_row(mention),
            )
            for mention in own
        ],
    )
    wanted = {_key(merging.mention(mention)) for mention in own}
    read = read_mentions(connection, collection, {mention.chunk for mention in own})
    return others + [held for held in read if _key(held.mention) in wanted]


def read_mentions(
    connection: sqlite3.Connection, collection: int, chunks: Iterable[int]
) -> list[Held]:
    """Return what the mentions of some chunks that are set aside are read as."""
    cursor = connection.execute(
        f"SELECT {_OWN} FROM mentions "  # noqa: S608
        f"WHERE collection = ? AND chunk {_OF_IDS}",
        (aside(collection), id_list(chunks)),
    )
    return _read(merged_nodes(connection, collection), cursor)


def forget_mentions(
    connection: sqlite3.Connection, collection: int, column: str, values: Iterable[int]
) -> None:
    """Forget what is set aside of chunks, nodes or origins: `column` says which."""
    index = {"chunk": "NOT INDEXED", "node": "INDEXED BY mentions_node"}.get(
        column, "INDEXED BY mentions_origin"
    )
    connection.execute(
        f"DELETE FROM mentions {index} WHERE collection = ? AND {column} {_OF_IDS}",  # noqa: S608
        (aside(collection), id_list(values)),
    )


def forget_vectors(
    connection: sqlite3.Connection, collection: int, nodes: Iterable[int], *, origin: int | None
) -> None:
    """Forget own vectors of nodes that are set aside: those of an origin, or all."""
    connection.execute(
        f"DELETE FROM node_vectors WHERE collection = ? AND id {_OF_IDS} "  # noqa: S608
        "AND (? IS NULL OR origin = ?)",
        (aside(collection), id_list(nodes), origin, origin),
    )


def edges_read_as(
    connection: sqlite3.Connection, collection: int, edges: Sequence[Edge]
) -> list[Edge]:
    """Return what edges, about to be written, are read as; own ends that differ are set aside.

    An edge that comes with the ends it is read with keeps its own.
    """
    merging = merged_nodes(connection, collection)
    if not merging:
        return list(edges)
    own = _own_ends(connection, collection, {edge.id for edge in edges})
    result: list[Edge] = []
    for edge in edges:
        read = merging.edge(edge)
        ends = read.source, read.target
        if (edge.source, edge.target) != ends:
            _keep_ends(connection, collection, edge)
        elif edge.id in own and merging.ends(*own[edge.id]) != ends:
            forget_ends(connection, collection, [edge.id])
        result.append(read)
    return result


def forget_ends(connection: sqlite3.Connection, collection: int, edges: Iterable[int]) -> None:
    """Forget the own ends of edges."""
    connection.execute(
        f"DELETE FROM edges WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (aside(collection), id_list(edges)),
    )


def _write_fact(connection: sqlite3.Connection, collection: int, merging: MergedNodes) -> None:
    connection.execute("DELETE FROM facts WHERE collection = ? AND name = ?", (collection, FACT))
    if merging:
        value = {format_id(node): format_id(root) for node, root in sorted(merging.roots.items())}
        connection.execute(
            "INSERT INTO facts (collection, name, value) VALUES (?, ?, ?)",
            (collection, FACT, json.dumps(value)),
        )


def _put_back(
    connection: sqlite3.Connection,
    collection: int,
    nodes: set[int],
    merging: MergedNodes,
    changes: MentionChanges,
) -> None:
    """Replace what mentions of groups are read as by the mentions themselves."""
    take_mentions(connection, collection, {merging.root(node) for node in nodes}, changes)
    own = connection.execute(
        f"SELECT {_OWN} FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node {_OF_IDS}",
        (aside(collection), id_list(nodes)),
    ).fetchall()
    insert_mentions(connection, collection, map(_held, own), changes)
    forget_mentions(connection, collection, "node", nodes)


def _set_aside(
    connection: sqlite3.Connection,
    collection: int,
    nodes: set[int],
    merging: MergedNodes,
    changes: MentionChanges,
) -> None:
    """Set the mentions of groups aside, and put in their place what they are read as."""
    own = connection.execute(
        f"SELECT {_OWN} FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node {_OF_IDS}",
        (collection, id_list(nodes)),
    ).fetchall()
    connection.executemany(
        f"INSERT INTO mentions (collection, edge, {_OWN}) "  # noqa: S608
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(aside(collection), rows.mention_edge(_held(row).mention), *row) for row in own],
    )
    take_mentions(connection, collection, nodes, changes)
    insert_mentions(connection, collection, _read(merging, own), changes)


def take_mentions(
    connection: sqlite3.Connection, collection: int, nodes: Iterable[int], changes: MentionChanges
) -> None:
    """Delete the mentions of nodes, and count them in `changes`."""
    listed = id_list(nodes)
    for row in connection.execute(
        f"SELECT {rows.MENTION} FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node {_OF_IDS}",
        (collection, listed),
    ).fetchall():
        changes.add(row, -1)
    connection.execute(
        f"DELETE FROM mentions INDEXED BY mentions_node "  # noqa: S608
        f"WHERE collection = ? AND node {_OF_IDS}",
        (collection, listed),
    )


def insert_mentions(
    connection: sqlite3.Connection,
    collection: int,
    mentions: Iterable[Held],
    changes: MentionChanges,
) -> None:
    """Insert mentions that are not there, and count them in `changes`."""
    written: list[rows.Row] = []
    for held in mentions:
        row = rows.mention_row(held.mention)
        changes.add(row, 1)
        edge = rows.mention_edge(held.mention)
        written.append((collection, edge, held.origin, held.recorded_at, *row))
    connection.executemany(
        f"INSERT INTO mentions (collection, edge, {_OWN}) "  # noqa: S608
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        written,
    )


def _turn_edges(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    nodes: set[int],
    merging: MergedNodes,
) -> None:
    """Let the edges of some nodes run as they are read, and keep their own ends."""
    ends: dict[int, tuple[int, int]] = {}
    for where in (collection, aside(collection)):
        for column in ("source", "target"):
            cursor = connection.execute(
                f"SELECT id, source, target FROM edges "  # noqa: S608
                f"WHERE collection = ? AND {column} {_OF_IDS}",
                (where, id_list(nodes)),
            )
            ends |= {row[0]: (row[1], row[2]) for row in cursor}
    ends |= _own_ends(connection, collection, ends)
    forget_ends(connection, collection, ends)
    for edge, own in ends.items():
        read = merging.ends(*own)
        if read != own:
            connection.execute(
                "INSERT INTO edges (collection, id, source, target, kind, relation, confidence, "
                "standing, negated) SELECT ?, id, ?, ?, kind, '', 0, 0, 0 FROM edges "
                "WHERE collection = ? AND id = ?",
                (aside(collection), *own, collection, edge),
            )
        connection.execute(
            "UPDATE edges SET source = ?, target = ? WHERE collection = ? AND id = ?",
            (*read, collection, edge),
        )
    log.note(collection, Changed.EDGE, ends)


def _own_ends(
    connection: sqlite3.Connection, collection: int, edges: Iterable[int]
) -> dict[int, tuple[int, int]]:
    cursor = connection.execute(
        f"SELECT id, source, target FROM edges WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (aside(collection), id_list(edges)),
    )
    return {row[0]: (row[1], row[2]) for row in cursor}


def _keep_ends(connection: sqlite3.Connection, collection: int, edge: Edge) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO edges (collection, id, source, target, kind, relation, "
        "confidence, standing, negated) VALUES (?, ?, ?, ?, 0, '', 0, 0, 0)",
        (aside(collection), edge.id, edge.source, edge.target),
    )


def _move_vectors(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    touched: set[int],
    living: set[int],
    before: MergedNodes,
    after: MergedNodes,
) -> None:
    """Bring back the own vectors of nodes, set aside those of merged nodes and their roots, and
    drop those of nodes that are not live."""
    _drop_vectors(connection, collection, touched & before.involved())
    _copy_vectors(connection, aside(collection), collection, touched)
    _drop_vectors(connection, aside(collection), touched)
    _copy_vectors(connection, collection, aside(collection), touched & after.involved())
    _drop_vectors(connection, collection, touched - living)
    connection.execute(
        "UPDATE nodes SET embedded = EXISTS (SELECT 1 FROM node_vectors v "  # noqa: S608
        "WHERE v.collection = nodes.collection AND v.id = nodes.id) "
        f"WHERE collection = ? AND id {_OF_IDS}",
        (collection, id_list(touched)),
    )
    log.note(collection, Changed.NODE, touched)


def _copy_vectors(
    connection: sqlite3.Connection, start: int, end: int, nodes: Iterable[int]
) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO node_vectors (collection, id, name, search, origin) "  # noqa: S608
        "SELECT ?, id, name, search, origin FROM node_vectors "
        f"WHERE collection = ? AND id {_OF_IDS}",
        (end, start, id_list(nodes)),
    )


def _drop_vectors(connection: sqlite3.Connection, where: int, nodes: Iterable[int]) -> None:
    connection.execute(
        f"DELETE FROM node_vectors WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (where, id_list(nodes)),
    )


def _read(merging: MergedNodes, held: Iterable[rows.Row]) -> list[Held]:
    """Return what rows of the columns `_OWN` are read as: of several that become the same, the
    root's own, else that of the lowest node."""
    best: dict[_Key, tuple[tuple[bool, int], Held]] = {}
    for own in map(_held, held):
        read = merging.mention(own.mention)
        rank = read.node != own.mention.node, own.mention.node
        key = _key(read)
        if key not in best or rank < best[key][0]:
            best[key] = rank, Held(own.origin, own.recorded_at, read)
    return [found for _, found in best.values()]


def _held(row: rows.Row) -> Held:
    return Held(row[0], row[1], rows.mention_value(row[2:]))


def _key(mention: Mention) -> _Key:
    return mention.chunk, mention.node, mention.key, mention.span, mention.role
