"""Edges and the statements they rest on. Each call stands in a transaction."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from clew.core.documents import Span
from clew.core.errors import StoreError
from clew.core.ids import format_id
from clew.core.knowledge import Edge, Statement
from clew.stores.aggregate import (
    aggregate_edge,
    merged_head,
    standing_successor,
    statements_of,
)
from clew.stores.embedded import rows
from clew.stores.embedded.changes import Changed, ChangeLog
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.merging import edges_read_as, forget_ends


class _Known(NamedTuple):
    """An edge of the truth: what was written of it, and what follows from its statements."""

    head: Edge
    edge: Edge


_OF_IDS = "IN (SELECT value FROM json_each(?))"


def write_edges(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    stated_by: Sequence[tuple[int, Edge]],
) -> None:
    """Add the statements of edges, each with its origin, and bring the edges up to date.

    Raises:
        StoreError: an edge that nobody has stated comes without evidence.
    """
    edges = edges_read_as(connection, collection, [edge for _, edge in stated_by])
    known = _known(connection, collection, {edge.id for edge in edges})
    heads = {identifier: held.head for identifier, held in known.items()}
    statements: dict[rows.Row, Statement] = {}
    for (origin, _), edge in zip(stated_by, edges, strict=True):
        stated = statements_of(edge, origin)
        if not stated and edge.id not in heads:
            raise StoreError(
                f"edge {format_id(edge.id)} ({edge.relation!r}) has no evidence; "
                "give a span that states it, or write it as inferred or assumed"
            )
        heads[edge.id] = merged_head(heads.get(edge.id), edge)
        for statement in stated:
            statements[rows.statement_row(statement)[:5]] = statement
    whole = _to_be_read(connection, collection, known, list(statements.values()))
    _keep_retired(connection, collection, [row for row in statements if row[0] in known])
    connection.executemany(
        f"""INSERT INTO statements (collection, {rows.STATEMENT})
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (collection, edge, chunk, span_start, span_end, word) DO UPDATE SET
            origin = excluded.origin, confidence = excluded.confidence,
            standing = excluded.standing, retired_at = excluded.retired_at, recorded_at =
                CASE WHEN retired_at IS NULL THEN min(recorded_at, excluded.recorded_at)
                ELSE excluded.recorded_at END""",  # noqa: S608
        [(collection, *rows.statement_row(statement)) for statement in statements.values()],
    )
    grouped = _statements(connection, collection, whole)
    for identifier, held in known.items():
        if identifier not in whole and held.edge.retired_at is None:
            grouped[identifier].append(_summary(held.edge))
    for statement in statements.values():
        if statement.edge not in whole:
            grouped[statement.edge].append(statement)
    _write_aggregates(connection, log, collection, heads, grouped)


def write_statements(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    edges: Sequence[Edge],
    statements: Sequence[Statement],
) -> None:
    """Add statements as they are, and bring their edges up to date.

    Raises:
        StoreError: a statement's edge is neither known nor among `edges`.
    """
    edges = edges_read_as(connection, collection, edges)
    wanted = {edge.id for edge in edges} | {statement.edge for statement in statements}
    known = _known(connection, collection, wanted)
    heads = {identifier: held.head for identifier, held in known.items()}
    for edge in edges:
        heads[edge.id] = merged_head(heads.get(edge.id), edge)
    for missing in sorted(wanted - heads.keys()):
        raise StoreError(f"a statement names the unknown edge {format_id(missing)}")
    connection.executemany(
        f"INSERT OR REPLACE INTO statements (collection, {rows.STATEMENT}) "  # noqa: S608
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(collection, *rows.statement_row(statement)) for statement in statements],
    )
    grouped = _statements(connection, collection, wanted)
    _write_aggregates(connection, log, collection, heads, grouped)


def restate(
    connection: sqlite3.Connection, log: ChangeLog, collection: int, edges: Iterable[int]
) -> None:
    """Bring edges up to date after their statements changed."""
    wanted = set(edges)
    known = _known(connection, collection, wanted)
    heads = {identifier: held.head for identifier, held in known.items()}
    _write_aggregates(
        connection, log, collection, heads, _statements(connection, collection, wanted)
    )


def remove_edges(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    *,
    origin: int,
    dead_nodes: set[int],
) -> Mapping[str, int]:
    """Remove the statements of an origin, the edges that lost their last one, and all edges of
    dead nodes; bring the others up to date. Return how many rows were removed."""
    stated = _column(
        connection,
        "SELECT DISTINCT edge FROM statements WHERE collection = ? AND origin = ?",
        (collection, origin),
    )
    dead = id_list(dead_nodes)
    severed = {
        identifier
        for column in ("source", "target")
        for identifier in _column(
            connection,
            f"SELECT id FROM edges WHERE collection = ? AND {column} {_OF_IDS}",  # noqa: S608
            (collection, dead),
        )
    }
    successors = _superseded_by(connection, collection, stated | severed)
    in_force = _in_force(connection, collection, stated | severed)
    counts = {
        table: _deleted(connection, table, "origin = ?", (collection, origin))
        for table in ("statements", "past_statements")
    }
    kept = _column(
        connection,
        f"SELECT DISTINCT edge FROM statements WHERE collection = ? AND edge {_OF_IDS}",  # noqa: S608
        (collection, id_list(stated)),
    )
    removed = (stated - kept) | severed
    # Their ends cannot be read once they are gone, and their degrees change.
    log.note(collection, Changed.NODE, ends_of(connection, collection, removed))
    for table in counts:
        counts[table] += _deleted(
            connection, table, f"edge {_OF_IDS}", (collection, id_list(removed))
        )
    _deleted(connection, "edges", f"id {_OF_IDS}", (collection, id_list(removed)))
    forget_ends(connection, collection, removed)
    log.note(collection, Changed.EDGE, removed)
    restate(connection, log, collection, kept - removed)
    lost = in_force - _in_force(connection, collection, kept - removed)
    _pass_on(connection, log, collection, {edge: successors.get(edge) for edge in lost})
    return {"edges": len(removed), **counts}


def retire_statements(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    chunks: Sequence[int],
    at: int,
) -> None:
    """Mark what vanished chunks state retired, and bring its edges up to date."""
    gone = id_list(chunks)
    touched = _column(
        connection,
        f"SELECT edge FROM statements INDEXED BY statements_chunk "  # noqa: S608
        f"WHERE collection = ? AND chunk {_OF_IDS} AND retired_at IS NULL",
        (collection, gone),
    )
    connection.execute(
        f"UPDATE statements INDEXED BY statements_chunk SET retired_at = ? "  # noqa: S608
        f"WHERE collection = ? AND chunk {_OF_IDS} AND retired_at IS NULL",
        (at, collection, gone),
    )
    restate(connection, log, collection, touched)
    lost = touched - _in_force(connection, collection, touched)
    successors = _superseded_by(connection, collection, lost)
    _pass_on(connection, log, collection, {edge: successors.get(edge) for edge in lost})


def ends_of(connection: sqlite3.Connection, collection: int, edges: Iterable[int]) -> set[int]:
    """Return the nodes at both ends of edges."""
    cursor = connection.execute(
        f"SELECT source, target FROM edges WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (collection, id_list(edges)),
    )
    return {end for row in cursor for end in row}


def _pass_on(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    successors: Mapping[int, int | None],
) -> None:
    """Free what edges superseded that have lost their evidence: it passes to what superseded them
    (`successors`), or is in force again."""
    waiting = connection.execute(
        "SELECT id, superseded_by FROM edges INDEXED BY edges_superseded "  # noqa: S608
        f"WHERE collection = ? AND superseded_by {_OF_IDS}",
        (collection, id_list(successors)),
    ).fetchall()
    connection.executemany(
        "UPDATE edges SET superseded_by = ?1, "
        "superseded_at = CASE WHEN ?1 IS NULL THEN NULL ELSE superseded_at END "
        "WHERE collection = ?2 AND id = ?3",
        [
            (standing_successor(edge, superseded_by, successors), collection, edge)
            for edge, superseded_by in waiting
        ],
    )
    restate(connection, log, collection, {edge for edge, _ in waiting})


def _keep_retired(
    connection: sqlite3.Connection, collection: int, keys: Sequence[rows.Row]
) -> None:
    """Keep retired statements that are about to be stated again."""
    connection.executemany(
        f"INSERT INTO past_statements (collection, {rows.STATEMENT}) "  # noqa: S608
        f"SELECT collection, {rows.STATEMENT} FROM statements WHERE collection = ? AND edge = ? "
        "AND chunk = ? AND span_start = ? AND span_end = ? AND word = ? "
        "AND retired_at IS NOT NULL",
        [(collection, *key) for key in keys],
    )


def _in_force(connection: sqlite3.Connection, collection: int, edges: Iterable[int]) -> set[int]:
    return _column(
        connection,
        "SELECT DISTINCT edge FROM statements "  # noqa: S608
        f"WHERE collection = ? AND edge {_OF_IDS} AND retired_at IS NULL",
        (collection, id_list(edges)),
    )


def _superseded_by(
    connection: sqlite3.Connection, collection: int, edges: Iterable[int]
) -> dict[int, int | None]:
    cursor = connection.execute(
        f"SELECT id, superseded_by FROM edges WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (collection, id_list(edges)),
    )
    return dict(cursor.fetchall())


def _column(
    connection: sqlite3.Connection, statement: str, parameters: tuple[int | str, ...]
) -> set[int]:
    return {row[0] for row in connection.execute(statement, parameters)}


def _deleted(
    connection: sqlite3.Connection,
    table: str,
    condition: str,
    parameters: tuple[int | str, ...],
) -> int:
    return connection.execute(
        f"DELETE FROM {table} WHERE collection = ? AND {condition}",  # noqa: S608
        parameters,
    ).rowcount


def _known(
    connection: sqlite3.Connection, collection: int, edges: Iterable[int]
) -> dict[int, _Known]:
    cursor = connection.execute(
        f"SELECT {rows.EDGE} FROM edges WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (collection, id_list(edges)),
    )
    return {row[0]: _Known(rows.edge_head(row), rows.edge_value(row)) for row in cursor}


def _to_be_read(
    connection: sqlite3.Connection,
    collection: int,
    known: Mapping[int, _Known],
    fresh: Sequence[Statement],
) -> set[int]:
    """Return the known edges whose every statement must be read to bring them up to date.

    Statements that are only added can but raise what an edge has: the thousand earlier ones of a
    common edge need no second look. It is otherwise where one is overwritten, where the edge was
    superseded, and for words.
    """
    repeated = {
        row[0]
        for row in connection.execute(
            f"SELECT edge FROM statements INDEXED BY statements_chunk "  # noqa: S608
            f"WHERE collection = ? AND chunk {_OF_IDS}",
            (collection, id_list({row.chunk for row in fresh if row.chunk is not None})),
        )
    }
    added = {row.edge for row in fresh} - {row.edge for row in fresh if row.chunk is None}
    return {
        identifier
        for identifier, held in known.items()
        if identifier in repeated or identifier not in added or held.head.retired_at is not None
    }


def _summary(edge: Edge) -> Statement:
    """Return one statement that stands for all that are in force; its origin plays no part."""
    return Statement(edge.id, 0, None, Span(0, 0), edge.confidence, edge.standing)


def _statements(
    connection: sqlite3.Connection, collection: int, edges: Iterable[int]
) -> dict[int, list[Statement]]:
    grouped: dict[int, list[Statement]] = defaultdict(list)
    cursor = connection.execute(
        f"SELECT {rows.STATEMENT} FROM statements "  # noqa: S608
        f"WHERE collection = ? AND edge {_OF_IDS}",
        (collection, id_list(edges)),
    )
    for row in cursor:
        grouped[row[0]].append(rows.statement_value(row))
    return grouped


def _write_aggregates(
    connection: sqlite3.Connection,
    log: ChangeLog,
    collection: int,
    heads: dict[int, Edge],
    statements: dict[int, list[Statement]],
) -> None:
    written: list[rows.Row] = []
    for identifier, head in heads.items():
        edge = aggregate_edge(head, statements[identifier])
        if edge is not None:
            written.append((collection, *rows.edge_row(head, edge)))
    connection.executemany(
        f"""INSERT INTO edges (collection, {rows.EDGE})
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (collection, id) DO UPDATE SET
            source = excluded.source, target = excluded.target, kind = excluded.kind,
            relation = excluded.relation, confidence = excluded.confidence,
            standing = excluded.standing, negated = excluded.negated,
            occurred_at = excluded.occurred_at, valid_from = excluded.valid_from,
            valid_to = excluded.valid_to, recorded_at = excluded.recorded_at,
            retired_at = excluded.retired_at, superseded_by = excluded.superseded_by,
            superseded_at = excluded.superseded_at""",  # noqa: S608
        written,
    )
    log.note(collection, Changed.EDGE, heads)
