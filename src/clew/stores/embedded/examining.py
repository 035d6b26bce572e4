"""The examination of an embedded store: truth, derived files, vectors, stages and files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from clew.core.documents import Stage
from clew.core.health import Finding, Severity
from clew.stores.embedded.codes import STAGE_CODES
from clew.stores.embedded.columns import batches
from clew.stores.embedded.compaction import Pointer, read_pointers
from clew.stores.embedded.orphans import orphans, remove_orphans
from clew.stores.embedded.recomputing import differing_rows, recompute
from clew.stores.embedded.session import Session

_SAMPLE = 2_000
_LOG_BYTES = 256 << 20
_UNIT = 1e-3
_EMBEDDED = STAGE_CODES[Stage.EMBEDDED]
_VECTORS = (("chunk_vectors", "vector"), ("node_vectors", "name"), ("node_vectors", "search"))
_REBUILD = "clew doctor --repair builds it again from the truth"


def examine(session: Session, *, full: bool) -> list[Finding]:
    """Return what is wrong with a store, collection by collection.

    Without `full`, nodes, edges and vectors are compared by a sample.
    """
    found = list(_truth(session))
    if any(finding.severity is Severity.ERROR for finding in found):
        return found
    with session.database.read_snapshot() as connection:
        pointers = read_pointers(connection)
        found += orphans(connection)
        for name, pointer in pointers.items():
            found += differing_rows(connection, pointer.collection, name, full=full)
            found += _vectors(connection, pointer.collection, name, full=full)
            found += _stages(connection, pointer.collection, name)
    for name, pointer in pointers.items():
        found += _indexes(session, name, pointer)
    return [*found, *_files(session.path)]


def mend(session: Session) -> list[str]:
    """Compute again whatever follows from the truth, and build the indexes anew; say what."""
    with session.database.transaction() as connection:
        pointers = read_pointers(connection)
        unset = 0
        for pointer in pointers.values():
            recompute(connection, session.log, pointer.collection)
            unset += _unset_stages(connection, pointer.collection)
        # Last, since a node that was lost comes back above, and finds its vectors.
        removed = remove_orphans(connection)
    for name in pointers:
        session.compactor.rebuild(name)
    session.compactor.sweep()
    done = [f"nodes, edges and indexes of {len(pointers)} collections computed again"]
    if removed:
        done.append(f"{removed} rows that led nowhere removed")
    if unset:
        done.append(f"{unset} chunks without vector set back: `clew add` without paths embeds them")
    return done


def _truth(session: Session) -> Iterator[Finding]:
    with session.database.read() as connection:
        for (line,) in connection.execute("PRAGMA integrity_check"):
            if line != "ok":
                remedy = "restore a backup: clew restore BACKUP STORE --overwrite"
                yield Finding(Severity.ERROR, "clew.db", line, remedy)


def _vectors(
    connection: sqlite3.Connection, collection: int, name: str, *, full: bool
) -> Iterator[Finding]:
    for table, column in _VECTORS:
        total = connection.execute(
            f"SELECT count(*) FROM {table} WHERE collection = ?",  # noqa: S608
            (collection,),
        ).fetchone()[0]
        step = 1 if full else max(1, total // _SAMPLE)
        cursor = connection.execute(
            f"SELECT {column} FROM {table} WHERE collection = ? AND rowid % ? = 0",  # noqa: S608
            (collection, step),
        )
        lengths: set[int] = set()
        bad = 0
        for rows in batches(cursor):
            lengths |= {len(blob) for (blob,) in rows}
            bad += sum(not _is_unit_or_zero(blob) for (blob,) in rows)
        place = f"{table}.{column} of {name!r}"
        remedy = "restore a backup, or remove and add the documents again"
        if len(lengths) > 1:
            widths = ", ".join(str(length // 4) for length in sorted(lengths))
            yield Finding(Severity.ERROR, place, f"vectors of {widths} dimensions", remedy)
        if bad:
            problem = f"{bad} vectors are not finite or not of length 1"
            yield Finding(Severity.ERROR, place, problem, remedy)


def _is_unit_or_zero(blob: bytes) -> bool:
    if len(blob) % 4:
        return False
    vector = np.frombuffer(blob, np.float32)
    length = float(np.linalg.norm(vector))
    return bool(np.isfinite(length)) and (abs(length - 1) < _UNIT or length == 0)


_STAGED_WITHOUT_VECTOR = """collection = ? AND stage >= ? AND NOT EXISTS
    (SELECT 1 FROM chunk_vectors v WHERE v.collection = chunks.collection AND v.id = chunks.id)"""


def _stages(connection: sqlite3.Connection, collection: int, name: str) -> Iterator[Finding]:
    place = f"chunks of {name!r}"
    count = connection.execute(
        f"SELECT count(*) FROM chunks WHERE {_STAGED_WITHOUT_VECTOR}",  # noqa: S608
        (collection, _EMBEDDED),
    ).fetchone()[0]
    if count:
        problem = f"{count} chunks count as embedded and have no vector"
        remedy = "clew doctor --repair, then `clew add` without paths"
        yield Finding(Severity.ERROR, place, problem, remedy)
    unfinished = connection.execute(
        "SELECT count(*) FROM chunks WHERE collection = ? AND stage < ?",
        (collection, max(STAGE_CODES.values())),
    ).fetchone()[0]
    if unfinished:
        problem = f"{unfinished} chunks are unfinished"
        yield Finding(Severity.WARNING, place, problem, "`clew add` without paths finishes them")


def _unset_stages(connection: sqlite3.Connection, collection: int) -> int:
    return connection.execute(
        f"UPDATE chunks SET stage = ? WHERE {_STAGED_WITHOUT_VECTOR}",  # noqa: S608
        (min(STAGE_CODES.values()), collection, _EMBEDDED),
    ).rowcount


def _indexes(session: Session, name: str, pointer: Pointer) -> Iterator[Finding]:
    place = f"index of {name!r}"
    damaged = session.compactor.damaged(pointer)
    for file in damaged:
        yield Finding(Severity.ERROR, place, f"{file} is missing or damaged", _REBUILD)
    if damaged:
        return
    expected, held = session.derived_counts(name)
    for table, count in expected.items():
        if held[table] != count:
            problem = f"{held[table]} {table}, and the truth has {count}"
            yield Finding(Severity.ERROR, place, problem, _REBUILD)


def _files(folder: Path) -> Iterator[Finding]:
    log = folder / "clew.db-wal"
    size = log.stat().st_size if log.exists() else 0
    if size > _LOG_BYTES:
        problem = f"the write-ahead log has {size >> 20} MB"
        remedy = "close programs that read for long; the next write folds it in"
        yield Finding(Severity.WARNING, log.name, problem, remedy)
    with closing(sqlite3.connect(folder / "clew.db", timeout=0, isolation_level=None)) as probe:
        try:
            probe.execute("BEGIN IMMEDIATE")
            probe.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            remedy = "nothing, if a `clew add` is running; else make the folder writable"
            yield Finding(Severity.NOTE, "clew.db", f"it cannot be written now: {error}", remedy)
