"""From every earlier format of the truth to the present one: numbered steps, one transaction each.

A step reads and writes tables as they were at its time, so it names no table of `schema` that a
later version may change. A process that is killed within a step leaves the format before it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from clew.core.errors import StoreVersionError
from clew.stores.embedded.migration_2 import keep_history
from clew.stores.embedded.schema import APPLICATION_ID, SCHEMA_VERSION, create_tables

Step = Callable[[sqlite3.Connection], None]

STEPS: Mapping[int, Step] = {2: keep_history}
"""The step that leads to each version from the one before; version 1 was the first."""


def ensure_schema(connection: sqlite3.Connection, place: str) -> None:
    """Bring a database to the present format: an empty one gets its tables.

    Several processes may do so at once; one migrates, the others find it done.

    Raises:
        StoreVersionError: a newer Clew wrote the database, or something else did, or it is of an
            older format and cannot be written.
    """
    while (version := stored_version(connection, place)) != SCHEMA_VERSION:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if version and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
                raise _unwritable(place, version) from error
            raise
        try:
            _advance(connection, place)
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if _is_read_only(error) and version:
                raise _unwritable(place, version) from error
            raise


def stored_version(connection: sqlite3.Connection, place: str) -> int:
    """Return the format of a database, 0 for an empty one.

    Raises:
        StoreVersionError: a newer Clew wrote it, or another program did.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if version and application != APPLICATION_ID:
        raise StoreVersionError(f"{place} is a database of another program; choose another path")
    if version > SCHEMA_VERSION:
        raise StoreVersionError(
            f"{place} has store format {version}, this Clew reads up to {SCHEMA_VERSION}: "
            "upgrade Clew (pip install --upgrade clew), or open another path"
        )
    return version


def _advance(connection: sqlite3.Connection, place: str) -> None:
    """Go one step, from the version that stands now that the write lock is held."""
    version = stored_version(connection, place)
    if version == SCHEMA_VERSION:
        return
    if version == 0:
        create_tables(connection)
        reached = SCHEMA_VERSION
    else:
        reached = version + 1
        STEPS[reached](connection)
    connection.execute(f"PRAGMA user_version = {reached}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _is_read_only(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_READONLY


def _unwritable(place: str, version: int) -> StoreVersionError:
    return StoreVersionError(
        f"{place} has store format {version}, this Clew works with {SCHEMA_VERSION}, and the store "
        "is read-only; nothing was changed: make it writable and open it once, or copy it to a "
        "folder that is"
    )
