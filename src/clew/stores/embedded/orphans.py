"""Rows that lead nowhere: each kind with the query that counts it and, where it may go, a mend."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from clew.core.health import Finding, Severity


@dataclass(frozen=True, slots=True)
class OrphanKind:
    """Rows of `table` for which `condition` holds, seen from the alias `t`.

    `derived` rows follow from others and may be removed.
    """

    table: str
    condition: str
    problem: str
    derived: bool = True


def _missing(table: str, *pairs: str) -> str:
    on = " AND ".join(f"o.{pair.split('=')[0]} = t.{pair.split('=')[1]}" for pair in pairs)
    return (
        f"NOT EXISTS (SELECT 1 FROM {table} o "  # noqa: S608
        f"WHERE o.collection = t.collection AND {on})"
    )


_PRESENT = "t.collection > 0"
"""Rows of merged nodes stand aside under negative numbers; what they are read as is looked at."""

_COLLECTION = "NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = t.collection)"

KINDS = (
    OrphanKind("chunk_vectors", _missing("chunks", "id=id"), "vectors of chunks that are gone"),
    OrphanKind("node_vectors", _missing("nodes", "id=id"), "vectors of nodes that are gone"),
    OrphanKind(
        "memberships",
        f"{_missing('communities', 'id=community')}",
        "members of communities that are gone",
    ),
    OrphanKind("edges", _missing("statements", "edge=id"), "edges that nothing states"),
    OrphanKind(
        "past_documents",
        _missing("documents", "source=source"),
        "versions of documents that are gone",
    ),
    OrphanKind(
        "past_chunks", _missing("documents", "source=source"), "past chunks of documents gone"
    ),
    OrphanKind("changes", _COLLECTION, "changes of collections that are gone"),
    OrphanKind(
        "chunks", _missing("documents", "id=document"), "chunks without document", derived=False
    ),
    OrphanKind(
        "mentions",
        _missing("chunks", "id=chunk"),
        "mentions in chunks that are gone",
        derived=False,
    ),
    OrphanKind(
        "statements",
        f"t.chunk >= 0 AND t.retired_at IS NULL AND {_missing('chunks', 'id=chunk')}",
        "evidence in chunks that are gone",
        derived=False,
    ),
    OrphanKind(
        "statements",
        _missing("edges", "id=edge"),
        "statements of edges that are gone",
        derived=False,
    ),
    OrphanKind(
        "claims", _missing("chunks", "id=chunk"), "claims in chunks that are gone", derived=False
    ),
    OrphanKind(
        "merges", _missing("chunks", "id=chunk"), "merges for chunks that are gone", derived=False
    ),
)


def orphans(connection: sqlite3.Connection) -> list[Finding]:
    """Return one finding for each kind of orphan that there is."""
    found: list[Finding] = []
    for kind in KINDS:
        count = connection.execute(
            f"SELECT count(*) FROM {kind.table} t WHERE {_PRESENT} AND {kind.condition}"  # noqa: S608
        ).fetchone()[0]
        if count:
            remedy = (
                "clew doctor --repair removes them"
                if kind.derived
                else "restore a backup, or remove and add the documents again"
            )
            severity = Severity.WARNING if kind.derived else Severity.ERROR
            found.append(Finding(severity, kind.table, f"{count} {kind.problem}", remedy))
    return found


def remove_orphans(connection: sqlite3.Connection) -> int:
    """Remove the derived rows that lead nowhere; return how many."""
    return sum(
        connection.execute(
            f"DELETE FROM {kind.table} AS t WHERE {_PRESENT} AND {kind.condition}"  # noqa: S608
        ).rowcount
        for kind in KINDS
        if kind.derived
    )
