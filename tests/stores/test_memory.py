"""The reference store passes the suite that it defines."""

import pytest

from clew.stores.memory import MemoryStore
from clew.testing.store_conformance import *  # noqa: F403
from clew.testing.store_samples import MakeStore


@pytest.fixture
def make_store() -> MakeStore:
    return MemoryStore
