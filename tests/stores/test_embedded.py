"""The embedded store against the conformance suite of stores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.core.ports import Store
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_conformance import *  # noqa: F403
from clew.testing.store_samples import MakeStore


@pytest.fixture
def make_store(tmp_path: Path) -> Iterator[MakeStore]:
    """Give a maker of new stores, which are closed at the end."""
    numbers = itertools.count()
    made: list[EmbeddedStore] = []

    def make() -> Store:
        made.append(EmbeddedStore(tmp_path / f"{next(numbers)}.clew"))
        return made[-1]

    yield make
    for store in made:
        store.close()
