"""The folder of the embedded store: damage, versions, compaction, what deletion leaves behind."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from clew.core.batches import ChunkBatch, Vectors
from clew.core.errors import StoreError, StoreVersionError
from clew.core.query import Filter
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_samples import (
    MAIN,
    STAFF,
    Filed,
    axis,
    edge,
    filed,
    id_array,
    mention,
    node_of,
    node_vectors,
    random_units,
    say,
    steps,
    write,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder of a closed store with a compacted collection and a fresh document."""
    path = tmp_path / "kept.clew"
    store = EmbeddedStore(path)
    _fill(store)
    store.close()
    return path


def _entry(number: int) -> Filed:
    return filed(f"doc{number}", f"river number{number}", "a second passage")


def _fill(store: EmbeddedStore) -> None:
    for number in range(6):
        entry = _entry(number)
        write(store, entry, vectors=random_units(2, seed=number))
        say(store, entry, mention(entry.chunks[0], f"Node {number}", label="Person"))
        say(store, entry, mention(entry.chunks[1], "Ada"))
        say(store, entry, edge("Ada", f"Node {number}", *entry.chunks))
        if number == 4:
            store.compact()


def _answers(store: EmbeddedStore) -> list[object]:
    """Return what every index answers."""
    chunks = id_array(*(chunk for number in range(6) for chunk in _entry(number).ids))
    people = Filter(labels=frozenset({"Person"}))
    return [
        store.search_text(MAIN, "river number3", limit=20).ids.tolist(),
        store.search_vector(MAIN, axis(2), limit=20).ids.tolist(),
        store.search_vector(MAIN, axis(2), limit=20, filter=people).ids.tolist(),
        store.vectors(MAIN, chunks).tolist(),
        steps(store.expand(MAIN, id_array(node_of("Ada")), principal=STAFF)),
        store.degrees(MAIN, id_array(node_of("Ada"))).tolist(),
        dict(store.find_phrases(MAIN, ["river number2", "second passage", "river passage"])),
        dict(store.counts(MAIN)),
    ]


def _generation(folder: Path) -> Path:
    (found,) = [path for path in folder.glob("index/*/*") if path.is_dir()]
    return found


def _files_of(folder: Path) -> list[str]:
    generation = _generation(folder)
    return sorted(
        path.relative_to(generation).as_posix()
        for path in generation.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    )


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _scramble(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 0xFF for byte in path.read_bytes()))


def test_any_derived_file_is_built_again(folder: Path) -> None:
    harms: tuple[Callable[[Path], None], ...] = (Path.unlink, _truncate, _scramble)
    with_all = EmbeddedStore(folder)
    expected = _answers(with_all)
    with_all.close()
    names = _files_of(folder)
    assert {"manifest.json", "vectors.npy", "half_steps.npy", "keywords/meta.json"} <= set(names)
    for turn, name in enumerate(names):
        victim = _generation(folder) / name
        if not victim.exists():
            continue  # tantivy names its segments anew
        harms[turn % len(harms)](victim)
        store = EmbeddedStore(folder)
        assert len(store.check()) == 1, name
        assert _answers(store) == expected, name
        assert store.check() == []
        store.close()


def test_a_lost_index_folder_is_built_again(folder: Path) -> None:
    store = EmbeddedStore(folder)
    expected = _answers(store)
    store.close()
    shutil.rmtree(folder / "index")
    store = EmbeddedStore(folder)
    assert _answers(store) == expected
    assert store.status(MAIN).overlay_rows == 0
    store.close()


def test_a_damaged_index_on_a_full_disk_is_served_from_the_truth(folder: Path) -> None:
    store = EmbeddedStore(folder)
    expected = _answers(store)
    store.close()
    shutil.rmtree(folder / "index")
    (folder / "index").write_text("no folder can be made here")
    store = EmbeddedStore(folder)
    assert _answers(store) == expected
    store.close()


def test_damage_in_the_middle_is_found_by_check(folder: Path) -> None:
    store = EmbeddedStore(folder)
    for number in range(6, 400):
        write(store, filed(f"more{number}", "text"), vectors=[axis(1)])
    store.compact()
    victim = _generation(folder) / "vectors.npy"
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(content)
    assert store.check() == ["index of 'main': vectors.npy is missing or damaged"]
    store.close()


