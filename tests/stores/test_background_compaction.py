"""The thread that compacts: it blocks nobody, tells of failure, and ends with the store."""

import threading
from pathlib import Path
from typing import Any

import pytest

from clew.core.errors import StoreError
from clew.stores.embedded import compaction
from clew.stores.embedded.background import BackgroundCompaction
from clew.stores.embedded.build import build_snapshot
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_samples import MAIN, axis, filed, mention, say, write
from tests.engine.stand_ins import open_clew


def clew_threads() -> list[threading.Thread]:
    return [held for held in threading.enumerate() if held.name == "clew-compaction"]


@pytest.fixture
def always_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_LEAST_CHANGES", 0)
    monkeypatch.setattr(compaction, "_CHANGED_FRACTION", 0.0)


@pytest.mark.usefixtures("always_due")
def test_folds_the_overlay_in(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "kb")
    assert clew_threads() == []
    write(store, filed("a", "ocean"), vectors=[axis(0)])
    store.compact_in_background(MAIN)
    store.wait_for_compaction()
    assert (store.status(MAIN).generation, store.status(MAIN).overlay_rows) == (1, 0)
    assert store.search_text(MAIN, "ocean", limit=1).ids.tolist() == filed("a", "ocean").ids
    store.close()
    assert clew_threads() == []


@pytest.mark.usefixtures("always_due")
def test_close_finishes_what_was_requested(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "kb")
    write(store, filed("a", "ocean"))
    store.compact_in_background(MAIN)
    store.close()
    again = EmbeddedStore(tmp_path / "kb")
    assert again.status(MAIN).generation == 1
    again.close()


def test_small_changes_and_unknown_collections_are_left(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "kb")
    write(store, filed("a", "ocean"))
    store.compact_in_background(MAIN)
    store.compact_in_background("unknown")
    store.wait_for_compaction()
    assert store.status(MAIN).generation == 0
    store.close()


@pytest.mark.usefixtures("always_due")
def test_reads_and_writes_go_on_while_it_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released = threading.Event(), threading.Event()
    build = build_snapshot

    def slow_build(*arguments: Any, **named: Any) -> Any:
        begun.set()
        assert released.wait(60)
        return build(*arguments, **named)

    monkeypatch.setattr(compaction, "build_snapshot", slow_build)
    store = EmbeddedStore(tmp_path / "kb")
    first, second = filed("a", "ocean"), filed("b", "tide")
    write(store, first)
    store.compact_in_background(MAIN)
    assert begun.wait(60)
    write(store, second)
    say(store, second, mention(second.chunks[0], "Ada"))
    assert store.search_text(MAIN, "tide", limit=1).ids.tolist() == second.ids
    released.set()
    store.wait_for_compaction()
    assert store.status(MAIN).generation == 1
    assert store.search_text(MAIN, "tide", limit=1).ids.tolist() == second.ids
    assert store.search_text(MAIN, "ocean", limit=1).ids.tolist() == first.ids
    store.close()


def test_failure_is_told_and_tried_again() -> None:
    results: list[bool | StoreError] = [StoreError("the disk is full"), True]

    def compact(collection: str) -> bool:
        result = results.pop(0)
        if isinstance(result, StoreError):
            raise result
        return result

    background = BackgroundCompaction(compact)
    background.request("a")
    background.wait()
    assert background.failure == "the disk is full"
    background.request("a")
    background.wait()
    assert results == []
    assert not background.failure
    background.close()
    background.close()
    background.request("a")
    assert clew_threads() == []


@pytest.mark.usefixtures("always_due")
def test_changes_are_dropped_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "_CHANGES_AT_ONCE", 2)
    store = EmbeddedStore(tmp_path / "kb")
    write(store, filed("a", "ocean", "tide", "river"))
    store.compact()
    with store._session.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM changes").fetchone() == (0,)
    store.close()


@pytest.mark.usefixtures("always_due")
def test_an_add_and_a_removal_ask_for_it(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "kb")
    clew = open_clew(store)
    clew.add([{"source": "a", "text": "Acme sued Beta."}])
    store.wait_for_compaction()
    assert (store.status("default").generation, store.status("default").overlay_rows) == (1, 0)
    clew.remove("a")
    store.wait_for_compaction()
    assert (store.status("default").generation, store.status("default").overlay_rows) == (2, 0)
    store.close()
