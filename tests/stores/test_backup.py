"""Backups: whole, verified, taken while others write, and the way back."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from clew.core.errors import NotFoundError, StoreError, StoreVersionError
from clew.stores.embedded import backup
from clew.stores.embedded.backup import restore_backup, write_backup
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.corpus import corpus
from tests.engine.dump import dump
from tests.engine.stand_ins import open_clew


def filled(folder: Path) -> EmbeddedStore:
    store = EmbeddedStore(folder)
    open_clew(store).add(corpus(5))
    return store


def restored(source: Path, folder: Path, *, overwrite: bool = False) -> EmbeddedStore:
    restore_backup(source, folder, overwrite=overwrite, open_store=EmbeddedStore)
    return EmbeddedStore(folder)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("compacted", [False, True])
def test_comes_back_as_it_was(tmp_path: Path, compacted: bool) -> None:  # noqa: FBT001
    store = filled(tmp_path / "kb")
    if compacted:
        store.compact()
    report = store.backup(tmp_path / "kb.backup")
    expected = dump(store)
    assert report.rows["documents"] == 5
    assert report.bytes == (tmp_path / "kb.backup").stat().st_size
    store.remove_document("default", expected["documents"][0].id)
    again = restored(tmp_path / "kb.backup", tmp_path / "other")
    assert dump(again) == expected
    assert again.status("default").overlay_rows == 0
    for held in (store, again):
        held.close()
    assert names(tmp_path) == {"kb", "kb.backup", "other"}


def test_holds_one_state_while_another_process_writes(tmp_path: Path) -> None:
    store = filled(tmp_path / "kb")
    code = (
        "import sys; from clew.stores.embedded.store import EmbeddedStore as S\n"
        "s = S(sys.argv[1]); print('go', flush=True); n = 0\n"
        "while True:\n"
        "    n += 1\n"
        "    with s.transaction():\n"
        "        s.set_fact('pairs', 'left', str(n)); s.set_fact('pairs', 'right', str(n))\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "kb")], stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "go\n"
        seen = set()
        for number in range(5):
            store.backup(tmp_path / f"{number}.backup")
            with closing(sqlite3.connect(tmp_path / f"{number}.backup")) as connection:
                rows = connection.execute(
                    "SELECT f.value FROM facts f JOIN collections c ON c.id = f.collection "
                    "WHERE c.name = 'pairs'"
                ).fetchall()
            assert len(set(rows)) <= 1
            seen |= set(rows)
    finally:
        writer.kill()
        writer.communicate()
    assert len(seen) > 1, "it wrote between the backups"
    store.close()


def test_writers_do_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup that stands still in the middle keeps nobody from writing."""
    store = filled(tmp_path / "kb")
    monkeypatch.setattr(backup, "_PAGES_A_STEP", 1)
    begun, written = threading.Event(), threading.Event()
    rows = backup._rows

    def stop_after_counting(connection: sqlite3.Connection) -> dict[str, int]:
        counted = rows(connection)
        begun.set()
        assert written.wait(60)
        return counted

    monkeypatch.setattr(backup, "_rows", stop_after_counting)
    thread = threading.Thread(target=lambda: store.backup(tmp_path / "b"))
    thread.start()
    assert begun.wait(60)
    store.set_fact("late", "x", "y")
    written.set()
    thread.join()
    again = restored(tmp_path / "b", tmp_path / "other")
    assert "late" not in again.collections()
    again.close()
    store.close()


def test_an_existing_target_is_refused_unless_asked(tmp_path: Path) -> None:
    store = filled(tmp_path / "kb")
    target = tmp_path / "b"
    target.write_text("mine")
    with pytest.raises(StoreError, match="exists; choose another file"):
        store.backup(target)
    assert target.read_text() == "mine"
    store.backup(target, overwrite=True)
    with pytest.raises(StoreError, match="exists; choose another path"):
        restore_backup(target, tmp_path / "kb", overwrite=False, open_store=EmbeddedStore)
    store.close()
    open_clew(EmbeddedStore(tmp_path / "kb")).add([{"source": "new", "text": "Ada left."}])
    again = restored(target, tmp_path / "kb", overwrite=True)
    assert again.counts("default")["documents"] == 5
    again.close()
    assert names(tmp_path) == {"kb", "b"}


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all" * 100)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
    cases = (
        ("text", StoreError, "not a Clew store"),
        ("other.db", StoreVersionError, "no backup of a Clew store"),
        ("nothing", NotFoundError, "no backup at"),
    )
    for name, kind, message in cases:
        with pytest.raises(kind, match=message):
            restored(tmp_path / name, tmp_path / "kb")
    assert names(tmp_path) == {"text", "other.db"}


def test_a_damaged_backup_is_refused(tmp_path: Path) -> None:
    store = filled(tmp_path / "kb")
    store.backup(tmp_path / "b")
    store.close()
    data = bytearray((tmp_path / "b").read_bytes())
    for page in range(3, len(data) // 8192):
        data[page * 8192 : page * 8192 + 100] = b"\xff" * 100
    (tmp_path / "b").write_bytes(bytes(data))
    with pytest.raises(StoreError):
        restored(tmp_path / "b", tmp_path / "other")
    assert names(tmp_path) == {"kb", "b"}


def test_an_error_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(tmp_path / "kb")

    def fail(path: Path, rows: dict[str, int]) -> None:
        raise StoreError("not what was copied")

    monkeypatch.setattr(backup, "_verify", fail)
    with pytest.raises(StoreError, match="not what was copied"):
        store.backup(tmp_path / "b")
    assert names(tmp_path) == {"kb"}
    with pytest.raises(NotFoundError):
        write_backup(tmp_path / "none" / "clew.db", tmp_path / "b", overwrite=False)
    store.close()
