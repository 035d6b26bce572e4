"""A store of every earlier format opens, is brought to the present one, and answers the same."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from clew.core.errors import StoreVersionError
from clew.stores.embedded import migrations
from clew.stores.embedded.migrations import STEPS, ensure_schema
from clew.stores.embedded.schema import SCHEMA_VERSION
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.dump import dump
from tests.engine.stand_ins import open_clew
from tests.stores.store_fixture import FIRST, SECOND, SETTINGS, fill, fixture_path

EARLIER = range(1, SCHEMA_VERSION)

pytestmark = pytest.mark.parametrize("version", EARLIER)


def old_store(folder: Path, version: int) -> Path:
    """Make a store as that version wrote it."""
    store = folder / "old.clew"
    store.mkdir()
    with closing(sqlite3.connect(store / "clew.db")) as connection:
        connection.executescript(fixture_path(version).read_text(encoding="utf-8"))
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    return store


def fresh_store(folder: Path) -> EmbeddedStore:
    store = EmbeddedStore(folder / "fresh.clew")
    fill(store)
    return store


def comparable(store: EmbeddedStore) -> dict[str, object]:
    """Return all that a store holds; format 1 did not know when edges were recorded."""
    held = dump(store)
    held["edges"] = [replace(edge, recorded_at=None) for edge in held["edges"]]
    return held


def shape(path: Path) -> dict[str, set[tuple[object, ...]]]:
    """Return the columns of every table and the indexes, in any order."""
    with closing(sqlite3.connect(path)) as connection:
        names = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        columns = {
            name: {row[1:] for row in connection.execute(f"PRAGMA table_info({name})")}
            for name in names
        }
        indexes = connection.execute("SELECT tbl_name, name FROM sqlite_schema WHERE type='index'")
        return {
            **{name: {column[:4] for column in found} for name, found in columns.items()},
            "indexes": set(indexes),
        }


def test_holds_and_answers_what_a_fresh_store_does(version: int, tmp_path: Path) -> None:
    fresh = fresh_store(tmp_path)
    migrated = EmbeddedStore(old_store(tmp_path, version))
    assert comparable(migrated) == comparable(fresh)
    question = "Who leads Porto Harbour?"
    answers = [open_clew(store, settings=SETTINGS).ask(question) for store in (migrated, fresh)]
    assert "Ada Moreau leads Porto Harbour" in answers[0].text
    assert answers[0].text == answers[1].text
    assert [source.snippet for source in answers[0].sources] == [
        source.snippet for source in answers[1].sources
    ]
    assert migrated.check() == []
    for store in (migrated, fresh):
        store.close()
    with closing(sqlite3.connect(migrated.path / "clew.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_tables_and_indexes_are_those_of_a_fresh_store(version: int, tmp_path: Path) -> None:
    EmbeddedStore(tmp_path / "fresh.clew").close()
    EmbeddedStore(old_store(tmp_path, version)).close()
    assert shape(tmp_path / "old.clew" / "clew.db") == shape(tmp_path / "fresh.clew" / "clew.db")


def test_what_it_held_is_known_since_its_documents_were(version: int, tmp_path: Path) -> None:
    store = EmbeddedStore(old_store(tmp_path, version))
    with store.as_of("default", FIRST) as past:
        assert [document.source for document in past.documents("default")] == ["rail"]
    with store.as_of("default", SECOND) as past:
        assert [document.source for document in past.documents("default")] == ["port", "rail"]
    store.close()


def test_a_step_that_fails_leaves_the_version_before(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = old_store(tmp_path, version)
    before = shape(place / "clew.db")

    def fail(connection: sqlite3.Connection) -> None:
        STEPS[version + 1](connection)
        raise RuntimeError("in the middle")

    monkeypatch.setattr(migrations, "STEPS", {**STEPS, version + 1: fail})
    with pytest.raises(RuntimeError, match="in the middle"):
        EmbeddedStore(place)
    assert shape(place / "clew.db") == before
    monkeypatch.undo()
    EmbeddedStore(place).close()


def test_a_reader_that_may_not_write_gets_a_clear_error(version: int, tmp_path: Path) -> None:
    path = old_store(tmp_path, version) / "clew.db"
    uri = f"file:{path}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection,
        pytest.raises(
            StoreVersionError, match=f"format {version}, .* is read-only; nothing was changed"
        ),
    ):
        ensure_schema(connection, str(path))


def test_processes_that_open_it_at_once_migrate_it_once(version: int, tmp_path: Path) -> None:
    place = old_store(tmp_path, version)
    code = "import sys; from clew.stores.embedded.store import EmbeddedStore as S; S(sys.argv[1])"
    openers = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore::ResourceWarning", "-c", code, str(place)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [opener.communicate()[1] for opener in openers] == [""] * 3
    store = EmbeddedStore(place)
    assert store.counts("default")["documents"] == 3
    store.close()