def test_a_newer_version_is_refused_with_advice(folder: Path) -> None:
    connection = sqlite3.connect(folder / "clew.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreVersionError, match=r"format 99.*upgrade Clew"):
        EmbeddedStore(folder)


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "other.clew"
    folder.mkdir()
    connection = sqlite3.connect(folder / "clew.db")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(StoreVersionError, match="another program"):
        EmbeddedStore(folder)
    (folder / "clew.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="not a Clew store"):
        EmbeddedStore(folder)


def test_a_closed_store_says_so(folder: Path) -> None:
    store = EmbeddedStore(folder)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="has been closed"):
        store.search_text(MAIN, "river", limit=1)
    with pytest.raises(StoreError, match="has been closed"):
        store.set_fact(MAIN, "a", "b")


def test_deleted_words_are_in_no_file_after_compaction(tmp_path: Path) -> None:
    folder = tmp_path / "secret.clew"
    store = EmbeddedStore(folder)
    secret = filed("papers", "the zanzibarsecret agreement", title="zanzibartitle")
    kept = filed("other", "an ordinary text")
    write(store, secret, kept, vectors=[axis(0), axis(1)])
    say(store, secret, mention(secret.chunks[0], "zanzibarname", label="zanzibarlabel"))
    store.compact()
    index = b"".join(path.read_bytes() for path in folder.rglob("index/**/*") if path.is_file())
    assert all(word in index for word in (b"zanzibarsecret", b"zanzibartitle", b"zanzibarlabel"))

    store.remove_document(MAIN, secret.document.id)
    store.erase(MAIN, secret.origin)
    for word in ("zanzibarsecret", "zanzibartitle"):
        assert len(store.search_text(MAIN, word, limit=5).ids) == 0
        assert store.find_phrases(MAIN, [word]) == {}
    assert store.search_vector(MAIN, axis(0), limit=5).ids.tolist() == kept.ids
    store.compact()
    store.close()
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"ordinary" in content
    assert b"zanzibar" not in content


def test_a_dropped_collection_leaves_no_files(folder: Path) -> None:
    store = EmbeddedStore(folder)
    assert _files_of(folder)
    store.drop(MAIN)
    assert [path for path in (folder / "index").iterdir() if path.is_dir()] == []
    store.close()


def test_compaction_is_due_after_many_changes_only(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "due.clew")
    assert not store.compact_if_needed(MAIN)
    texts = [f"text {number}" for number in range(2000)]
    write(store, filed("many", *texts))
    assert not store.compact_if_needed(MAIN), "2,000 changes are not more than 2,000"
    write(store, filed("one", "more"))
    with store.transaction():
        assert not store.compact_if_needed(MAIN)
        with pytest.raises(StoreError, match="transaction is open"):
            store.compact()
    assert store.compact_if_needed(MAIN)
    assert (store.status(MAIN).generation, store.status(MAIN).overlay_rows) == (1, 0)
    assert not store.compact_if_needed(MAIN)
    store.compact()
    assert store.status(MAIN).generation == 1, "nothing changed"
    store.close()


def test_a_failed_part_of_a_transaction_is_undone_by_itself(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "parts.clew")
    a, b = filed("a", "alpha"), filed("b", "beta")
    lonely = edge("Ada", "Bob")
    with store.transaction():
        write(store, a, vectors=[axis(0)])
        assert store.search_text(MAIN, "alpha", limit=1).ids.tolist() == a.ids
        with pytest.raises(StoreError, match="has no evidence"):
            say(store, b, mention(a.chunks[0], "Ada"), lonely)
        narrow = Vectors(id_array(*b.ids), np.ones((1, 3), np.float32))
        with pytest.raises(StoreError, match="3 dimensions"):
            store.write_chunks(MAIN, ChunkBatch(chunks=b.chunks, vectors=narrow))
    assert store.nodes(MAIN, [node_of("Ada")]) == []
    assert store.search_text(MAIN, "alpha beta", limit=5).ids.tolist() == a.ids
    store.close()


def test_a_transaction_is_private_until_it_ends(folder: Path) -> None:
    store, other = EmbeddedStore(folder), EmbeddedStore(folder)
    before = _answers(other)
    extra = filed("extra", "river number3 anew")
    with store.transaction():
        write(store, extra, vectors=[axis(2)])
        say(store, extra, mention(extra.chunks[0], "Ada"))
        assert extra.ids[0] in store.search_text(MAIN, "anew", limit=5).ids
        assert extra.ids[0] in store.expand(MAIN, id_array(node_of("Ada"))).target
        assert _answers(other) == before
    assert extra.ids[0] in other.search_text(MAIN, "anew", limit=5).ids
    changed = _answers(other)
    assert changed == _answers(store) != before
    store.close()
    other.close()


def test_the_callers_own_errors_pass_through_a_transaction(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "errors.clew")

    def add_missing_file() -> None:
        with store.transaction():
            write(store, filed("a", "one"))
            (tmp_path / "missing-file").read_text()

    with pytest.raises(FileNotFoundError, match="missing-file"):
        add_missing_file()
    assert store.collections() == []
    store.close()


def test_node_vectors_survive_compaction_and_follow_their_nodes(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "nodes.clew", inverted_lists_from=4)
    entry = filed("a", "one")
    names = [f"n{number}" for number in range(8)]
    write(store, entry)
    say(store, entry, *(mention(entry.chunks[0], name) for name in names))
    vectors = {name: (axis(number), axis(7 - number)) for number, name in enumerate(names)}
    store.write_node_vectors(MAIN, node_vectors(entry.origin, **vectors))
    for _ in range(2):
        by_search = store.search_nodes(MAIN, axis(1), limit=1)
        by_name = store.search_nodes(MAIN, axis(1), limit=1, by_name=True)
        assert by_search.ids.tolist() == [node_of("n6")]
        assert by_name.ids.tolist() == [node_of("n1")]
        store.compact()
    np.testing.assert_array_equal(
        store.node_vectors(MAIN, id_array(node_of("n2"), 99)), [axis(5), np.zeros(8)]
    )
    store.erase(MAIN, entry.origin)
    assert len(store.search_nodes(MAIN, axis(1), limit=8).ids) == 0
    store.close()
