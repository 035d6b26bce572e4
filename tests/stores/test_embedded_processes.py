"""The embedded store when processes are killed, and when several use one folder at once."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.core.errors import StoreBusyError, StoreError
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_samples import MAIN, axis, filed, id_array, node_of, write

WRITER = Path(__file__).with_name("embedded_writer.py")

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked"),
    pytest.mark.skip_allowed,
]


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    """Give a process that forks writers."""
    with subprocess.Popen(
        [sys.executable, str(WRITER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Writers(process)
        process.kill()


class Writers:
    """Starts writers and reads what all of them say."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(self, folder: Path, name: str, count: int) -> None:
        """Start a writer that stops after `count` transactions."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{folder} {name} {count}\n")
        self._process.stdin.flush()

    def next(self) -> tuple[str, str]:
        """Return the next two words: a name and a number, or `pid` and a process."""
        assert self._process.stdout is not None
        first, second = self._process.stdout.readline().split()
        return first, second


def _require_prefix(store: EmbeddedStore, name: str) -> int:
    """Check that exactly the transactions 0..n are there, in all tables and indexes; return n."""
    last = int(store.facts(MAIN).get(name, "-1"))
    entries = [
        filed(f"{name}{number}", f"{name} number{number} was written") for number in range(last + 2)
    ]
    documents = store.documents(MAIN, sources=[entry.document.source for entry in entries])
    assert {held.id for held in documents} == {entry.document.id for entry in entries[: last + 1]}
    nodes = id_array(*(node_of(f"{name} node {number}") for number in range(last + 2)))
    expected = [1] * (last + 1) + [0]
    assert store.mention_counts(MAIN, nodes).tolist() == expected
    # Node n has the edges n-1 -> n and n -> n+1; the first has a loop instead of the former.
    degrees = [2] * last + [1, 0] if last >= 0 else [0]
    assert store.degrees(MAIN, nodes).tolist() == degrees
    for number in range(last + 2):
        found = store.search_text(MAIN, f"number{number}", limit=9)
        mine = [held for held in found.ids.tolist() if held == entries[number].ids[0]]
        assert len(mine) == int(number <= last)
    vectors = store.vectors(MAIN, id_array(*(entry.ids[0] for entry in entries[: last + 1])))
    assert vectors.argmax(axis=1).tolist() == [number % 8 for number in range(last + 1)]
    return last


def test_a_killed_writer_leaves_a_prefix_of_its_transactions(
    tmp_path: Path, writers: Writers
) -> None:
    chance = random.Random(5)
    for attempt in range(12):
        folder, name = tmp_path / f"{attempt}.clew", f"w{attempt}"
        writers.start(folder, name, 100_000)
        pid = next(int(word) for first, word in iter(writers.next, None) if first == "pid")
        said = [writers.next() for _ in range(chance.randrange(40))]
        time.sleep(chance.random() * 0.02)
        os.kill(pid, signal.SIGKILL)
        confirmed = [int(word) for first, word in said if first == name]
        store = EmbeddedStore(folder)
        last = _require_prefix(store, name)
        assert last >= max(confirmed, default=0), "a confirmed transaction is lost"
        store.compact()
        assert _require_prefix(store, name) == last
        assert store.check() == []
        store.close()


def test_a_second_process_sees_each_commit_at_once(tmp_path: Path, writers: Writers) -> None:
    folder = tmp_path / "shared.clew"
    reader = EmbeddedStore(folder)
    writers.start(folder, "seen", 40)
    numbers = 0
    while (said := writers.next()) != ("seen", "done"):
        if said[0] != "seen":
            continue
        number = int(said[1])
        numbers += 1
        (chunk,) = filed(f"seen{number}", f"seen number{number} was written").ids
        assert chunk in reader.search_text(MAIN, f"number{number}", limit=5).ids
        assert chunk in reader.expand(MAIN, id_array(node_of(f"seen node {number}"))).target
        assert chunk in reader.search_vector(MAIN, axis(number % 8), limit=999).ids
    assert numbers == 40
    assert _require_prefix(reader, "seen") == 39
    reader.close()


def test_two_writing_processes_lose_nothing(tmp_path: Path, writers: Writers) -> None:
    folder = tmp_path / "shared.clew"
    for name in ("left", "right"):
        writers.start(folder, name, 40)
    unfinished = {"left", "right"}
    while unfinished:
        name, word = writers.next()
        if word == "done":
            unfinished.remove(name)
    store = EmbeddedStore(folder)
    assert [_require_prefix(store, name) for name in ("left", "right")] == [39, 39]
    assert store.counts(MAIN)["documents"] == 80
    store.close()


def test_threads_write_and_read_together(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "threads.clew")
    failures: list[Exception] = []

    def work(name: str) -> None:
        try:
            for number in range(15):
                entry = filed(f"{name}{number}", f"{name} number{number}")
                with store.transaction():
                    write(store, entry, vectors=[axis(0)])
                    assert store.search_text(MAIN, f"{name}", limit=99).ids.size == number + 1
                found = store.search_vector(MAIN, axis(0), limit=99).ids
                assert entry.ids[0] in found
        except (AssertionError, StoreError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ada", "bob", "cy")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.counts(MAIN)["chunks"] == 45
    store.close()


def test_a_write_waits_no_longer_than_asked(tmp_path: Path) -> None:
    folder = tmp_path / "busy.clew"
    store = EmbeddedStore(folder, busy_seconds=0.05)
    write(store, filed("a", "one"))
    other = sqlite3.connect(folder / "clew.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusyError, match="raise busy_seconds"):
        store.set_fact(MAIN, "model", "x")
    assert store.counts(MAIN)["documents"] == 1, "readers never wait"
    other.execute("ROLLBACK")
    other.close()
    store.set_fact(MAIN, "model", "x")
    assert store.facts(MAIN) == {"model": "x"}
    store.close()


def test_a_full_disk_ends_in_one_clear_error(tmp_path: Path) -> None:
    folder = tmp_path / "full.clew"
    store = EmbeddedStore(folder)
    write(store, filed("a", "one"))
    with store._session.database.transaction() as connection:  # a disk that fills up
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="the disk is full; nothing was changed"):
        write(store, filed("b", *(f"text {number}" * 400 for number in range(200))))
    assert [held.source for held in store.documents(MAIN)] == ["a"]
    assert store.check() == []
    store.close()


def test_a_read_only_folder_is_refused_in_words() -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "mine.clew"
        store = EmbeddedStore(folder)
        write(store, filed("a", "one"))
        store.close()
        Path(parent).chmod(0o755)
        folder.chmod(0o555)
        (folder / "clew.db").chmod(0o444)
        with _as_nobody(), pytest.raises(StoreError, match=r"mine\.clew.*(read-only|writable)"):
            EmbeddedStore(folder)
        folder.chmod(0o755)
        (folder / "clew.db").chmod(0o644)
        store = EmbeddedStore(folder)
        assert store.search_text(MAIN, "one", limit=1).ids.tolist() == filed("a", "one").ids
        store.close()


@contextlib.contextmanager
def _as_nobody() -> Iterator[None]:
    """Give up the rights of the superuser, to whom nothing is read-only."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
