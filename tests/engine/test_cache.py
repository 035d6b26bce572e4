"""The facade gives what it found before only while nothing has changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.core.query import Principal
from clew.settings.model import CacheSettings, Settings
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

QUESTION = "Who supplies Gamma Mills and sued Beta Labs?"


@pytest.fixture(params=["memory", "embedded"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "s.clew")
    yield made
    made.close()


@pytest.fixture
def clew(store):
    with open_clew(store) as opened:
        opened.add(
            {"source": "a", "title": "Notes 1", "text": "Acme Corp sued Beta Labs."},
            {"source": "b", "title": "Notes 2", "text": "Big Rock supplies Gamma Mills."},
        )
        yield opened


def is_kept(clew, **parameters):
    return list(clew.search(QUESTION, mode="hybrid", **parameters).timings) == ["cache"]


@pytest.mark.parametrize(
    "change",
    [
        lambda clew: clew.add({"source": "c", "title": "Notes 3", "text": "Beta Labs closed."}),
        lambda clew: clew.add({"source": "a", "title": "Notes 1", "text": "Acme Corp won."}),
        lambda clew: clew.remove("a"),
        lambda clew: clew.entities.merge("Acme Corp", "Big Rock"),
    ],
    ids=["add", "change", "remove", "merge"],
)
def test_a_change_is_seen_by_the_next_question(clew, store, change):
    clew.search(QUESTION, mode="hybrid")
    assert is_kept(clew)
    change(clew)
    found = clew.search(QUESTION, mode="hybrid")
    fresh = open_clew(store, settings=Settings(cache=CacheSettings(enabled=False)))
    wanted = fresh.search(QUESTION, mode="hybrid")
    assert list(found.timings) != ["cache"]
    assert replace(found, timings={}) == replace(wanted, timings={})
    assert is_kept(clew)


def test_another_principal_has_entries_of_its_own(clew):
    clew.search(QUESTION, mode="hybrid")
    assert not is_kept(clew, principal=Principal(frozenset({"staff"})))
    assert is_kept(clew, principal=Principal(frozenset({"staff"})))


def test_a_summary_that_is_built_anew_is_seen(clew):
    clew.build_communities()
    clew.search(QUESTION, mode="community")
    assert list(clew.search(QUESTION, mode="community").timings) == ["cache"]
    clew.add({"source": "d", "title": "Notes 4", "text": "Acme Corp met Beta Labs in Ghent."})
    found = clew.search(QUESTION, mode="community")
    assert list(found.timings) != ["cache"]


def test_the_cache_can_be_switched_off(store):
    with open_clew(store, settings=Settings(cache=CacheSettings(enabled=False))) as clew:
        clew.add({"source": "a", "title": "Notes 1", "text": "Acme Corp sued Beta Labs."})
        clew.search(QUESTION, mode="hybrid")
        assert not is_kept(clew)
