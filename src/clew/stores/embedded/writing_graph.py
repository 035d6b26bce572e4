"""Writing, erasing and retiring knowledge in the truth. Each call stands in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np

from clew.core.batches import GraphBatch, NodeVectors
from clew.core.knowledge import Claim, Mention, Merge
from clew.stores.aggregate import recorded_edges
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.community_rows import drop_communities_of
from clew.stores.embedded.merging import (
    aside,
    forget_mentions,
    forget_vectors,
    insert_mentions,
    merged_nodes,
    read_as,
    read_mentions,
)
from clew.stores.embedded.node_upkeep import MentionChanges, update_nodes
from clew.stores.embedded.writing_chunks import require_dimensions
from clew.stores.embedded.writing_edges import remove_edges, retire_statements, write_edges
from clew.stores.times import microseconds

_OF_IDS = "IN (SELECT value FROM json_each(?))"


def write_graphs(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    batches: Sequence[GraphBatch],
) -> None:
    """Add what batches state; rows that are known already are overwritten.

    All of them are added at once where each speaks of chunks of its own: a name that many of them
    use is then brought up to date once.
    """
    for together in [batches] if _apart(batches) else [[batch] for batch in batches]:
        _write_mentions(connection, log, collection, together)
        stated = [
            (batch.origin, edge)
            for batch in together
            for edge in recorded_edges(batch.edges, batch.recorded_at)
        ]
        if stated:
            write_edges(connection, log, collection, stated)
        for batch in together:
            recorded = rows.time_column(batch.recorded_at)
            _write_claims(connection, collection, batch.origin, batch.claims, recorded)
            _write_merges(connection, collection, batch.origin, batch.merges, recorded)


def _apart(batches: Sequence[GraphBatch]) -> bool:
    """Return whether no two batches speak of one chunk, or are of one origin."""
    seen: set[int] = set()
    origins: set[int] = set()
    for batch in batches:
        own = {mention.chunk for mention in batch.mentions}
        own.update(item.chunk for edge in batch.edges for item in edge.evidence)
        if batch.origin in origins or not seen.isdisjoint(own):
            return False
        origins.add(batch.origin)
        seen |= own
    return True


def write_node_vectors(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, vectors: NodeVectors
) -> None:
    """Set the vectors of live nodes."""
    if not len(vectors.ids):
        return
    for matrix in (vectors.name, vectors.search):
        require_dimensions(
            connection,
            collection,
            matrix,
            table="node_vectors",
            column="search",
            place="the collection's nodes",
        )
    name = np.ascontiguousarray(vectors.name, np.float32)
    search = np.ascontiguousarray(vectors.search, np.float32)
    ids, origins = vectors.ids.tolist(), vectors.origins.tolist()
    connection.executemany(
        """INSERT INTO node_vectors (collection, id, name, search, origin)
        SELECT ?1, ?2, ?3, ?4, ?5
        WHERE EXISTS (SELECT 1 FROM nodes WHERE collection = ?1 AND id = ?2)
        ON CONFLICT (collection, id) DO UPDATE SET
            name = excluded.name, search = excluded.search, origin = excluded.origin""",
        [
            (collection, node, name[place].tobytes(), search[place].tobytes(), origins[place])
            for place, node in enumerate(ids)
        ],
    )
    connection.execute(
        f"UPDATE nodes SET embedded = 1 WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (collection, id_list(ids)),
    )
    log.note(collection, Changed.NODE, ids)


def erase(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, origin: int
) -> Mapping[str, int]:
    """Remove what came from an origin and whatever rested on it alone; return row counts."""
    changes = MentionChanges()
    lost = take_mentions(
        connection, collection, "INDEXED BY mentions_origin", "origin = ?", (origin,), changes
    )
    merging = merged_nodes(connection, collection)
    if merging:
        lost -= _forget_origin(connection, collection, origin, changes)
    before, after = update_nodes(connection, log, collection, changes)
    dead = changes.nodes - after
    gone = merging.members(dead)
    forget_mentions(connection, collection, "node", gone)
    links = MentionChanges()
    unlinked = take_mentions(
        connection,
        collection,
        "INDEXED BY mentions_node",
        f"node {_OF_IDS}",
        (id_list(dead),),
        links,
    )
    log.note(collection, Changed.MENTIONS, links.chunks)

    edges = remove_edges(connection, log, collection, origin=origin, dead_nodes=gone)
    counts = {
        table: connection.execute(
            f"DELETE FROM {table} WHERE collection = ? AND origin = ?",  # noqa: S608
            (collection, origin),
        ).rowcount
        for table in ("claims", "merges", "past_mentions", "past_claims", "past_merges")
    }
    vectors = _drop_node_vectors(connection, log, collection, "origin = ?", (origin,))
    vectors += _drop_node_vectors(connection, log, collection, f"id {_OF_IDS}", (id_list(dead),))
    forget_vectors(connection, collection, gone, origin=None)
    forget_vectors(connection, collection, merging.involved(), origin=origin)
    return {
        "mentions": lost + unlinked,
        **counts,
        **edges,
        "nodes": len(before & dead),
        "node_vectors": vectors,
        "communities": drop_communities_of(connection, collection, merging.members(changes.nodes)),
    }


def retire(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    chunks: Sequence[int],
    at: datetime,
) -> None:
    """Drop what vanished chunks say, and mark the evidence in them retired."""
    gone = id_list(chunks)
    merging = merged_nodes(connection, collection)
    stale = {
        (merging.root(node), origin)
        for where in (collection, aside(collection))
        for node, origin in connection.execute(
            f"SELECT node, origin FROM mentions "  # noqa: S608
            f"WHERE collection = ? AND chunk {_OF_IDS}",
            (where, gone),
        )
    }
    _keep_mentions(connection, collection, gone, merging.involved(), microseconds(at))
    for table in ("claims", "merges"):
        _keep(connection, collection, table, gone, microseconds(at))
    forget_mentions(connection, collection, "chunk", chunks)
    changes = MentionChanges()
    take_mentions(connection, collection, "NOT INDEXED", f"chunk {_OF_IDS}", (gone,), changes)
    _, after = update_nodes(connection, log, collection, changes)
    for table in ("claims", "merges"):
        connection.execute(
            f"DELETE FROM {table} INDEXED BY {table}_chunk "  # noqa: S608
            f"WHERE collection = ? AND chunk {_OF_IDS}",
            (collection, gone),
        )
    retire_statements(connection, log, collection, chunks, microseconds(at))

    dead = changes.nodes - after
    _drop_node_vectors(connection, log, collection, f"id {_OF_IDS}", (id_list(dead),))
    forget_vectors(connection, collection, merging.members(dead), origin=None)
    for node, origin in stale:
        _drop_node_vectors(connection, log, collection, "id = ? AND origin = ?", (node, origin))
        forget_vectors(connection, collection, merging.group(node), origin=origin)
    drop_communities_of(connection, collection, merging.members(changes.nodes))


def _keep_mentions(
    connection: sqlite3.Connection, collection: int, gone: str, involved: Iterable[int], at: int
) -> None:
    """Copy the mentions of vanished chunks to the table of what stood before: of merged nodes and
    their roots those that were written, not what they are read as."""
    columns = rows.KEPT["mentions"]
    for where, nodes in ((collection, id_list(involved)), (aside(collection), "[]")):
        connection.execute(
            f"INSERT INTO past_mentions (collection, {columns}, retired_at) "  # noqa: S608
            f"SELECT ?, {columns}, ? FROM mentions WHERE collection = ? AND chunk {_OF_IDS} "
            "AND node NOT IN (SELECT value FROM json_each(?))",
            (collection, at, where, gone, nodes),
        )


def _keep(connection: sqlite3.Connection, collection: int, table: str, gone: str, at: int) -> None:
    """Copy the rows of vanished chunks to the table of what stood before."""
    columns = rows.KEPT[table]
    connection.execute(
        f"INSERT INTO past_{table} (collection, {columns}, retired_at) "  # noqa: S608
        f"SELECT collection, {columns}, ? FROM {table} WHERE collection = ? AND chunk {_OF_IDS}",
        (at, collection, gone),
    )


def _forget_origin(
    connection: sqlite3.Connection, collection: int, origin: int, changes: MentionChanges
) -> int:
    """Forget what is set aside of an origin, and insert what took its place; return how many."""
    forget_mentions(connection, collection, "origin", (origin,))
    held = connection.execute(
        f"SELECT {rows.MENTION} FROM mentions WHERE collection = ? AND chunk {_OF_IDS}",  # noqa: S608
        (collection, id_list(changes.chunks)),
    )
    there = {_identity(rows.mention_value(row)) for row in held}
    regained = [
        found
        for found in read_mentions(connection, collection, changes.chunks)
        if _identity(found.mention) not in there
    ]
    insert_mentions(connection, collection, regained, changes)
    return len(regained)


def _identity(mention: Mention) -> tuple[object, ...]:
    """Return what makes a mention the same."""
    return mention.chunk, mention.node, mention.key, mention.span, mention.role


def _write_mentions(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    batches: Sequence[GraphBatch],
) -> None:
    fresh = {
        _identity(item.mention): item
        for batch in batches
        if batch.mentions
        for item in read_as(
            connection,
            collection,
            batch.origin,
            rows.time_column(batch.recorded_at),
            batch.mentions,
        )
    }
    if not any(batch.mentions for batch in batches):
        return
    changes = MentionChanges()
    pairs: set[tuple[int, int]] = set()
    known = connection.execute(
        f"SELECT {rows.MENTION} FROM mentions "  # noqa: S608
        f"WHERE collection = ? AND chunk {_OF_IDS}",
        (
            collection,
            id_list({mention.chunk for batch in batches for mention in batch.mentions}),
        ),
    )
    for row in known:
        held = rows.mention_value(row)
        pairs.add((held.chunk, held.node))
        if _identity(held) in fresh:
            changes.add(row, -1)

    edges: dict[tuple[int, int], int] = {}
    written: list[rows.Row] = []
    for item in fresh.values():
        mention = item.mention
        pair = mention.chunk, mention.node
        if pair not in edges:
            edges[pair] = rows.mention_edge(mention)
            changes.new_chunks[mention.node] += pair not in pairs
        row = rows.mention_row(mention)
        changes.add(row, 1)
        written.append((collection, item.recorded_at, item.origin, edges[pair], *row))
    connection.executemany(rows.WRITE_MENTION, written)
    update_nodes(connection, log, collection, changes)


def _write_claims(
    connection: sqlite3.Connection,
    collection: int,
    origin: int,
    claims: Iterable[Claim],
    recorded: int | None,
) -> None:
    connection.executemany(
        f"""INSERT INTO claims (collection, recorded_at, origin, {rows.CLAIM})
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (collection, id) DO UPDATE SET
            origin = excluded.origin, chunk = excluded.chunk, text = excluded.text,
            span_start = excluded.span_start, span_end = excluded.span_end,
            subjects = excluded.subjects, occurred_at = excluded.occurred_at,
            valid_from = excluded.valid_from, valid_to = excluded.valid_to,
            status = excluded.status, confidence = excluded.confidence, {rows.EARLIER}""",  # noqa: S608
        [(collection, recorded, origin, *rows.claim_row(claim)) for claim in claims],
    )


def _write_merges(
    connection: sqlite3.Connection,
    collection: int,
    origin: int,
    merges: Iterable[Merge],
    recorded: int | None,
) -> None:
    connection.executemany(
        f"""INSERT INTO merges (collection, recorded_at, origin, {rows.MERGE})
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (collection, key, node, chunk) DO UPDATE SET
            origin = excluded.origin, score = excluded.score, reason = excluded.reason,
            {rows.EARLIER}""",  # noqa: S608
        [(collection, recorded, origin, *rows.merge_row(merge)) for merge in merges],
    )


def take_mentions(
    connection: sqlite3.Connection,
    collection: int,
    index: str,
    condition: str,
    parameters: tuple[int | str, ...],
    changes: MentionChanges,
) -> int:
    """Delete the mentions that satisfy a condition, count them in `changes`; return how many.

    `index` says how they are found: `INDEXED BY` one, or `NOT INDEXED` for the table's own key.
    """
    taken = connection.execute(
        f"SELECT {rows.MENTION} FROM mentions {index} "  # noqa: S608
        f"WHERE collection = ? AND {condition}",
        (collection, *parameters),
    ).fetchall()
    for row in taken:
        changes.add(row, -1)
    connection.execute(
        f"DELETE FROM mentions {index} WHERE collection = ? AND {condition}",  # noqa: S608
        (collection, *parameters),
    )
    return len(taken)


def _drop_node_vectors(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    condition: str,
    parameters: tuple[int | str, ...],
) -> int:
    dropped = [
        row[0]
        for row in connection.execute(
            f"DELETE FROM node_vectors WHERE collection = ? AND {condition} "  # noqa: S608
            "RETURNING id",
            (collection, *parameters),
        )
    ]
    connection.execute(
        f"UPDATE nodes SET embedded = 0 WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (collection, id_list(dropped)),
    )
    log.note(collection, Changed.NODE, dropped)
    return len(dropped)
