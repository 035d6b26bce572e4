"""A disk that is really full: one clear error, the truth intact, and on it goes with more room."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from clew.core.errors import StoreError
from clew.engine.clew import Clew
from clew.stores.embedded.backup import restore_backup
from clew.stores.embedded.store import EmbeddedStore
from tests.engine.corpus import corpus
from tests.engine.dump import differences, dump
from tests.engine.stand_ins import open_clew
from tests.stores.store_fixture import fixture_path

pytestmark = [
    pytest.mark.skip_allowed,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0,
        reason="needs a disk of its own: root on Linux",
    ),
]

DOCUMENTS = corpus(40)


@dataclass(frozen=True)
class Disk:
    """A file system of a few megabytes."""

    path: Path

    def fill(self, *, leave: int = 0) -> None:
        """Leave so many bytes free."""
        usage = os.statvfs(self.path)
        free = usage.f_bavail * usage.f_frsize
        (self.path / "ballast").write_bytes(b"\0" * max(0, free - leave))

    def free(self) -> None:
        """Make room again."""
        (self.path / "ballast").unlink(missing_ok=True)
        subprocess.run(["mount", "-o", "remount,size=64m", str(self.path)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield Disk(place)
    subprocess.run(["umount", "-l", str(place)], check=True)


def undisturbed(folder: Path) -> EmbeddedStore:
    store = EmbeddedStore(folder)
    open_clew(store).add(DOCUMENTS)
    return store


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_during_an_add(disk: Disk, tmp_path: Path) -> None:
    store = EmbeddedStore(disk.path / "kb")
    clew: Clew = open_clew(store)
    clew.add(DOCUMENTS[:2])
    with pytest.raises(StoreError, match="the disk is full; nothing was changed: free space"):
        clew.add(DOCUMENTS)
    assert len(store.documents("default")) >= 2
    assert store.check() == []
    disk.free()
    clew.add(DOCUMENTS)
    whole = EmbeddedStore(tmp_path / "whole")
    for documents in (DOCUMENTS[:2], DOCUMENTS):
        open_clew(whole).add(documents)
    assert differences(dump(whole), dump(store)) == []
    for held in (store, whole):
        held.close()


@pytest.mark.parametrize("kilobytes", range(8, 200, 24))
def test_during_compaction(disk: Disk, kilobytes: int) -> None:
    store = EmbeddedStore(disk.path / "kb")
    open_clew(store).add(DOCUMENTS[:4])
    before = dump(store)
    disk.fill(leave=kilobytes << 10)
    with pytest.raises(StoreError, match="the disk is full; nothing was changed"):
        store.compact()
    assert dump(store) == before
    assert store.status("default").generation == 0
    disk.free()
    store.compact()
    assert store.status("default").generation == 1
    assert dump(store) == before
    assert store.examine(full=True) == []
    store.close()


def test_during_a_backup_and_a_restore(disk: Disk, tmp_path: Path) -> None:
    store = undisturbed(tmp_path / "kb")
    disk.fill(leave=200_000)
    with pytest.raises(StoreError, match="the disk is full"):
        store.backup(disk.path / "backup")
    assert names(disk.path) == {"ballast"}
    store.backup(tmp_path / "backup")
    with pytest.raises(StoreError, match="the disk is full"):
        restore_backup(
            tmp_path / "backup", disk.path / "kb", overwrite=False, open_store=EmbeddedStore
        )
    assert names(disk.path) == {"ballast"}
    assert store.check() == []
    store.close()


def test_during_a_migration(disk: Disk) -> None:
    place = disk.path / "kb"
    place.mkdir()
    with closing(sqlite3.connect(place / "clew.db")) as connection:
        connection.executescript(fixture_path(1).read_text(encoding="utf-8"))
    disk.fill(leave=60_000)
    with pytest.raises(StoreError, match="the disk is full; nothing was changed"):
        EmbeddedStore(place)
    with closing(sqlite3.connect(place / "clew.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    disk.free()
    store = EmbeddedStore(place)
    assert store.counts("default")["documents"] == 3
    store.close()


def test_while_reading_what_was_known(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = undisturbed(tmp_path / "kb")
    monkeypatch.setattr(tempfile, "tempdir", str(disk.path))
    disk.fill(leave=100_000)
    clew = open_clew(store)
    moment = store.documents("default")[0].recorded_at
    with pytest.raises(StoreError, match="the disk is full"):
        clew.search("Acme", known_as_of=moment)
    assert names(disk.path) == {"ballast"}
    disk.free()
    assert clew.search("Acme", known_as_of=moment).results
    store.close()
    assert names(disk.path) == set()
