"""An examination finds each kind of damage, says how to mend it, and mending mends it."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.core.errors import StoreError
from clew.core.health import Severity
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.corpus import corpus
from tests.engine.dump import dump
from tests.engine.stand_ins import open_clew

NAN = np.full(256, np.nan, np.float32).tobytes()
LONG = np.full(256, 0.5, np.float32).tobytes()
NARROW = np.eye(1, 8, dtype=np.float32).tobytes()
COLLECTION = "collection = 1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    made = EmbeddedStore(tmp_path / "kb")
    open_clew(made).add(corpus(6))
    made.compact()
    open_clew(made).add([{"source": "late", "text": "Acme Corp sued Beta Labs."}])
    yield made
    made.close()


def damage(store: EmbeddedStore, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(store.path / "clew.db")) as connection:
        assert connection.execute(statement, values).rowcount > 0
        connection.commit()


def problems(store: EmbeddedStore, *, full: bool = True) -> list[str]:
    return [f"{found.place}: {found.problem}" for found in store.examine(full=full)]


@pytest.mark.parametrize("full", [False, True])
def test_nothing_is_wrong_with_a_sound_store(store: EmbeddedStore, full: bool) -> None:  # noqa: FBT001
    assert store.examine(full=full) == []
    memory = MemoryStore()
    open_clew(memory).add(corpus(2))
    assert memory.examine(full=full) == []


def test_mending_a_sound_store_changes_nothing(store: EmbeddedStore) -> None:
    before = dump(store)
    store.mend()
    assert dump(store) == before
    assert store.status("default").overlay_rows == 0
    assert MemoryStore().mend() == []


DERIVED = {
    "UPDATE nodes SET name = 'x' WHERE id = (SELECT min(id) FROM nodes)": "nodes of 'default': 1 of",
    "UPDATE nodes SET mention_count = 99 WHERE id = (SELECT max(id) FROM nodes)": "nodes of",
    "DELETE FROM nodes WHERE id = (SELECT min(id) FROM nodes)": "nodes of 'default'",
    "UPDATE edges SET confidence = 0.111": "edges of 'default'",
    "UPDATE edges SET retired_at = 5": "edges of 'default'",
    "INSERT INTO chunk_vectors SELECT collection, 77, vector FROM chunk_vectors LIMIT 1": (
        "chunk_vectors: 1 vectors of chunks that are gone"
    ),
    "INSERT INTO edges SELECT collection, 5, source, target, kind, relation, confidence, standing,"
    " negated, occurred_at, valid_from, valid_to, recorded_at, retired_at, superseded_at,"
    " superseded_by FROM edges LIMIT 1": "edges: 1 edges that nothing states",
}


@pytest.mark.parametrize("statement", DERIVED)
def test_what_follows_from_other_rows_is_mended(store: EmbeddedStore, statement: str) -> None:
    before = dump(store)
    damage(store, statement)
    assert any(found.startswith(DERIVED[statement]) for found in problems(store)), problems(store)
    store.mend()
    assert problems(store) == []
    assert dump(store) == before


def test_a_chunk_without_vector_is_set_back(store: EmbeddedStore) -> None:
    before = dump(store)
    damage(store, "DELETE FROM chunk_vectors WHERE id = (SELECT min(id) FROM chunks)")
    assert "chunks of 'default': 1 chunks count as embedded and have no vector" in problems(store)
    store.mend()
    (unfinished,) = store.examine(full=True)
    assert unfinished.severity is Severity.WARNING
    assert "`clew add` without paths" in unfinished.remedy
    open_clew(store).add()
    assert problems(store) == []
    assert dump(store)["vectors"] == before["vectors"]


TRUTH = {
    "DELETE FROM documents WHERE id = (SELECT min(id) FROM documents)": "chunks without document",
    "UPDATE mentions SET chunk = 3 WHERE chunk = (SELECT min(chunk) FROM mentions)": (
        "mentions in chunks that are gone"
    ),
    "DELETE FROM edges WHERE id = (SELECT min(id) FROM edges)": "statements of edges that are gone",
}


@pytest.mark.parametrize("statement", TRUTH)
def test_a_loss_of_the_truth_is_an_error_with_a_remedy(
    store: EmbeddedStore, statement: str
) -> None:
    damage(store, statement)
    found = [one for one in store.examine() if TRUTH[statement] in one.problem]
    assert [one.severity for one in found] == [Severity.ERROR]
    assert "restore a backup" in found[0].remedy


@pytest.mark.parametrize(
    ("table", "column", "blob", "message"),
    [
        ("chunk_vectors", "vector", NAN, "1 vectors are not finite or not of length 1"),
        ("node_vectors", "name", LONG, "1 vectors are not finite or not of length 1"),
        ("node_vectors", "search", NARROW, "vectors of 8, 256 dimensions"),
    ],
)
def test_bad_vectors(
    store: EmbeddedStore, table: str, column: str, blob: bytes, message: str
) -> None:
    damage(
        store,
        f"UPDATE {table} SET {column} = ? WHERE id = (SELECT min(id) FROM {table})",
        blob,
    )
    assert f"{table}.{column} of 'default': {message}" in problems(store)


def _cut(folder: Path) -> None:
    (folder / "vectors.npy").write_bytes(b"")


def _swap(folder: Path) -> None:
    """Change one byte in the middle, which only a look at all of them shows."""
    path = max(folder.glob("*.npy"), key=lambda path: path.stat().st_size)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("harm", [_cut, _swap, shutil.rmtree])
def test_damaged_indexes_are_built_again(
    store: EmbeddedStore, harm: Callable[[Path], None]
) -> None:
    before = dump(store)
    harm(store.path / "index" / "1" / "1")
    assert any("is missing or damaged" in found for found in problems(store))
    store.mend()
    assert problems(store) == []
    assert dump(store) == before


def test_an_index_that_misses_rows_is_found(store: EmbeddedStore) -> None:
    with closing(sqlite3.connect(store.path / "clew.db")) as connection:
        connection.execute("DELETE FROM changes")
        connection.commit()
    again = EmbeddedStore(store.path)
    assert any("index of 'default': 7 chunks" not in found for found in problems(again))
    assert any("chunks, and the truth has" in found for found in problems(again))
    again.mend()
    assert problems(again) == []
    again.close()


def test_a_damaged_truth_is_told_first(store: EmbeddedStore) -> None:
    store.close()
    path = store.path / "clew.db"
    data = bytearray(path.read_bytes())
    for page in range(20, len(data) // 8192, 7):
        data[page * 8192 : page * 8192 + 200] = b"\xff" * 200
    path.write_bytes(bytes(data))
    try:
        again = EmbeddedStore(store.path)
        found = again.examine()
        again.close()
    except StoreError as error:
        assert "damaged" in str(error)  # noqa: PT017 - either way it is told
    else:
        assert found[0].severity is Severity.ERROR
        assert "restore" in found[0].remedy


def test_a_lock_is_noted(store: EmbeddedStore) -> None:
    with closing(sqlite3.connect(store.path / "clew.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        (found,) = store.examine()
        other.execute("ROLLBACK")
    assert found.severity is Severity.NOTE
    assert "cannot be written now" in found.problem
