"""One library for every test of a module, in each store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clew.core.ports import Store
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MakeStore
from tests.retrieve.library import Library, write_library


@pytest.fixture(scope="module", params=["memory", "embedded"])
def make_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeStore]:
    """Give a maker of new, empty stores, which are closed at the end."""
    made: list[Store] = []
    folder = tmp_path_factory.mktemp("stores")

    def make() -> Store:
        embedded = request.param == "embedded"
        made.append(EmbeddedStore(folder / f"{len(made)}.clew") if embedded else MemoryStore())
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture(scope="module")
def library(make_store: MakeStore) -> Library:
    """Return the library, which tests do not change."""
    return write_library(make_store())
