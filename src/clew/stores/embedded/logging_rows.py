"""Outcomes, profiles, jobs, facts and the list of collections."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from clew.core.jobs import Job, JobState
from clew.core.learning import Outcome, Profile
from clew.core.query import RetrievalMode
from clew.stores.embedded.changes import NOWHERE
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.merging import FACT, aside
from clew.stores.embedded.schema import COLLECTION_TABLES
from clew.stores.times import from_microseconds, microseconds


def collection_id(connection: sqlite3.Connection, name: str) -> int:
    """Return the id of a collection, `NOWHERE` if it was never written."""
    row = connection.execute("SELECT id FROM collections WHERE name = ?", (name,)).fetchone()
    return NOWHERE if row is None else int(row[0])


def created_collection(connection: sqlite3.Connection, name: str) -> int:
    """Return the id of a collection, which is created if it was never written."""
    connection.execute("INSERT OR IGNORE INTO collections (name) VALUES (?)", (name,))
    return collection_id(connection, name)


def documents_of_chunks(
    connection: sqlite3.Connection, collection: int, ids: Sequence[int]
) -> set[int]:
    """Return the documents that hold `ids`."""
    cursor = connection.execute(
        "SELECT document FROM chunks "
        "WHERE collection = ? AND id IN (SELECT value FROM json_each(?))",
        (collection, id_list(ids)),
    )
    return {row[0] for row in cursor}


def collections(connection: sqlite3.Connection) -> list[str]:
    """Return the names of collections in order."""
    return sorted(row[0] for row in connection.execute("SELECT name FROM collections"))


def drop(connection: sqlite3.Connection, collection: int) -> None:
    """Remove every row of a collection."""
    for table in COLLECTION_TABLES:
        connection.execute(
            f"DELETE FROM {table} WHERE collection IN (?, ?)",  # noqa: S608
            (collection, aside(collection)),
        )
    connection.execute("DELETE FROM collections WHERE id = ?", (collection,))


def facts(connection: sqlite3.Connection, collection: int) -> Mapping[str, str]:
    """Return all facts by name."""
    cursor = connection.execute(
        "SELECT name, value FROM facts WHERE collection = ? AND name <> ?", (collection, FACT)
    )
    return dict(cursor.fetchall())


def set_fact(connection: sqlite3.Connection, collection: int, name: str, value: str) -> None:
    """Set one fact."""
    connection.execute(
        "INSERT OR REPLACE INTO facts (collection, name, value) VALUES (?, ?, ?)",
        (collection, name, value),
    )


def record_outcome(connection: sqlite3.Connection, collection: int, outcome: Outcome) -> None:
    """Keep an outcome; one with the same id is replaced."""
    connection.execute(
        "INSERT OR REPLACE INTO outcomes (collection, id, question, query_type, mode, "
        "contributions, feedback_score, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            collection,
            outcome.id,
            outcome.question,
            outcome.query_type,
            outcome.mode.value,
            json.dumps(dict(outcome.contributions)),
            outcome.feedback_score,
            microseconds(outcome.recorded_at),
        ),
    )


def outcomes(
    connection: sqlite3.Connection, collection: int, *, since: datetime | None
) -> list[Outcome]:
    """Return outcomes recorded at or after `since`, oldest first."""
    condition = "" if since is None else " AND recorded_at >= ?"
    cursor = connection.execute(
        "SELECT id, question, query_type, mode, contributions, feedback_score, recorded_at "  # noqa: S608
        f"FROM outcomes WHERE collection = ?{condition} ORDER BY recorded_at, id",
        (collection,) if since is None else (collection, microseconds(since)),
    )
    return [
        Outcome(
            id=identifier,
            question=question,
            query_type=query_type,
            mode=RetrievalMode(mode),
            contributions=json.loads(contributions),
            feedback_score=score,
            recorded_at=from_microseconds(recorded_at),
        )
        for identifier, question, query_type, mode, contributions, score, recorded_at in cursor
    ]


def save_profile(connection: sqlite3.Connection, collection: int, profile: Profile) -> None:
    """Keep a profile under its name."""
    connection.execute(
        "INSERT OR REPLACE INTO profiles (collection, name, parameters, metrics, created_at) "
        "VALUES (?, ?, ?, ?, ?)",
        (
            collection,
            profile.name,
            json.dumps(dict(profile.parameters)),
            json.dumps(dict(profile.metrics)),
            microseconds(profile.created_at),
        ),
    )


def profiles(connection: sqlite3.Connection, collection: int) -> list[Profile]:
    """Return profiles by name."""
    cursor = connection.execute(
        "SELECT name, parameters, metrics, created_at FROM profiles WHERE collection = ? "
        "ORDER BY name",
        (collection,),
    )
    return [
        Profile(name, json.loads(parameters), json.loads(metrics), from_microseconds(created_at))
        for name, parameters, metrics, created_at in cursor
    ]


def save_job(connection: sqlite3.Connection, collection: int, job: Job) -> None:
    """Keep the latest state of a job."""
    connection.execute(
        "INSERT OR REPLACE INTO jobs (collection, id, kind, state, created_at, updated_at, done, "
        "total, detail, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            collection,
            job.id,
            job.kind,
            job.state.value,
            microseconds(job.created_at),
            microseconds(job.updated_at),
            job.done,
            job.total,
            json.dumps(dict(job.detail), ensure_ascii=False),
            job.error,
        ),
    )


def jobs(connection: sqlite3.Connection, collection: int) -> list[Job]:
    """Return jobs by creation, oldest first."""
    cursor = connection.execute(
        "SELECT id, kind, state, created_at, updated_at, done, total, detail, error "
        "FROM jobs WHERE collection = ? ORDER BY created_at, id",
        (collection,),
    )
    return [
        Job(
            id=identifier,
            kind=kind,
            state=JobState(state),
            created_at=from_microseconds(created_at),
            updated_at=from_microseconds(updated_at),
            done=done,
            total=total,
            detail=json.loads(detail),
            error=error,
        )
        for identifier, kind, state, created_at, updated_at, done, total, detail, error in cursor
    ]
