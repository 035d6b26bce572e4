"""Writes the fixture of the present store format: what a later format must be able to open.

    python -m tests.stores.store_fixture

Run it once, before a change of the format, and keep the file: it is what a user of that version
has on the disk. `test_migrations` opens every one of them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from clew.core.ports import Store
from clew.settings.model import Settings
from clew.stores.embedded.schema import SCHEMA_VERSION
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.stand_ins import open_clew

FIXTURES = Path(__file__).parent / "fixtures"
FIRST = datetime(2024, 1, 1, tzinfo=UTC)
SECOND = datetime(2025, 1, 1, tzinfo=UTC)
THIRD = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = Settings.model_validate({"chunking": {"size": 80, "overlap": 10}})

PORT = {
    "source": "port",
    "title": "Porto Harbour",
    "text": "Ada Moreau leads Porto Harbour. Beta Labs supplies Porto Harbour from Lisbon.",
}
PORT_LATER = {
    **PORT,
    "text": "Ada Moreau leads Porto Harbour. Gamma Partners supplies Delta Works.",
}
RAIL = {
    "source": "rail",
    "title": "Epsilon Rail",
    "text": "Bob Singh leads Epsilon Rail. Epsilon Rail sued Beta Labs in Lisbon.",
}
NOTES = {"source": "notes", "text": "Cleo Tanaka lives in Ghent. Cleo Tanaka sued Epsilon Rail."}


def fill(store: Store) -> None:
    """Write three documents, change one of them, and remove another."""
    for moment, documents in ((FIRST, [PORT, RAIL]), (SECOND, [PORT_LATER]), (THIRD, [NOTES])):
        open_clew(store, settings=SETTINGS, clock=partial(_always, moment)).add(documents)
    clew = open_clew(store, settings=SETTINGS, clock=lambda: THIRD)
    clew.add([{"source": "gone", "text": "Zeta Mills left Turku."}])
    clew.remove("gone")


def _always(moment: datetime) -> datetime:
    return moment


def fixture_path(version: int) -> Path:
    """Return where the store of a version is kept."""
    return FIXTURES / f"store_version_{version}.sql"


def write_fixture() -> Path:
    """Write the statements that make the database of a small store; return the file."""
    with TemporaryDirectory() as folder:
        store = EmbeddedStore(Path(folder) / "kb.clew")
        fill(store)
        store.close()
        with closing(sqlite3.connect(Path(folder) / "kb.clew" / "clew.db")) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            lines = [
                f"PRAGMA user_version = {SCHEMA_VERSION};",
                f"PRAGMA application_id = {application};",
                *connection.iterdump(),
            ]
    path = fixture_path(SCHEMA_VERSION)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    write_fixture()
