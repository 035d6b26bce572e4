"""Keeping nodes true to their mentions: only what a write touched is computed again."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.stores.embedded.changes import Changed, ChangeLog
from clew.stores.embedded.codes import LINK_CODE, NODE_TYPES
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.rows import Row

_Use: TypeAlias = "tuple[int, str, int, str]"
"""Node, surface, kind code and label column: what `surfaces` counts."""


@dataclass(slots=True)
class MentionChanges:
    """Mentions that come and go in one write: rows of the columns `rows.MENTION`.

    `new_chunks` counts, by node, chunks that did not mention it before. It is trusted where nothing
    went but what came again; otherwise chunks are counted anew.
    """

    uses: Counter[_Use] = field(default_factory=Counter)
    new_chunks: Counter[int] = field(default_factory=Counter)
    nodes: set[int] = field(default_factory=set)
    chunks: set[int] = field(default_factory=set)

    def add(self, row: Row, sign: int) -> None:
        """Count a mention that comes (1) or goes (-1)."""
        chunk, node, surface, _, _, _, kind, label, _, role = row
        self.nodes.add(node)
        self.chunks.add(chunk)
        if role != LINK_CODE:
            self.uses[node, surface, kind, "" if label is None else f"={label}"] += sign


def update_nodes(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, changes: MentionChanges
) -> tuple[set[int], set[int]]:
    """Bring `surfaces` and `nodes` up to date after mentions changed.

    Returns:
        The touched nodes that lived before, and those that live now.
    """
    log.note(collection, Changed.MENTIONS, changes.chunks)
    log.note(collection, Changed.NODE, changes.nodes)
    _count_uses(connection, collection, changes.uses)
    touched = id_list(changes.nodes)
    before = {
        row[0]
        for row in connection.execute(
            "SELECT id FROM nodes WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
            (collection, touched),
        )
    }
    after = _write_living(connection, collection, touched)
    if changes.new_chunks:
        _add_chunks(connection, collection, changes.new_chunks, before & after)
        _count_chunks(connection, collection, after - before)
    else:
        _count_chunks(connection, collection, after)
    dead = before - after
    connection.execute(
        "DELETE FROM nodes WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(dead)),
    )
    _note_neighbours(connection, log, collection, before ^ after)
    return before, after


def _count_uses(connection: sqlite3.Connection, collection: int, uses: Counter[_Use]) -> None:
    connection.executemany(
        """INSERT INTO surfaces (collection, node, surface, kind, label, uses)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET uses = uses + excluded.uses""",
        [(collection, *use, count) for use, count in uses.items() if count],
    )
    connection.executemany(
        "DELETE FROM surfaces WHERE collection = ? AND node = ? AND surface = ? AND kind = ? "
        "AND label = ? AND uses <= 0",
        [(collection, *use) for use, count in uses.items() if count < 0],
    )


def _write_living(connection: sqlite3.Connection, collection: int, touched: str) -> set[int]:
    """Write the nodes of `touched` that live; return them."""
    grouped: dict[int, list[Row]] = defaultdict(list)
    for node, *use in connection.execute(
        "SELECT node, surface, kind, label, uses FROM surfaces "
        "WHERE collection = ? AND node IN (SELECT value FROM json_each(?))",
        (collection, touched),
    ):
        grouped[node].append(tuple(use))
    connection.executemany(
        """INSERT INTO nodes (collection, id, name, kind, label, aliases, mention_count)
        VALUES (?, ?, ?, ?, ?, ?, 0)
        ON CONFLICT (collection, id) DO UPDATE SET
            name = excluded.name, kind = excluded.kind, label = excluded.label,
            aliases = excluded.aliases""",
        [(collection, node, *_aggregate(uses)) for node, uses in grouped.items()],
    )
    return set(grouped)


def _add_chunks(
    connection: sqlite3.Connection, collection: int, added: Counter[int], nodes: set[int]
) -> None:
    connection.executemany(
        "UPDATE nodes SET mention_count = mention_count + ? WHERE collection = ? AND id = ?",
        [(count, collection, node) for node, count in added.items() if node in nodes],
    )


def _count_chunks(connection: sqlite3.Connection, collection: int, nodes: Iterable[int]) -> None:
    connection.executemany(
        """UPDATE nodes SET mention_count = (
            SELECT count(DISTINCT chunk) FROM mentions WHERE collection = ?1 AND node = ?2)
        WHERE collection = ?1 AND id = ?2""",
        [(collection, node) for node in nodes],
    )


def _aggregate(uses: Sequence[Row]) -> Row:
    """Return name, kind, label and aliases; the rules are those of `stores.aggregate`."""
    if len(uses) == 1:
        ((surface, kind, label, _),) = uses
        return surface, kind, label[1:] if label else None, "[]"
    surfaces: Counter[str] = Counter()
    kinds: Counter[int] = Counter()
    labels: Counter[str] = Counter()
    for surface, kind, label, count in uses:
        surfaces[surface] += count
        kinds[kind] += count
        if label:
            labels[label[1:]] += count
    name = min(surfaces, key=lambda surface: (-surfaces[surface], -len(surface), surface))
    aliases = sorted(surface for surface in surfaces if surface != name)
    return (
        name,
        min(kinds, key=lambda kind: (-kinds[kind], NODE_TYPES[kind].value)),
        min(labels, key=lambda label: (-labels[label], label)) if labels else None,
        json.dumps(aliases, ensure_ascii=False),
    )


def _note_neighbours(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, nodes: Iterable[int]
) -> None:
    """Note what lives or not with its nodes: their edges, and the mentions of their chunks."""
    turned = id_list(nodes)
    # The planner takes a list of ids for longer than it is and would read whole collections; where
    # it erred, queries here and elsewhere name their index.
    edges = connection.execute(
        """SELECT id FROM edges WHERE collection = ?1
            AND source IN (SELECT value FROM json_each(?2))
        UNION SELECT id FROM edges WHERE collection = ?1
            AND target IN (SELECT value FROM json_each(?2))""",
        (collection, turned),
    )
    log.note(collection, Changed.EDGE, [row[0] for row in edges])
    chunks = connection.execute(
        "SELECT chunk FROM mentions INDEXED BY mentions_node "
        "WHERE collection = ? AND node IN (SELECT value FROM json_each(?))",
        (collection, turned),
    )
    log.note(collection, Changed.MENTIONS, [row[0] for row in chunks])
