"""Merged nodes in the embedded store: what it sets aside is whole, and goes with the collection."""

import pytest

from clew.stores.embedded.schema import COLLECTION_TABLES
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_merging_conformance import require_same, two_spellings
from clew.testing.store_samples import ADA, BOB, CY, MAIN


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "kb.clew")
    yield opened
    opened.close()


def rows_set_aside(store) -> int:
    with store._session.database.read() as connection:
        return sum(
            connection.execute(f"SELECT count(*) FROM {table} WHERE collection < 0").fetchone()[0]
            for table in COLLECTION_TABLES
        )


def test_examining_finds_nothing_more_and_mending_loses_nothing(store, tmp_path):
    entries = two_spellings(store)
    before = store.examine(full=True)
    store.set_merged(MAIN, {BOB: ADA})
    assert store.examine(full=True) == before
    store.mend()
    store.set_merged(MAIN, {})
    untouched = EmbeddedStore(tmp_path / "other.clew")
    two_spellings(untouched)
    require_same(untouched, store, *entries)
    untouched.close()


def test_nothing_stays_aside(store):
    two_spellings(store)
    store.set_merged(MAIN, {BOB: ADA, CY: ADA})
    assert rows_set_aside(store) > 0
    store.set_merged(MAIN, {})
    assert rows_set_aside(store) == 0
    store.set_merged(MAIN, {BOB: ADA})
    store.drop(MAIN)
    assert rows_set_aside(store) == 0


def test_what_is_erased_does_not_stay_aside(store):
    a, b = two_spellings(store)
    store.set_merged(MAIN, {BOB: ADA})
    for entry in (a, b):
        store.remove_document(MAIN, entry.document.id)
        store.erase(MAIN, entry.origin)
    assert rows_set_aside(store) == 0
