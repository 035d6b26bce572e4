"""Kept answers of language models and the ledger of their cost: a small SQLite file of its own.

It lies beside the truth (`NAME.clew/responses.db`) and is no part of it: without it nothing is
wrong, and what is asked again is paid again. A backup leaves it out.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from clew.core.errors import StoreError, StoreVersionError
from clew.core.model_calls import JsonObject, ModelRequest
from clew.core.usage import LedgerEntry, TokenUsage
from clew.stores.embedded.connection import store_errors

FILE_NAME = "responses.db"
_VERSION = 1
_BUSY_SECONDS = 30.0
_AT_ONCE = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (
    collection TEXT NOT NULL, key TEXT NOT NULL, stage TEXT NOT NULL, subject TEXT NOT NULL,
    model TEXT NOT NULL, prompt_version TEXT NOT NULL, answer TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    PRIMARY KEY (collection, key)
);
CREATE INDEX IF NOT EXISTS responses_by_subject ON responses (collection, subject);
CREATE TABLE IF NOT EXISTS ledger (
    collection TEXT NOT NULL, stage TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL, answer_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL,
    reused INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (collection, stage, model)
);
"""


def open_beside(folder: Path | None) -> ResponseFile:
    """Return the responses of the store in `folder`, in memory for a store without one."""
    return ResponseFile(None if folder is None else folder / FILE_NAME)


class ResponseFile:
    """Implements `Responses`. The file is made by the first write.

    Args:
        path: the file; None keeps everything in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    def get(self, collection: str, key: str) -> JsonObject | None:
        """Return a kept answer; None where there is none, or it cannot be read."""
        with self._reading() as connection:
            if connection is None:
                return None
            row = connection.execute(
                "SELECT answer FROM responses WHERE collection = ? AND key = ?", (collection, key)
            ).fetchone()
        if row is None:
            return None
        found: object = json.loads(row[0])
        return found if isinstance(found, dict) else None

    def put(
        self, collection: str, request: ModelRequest, *, model: str, answer: JsonObject
    ) -> None:
        """Keep an answer; it is on disk when this returns.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    collection,
                    request.key(model),
                    request.stage,
                    request.subject,
                    model,
                    request.prompt_version,
                    json.dumps(answer, ensure_ascii=True),
                    datetime.now(UTC).isoformat(),
                ),
            )

    def forget(self, collection: str, subjects: Sequence[str]) -> int:
        """Erase the answers about some texts; return how many there were."""
        wanted = sorted(set(subjects))
        if not wanted or not self._exists():
            return 0
        removed = 0
        with self._writing() as connection:
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(part))
                removed += connection.execute(
                    f"DELETE FROM responses WHERE collection = ? AND subject IN ({marks})",  # noqa: S608
                    (collection, *part),
                ).rowcount
        return removed

    def forget_stage(self, collection: str, stage: str) -> int:
        """Erase the answers of a stage; return how many there were."""
        if not self._exists():
            return 0
        with self._writing() as connection:
            return connection.execute(
                "DELETE FROM responses WHERE collection = ? AND stage = ?", (collection, stage)
            ).rowcount

    def charge(
        self,
        collection: str,
        *,
        stage: str,
        model: str,
        usage: TokenUsage,
        reused: int = 0,
        cost: float = 0.0,
    ) -> None:
        """Add to the ledger."""
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (collection, stage, model) DO UPDATE SET "
                "calls = calls + excluded.calls, "
                "prompt_tokens = prompt_tokens + excluded.prompt_tokens, "
                "answer_tokens = answer_tokens + excluded.answer_tokens, "
                "estimated = estimated + excluded.estimated, "
                "reused = reused + excluded.reused, cost = cost + excluded.cost",
                (
                    collection,
                    stage,
                    model,
                    usage.calls,
                    usage.prompt_tokens,
                    usage.answer_tokens,
                    usage.estimated,
                    reused,
                    cost,
                ),
            )

    def ledger(self, collection: str) -> list[LedgerEntry]:
        """Return the ledger, by stage and model."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT stage, model, calls, prompt_tokens, answer_tokens, estimated, reused, cost "
                "FROM ledger WHERE collection = ? ORDER BY stage, model",
                (collection,),
            ).fetchall()
        return [
            LedgerEntry(stage, model, TokenUsage(*counts), reused, cost)
            for stage, model, *counts, reused, cost in rows
        ]

    def drop(self, collection: str) -> None:
        """Erase all of a collection."""
        if not self._exists():
            return
        with self._writing() as connection:
            connection.execute("DELETE FROM responses WHERE collection = ?", (collection,))
            connection.execute("DELETE FROM ledger WHERE collection = ?", (collection,))

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _exists(self) -> bool:
        with self._lock:
            return self._connection is not None or (self._path is not None and self._path.exists())

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Lend the connection, None where nothing was ever written."""
        with self._lock, store_errors(self._path):
            yield self._open() if self._exists() else None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, store_errors(self._path):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        if self._closed:
            raise StoreError(f"{self._path}: it has been closed; open the store again")
        connection = sqlite3.connect(
            self._path or ":memory:",
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > _VERSION:
                raise StoreVersionError(
                    f"{self._path} was written by a newer Clew (format {version}); upgrade, or "
                    "delete the file: answers of models are then paid again"
                )
            # What was paid for survives a power cut; erased text does not linger in free pages.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.executescript(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection
