"""The copy that reading what was known makes: kept for the next question, gone with what it held."""

import tempfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clew.core.errors import StoreError
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_samples import MAIN, filed, write

NOW = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> EmbeddedStore:
    made = EmbeddedStore(tmp_path / "kb")
    write(made, filed("a", "ocean", recorded_at=NOW))
    return made


def copies(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_serves_the_next_question_about_the_same_moment(
    store: EmbeddedStore, temporary: Path
) -> None:
    with store.as_of(MAIN, NOW) as first:
        pass
    (kept,) = copies(temporary)
    assert kept.stat().st_mode & 0o077 == 0, "nobody else may read it"
    with store.as_of(MAIN, NOW) as again:
        assert again is first
    with store.as_of(MAIN, NOW + timedelta(days=1)) as other:
        assert other is not first
    assert copies(temporary) != [kept]
    store.close()
    assert copies(temporary) == []


def test_a_write_makes_it_stale(store: EmbeddedStore, temporary: Path, tmp_path: Path) -> None:
    second = EmbeddedStore(tmp_path / "kb")
    for number, writer in enumerate((store, second)):
        with store.as_of(MAIN, NOW) as past:
            assert past.counts(MAIN)["documents"] == 1 + number
        write(writer, filed(f"late {number}", "tide", recorded_at=NOW))
    with store.as_of(MAIN, NOW) as past:
        assert past.counts(MAIN)["documents"] == 3
    assert len(copies(temporary)) == 1
    for held in (store, second):
        held.close()


@pytest.mark.parametrize("way", ["document", "knowledge", "collection"])
def test_goes_at_once_with_what_is_erased(store: EmbeddedStore, temporary: Path, way: str) -> None:
    entry = filed("a", "ocean", recorded_at=NOW)
    with store.as_of(MAIN, NOW):
        pass
    assert len(copies(temporary)) == 1
    if way == "document":
        store.remove_document(MAIN, entry.document.id)
    elif way == "knowledge":
        store.erase(MAIN, entry.origin)
    else:
        store.drop(MAIN)
    assert copies(temporary) == []
    store.close()


def test_lives_while_somebody_reads_it(store: EmbeddedStore, temporary: Path) -> None:
    with store.as_of(MAIN, NOW) as past:
        with store.as_of(MAIN, NOW - timedelta(days=1)) as earlier:
            assert earlier.counts(MAIN)["documents"] == 0
        store.drop(MAIN)
        assert past.counts(MAIN)["documents"] == 1
    assert copies(temporary) == []
    store.close()


def test_serves_threads(store: EmbeddedStore, temporary: Path) -> None:
    seen: list[int] = []

    def read(day: int) -> None:
        for _ in range(5):
            with store.as_of(MAIN, NOW - timedelta(days=day)) as past:
                seen.append(past.counts(MAIN)["documents"] + day)

    threads = [threading.Thread(target=read, args=(day,)) for day in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 10
    store.close()
    assert copies(temporary) == []


def test_not_within_a_transaction(store: EmbeddedStore) -> None:
    with (
        store.transaction(),
        pytest.raises(StoreError, match="leave it before reading what was known"),
        store.as_of(MAIN, NOW),
    ):
        pass
    store.close()
