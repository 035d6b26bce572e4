"""A store read that fails stops the query in every mode: nothing is answered from a part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from clew.core.errors import StoreError
from clew.core.ports import Store
from clew.core.query import Filter, Query, RetrievalMode
from clew.retrieve.modes import ModeRetriever
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, node_of
from tests.retrieve.library import EMBEDDER, write_library

GRAPH_READS = {
    "steady",
    "node_names",
    "search_nodes",
    "find_names",
    "mention_counts",
    "expand",
    "node_vectors",
    "degrees",
    "hub_degree",
    "nodes",
    "edges",
    "in_scope",
    "chunks",
    "vectors",
}
READS = {
    RetrievalMode.VECTOR_ONLY: {"steady", "search_vector", "chunks", "vectors"},
    RetrievalMode.KEYWORD: {"steady", "search_text", "chunks"},
    RetrievalMode.KG_ONLY: GRAPH_READS,
    RetrievalMode.HYBRID: GRAPH_READS | {"search_vector", "search_text", "term_presence"},
}
CASES = [(mode, read) for mode, reads in READS.items() for read in sorted(reads)]

QUERY = Query(
    "Who founded the builder of the Blue Whale?",
    collection=MAIN,
    filter=Filter(sources=frozenset({"whale.md", "acme.md", "ada.md"})),
    seed_node_ids=(node_of("London"),),
    vector_expansion=False,
)


class Watched:
    """Hands every call on, notes its name, and fails at the n-th call of one method."""

    def __init__(self, store: Store, *, failing: str = "", at_call: int = 1) -> None:
        self._store = store
        self._failing = failing
        self._at_call = at_call
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., object]:
        method: Callable[..., object] = getattr(self._store, name)

        def watched(*args: object, **options: object) -> object:
            self.calls.append(name)
            if name == self._failing and self.calls.count(name) == self._at_call:
                raise StoreError(f"the disk holding {name} is gone")
            return method(*args, **options)

        return watched


@pytest.fixture(scope="module")
def plain() -> MemoryStore:
    store = MemoryStore()
    write_library(store)
    return store


def run(watched: Watched, mode: RetrievalMode) -> None:
    store = cast("Store", watched)
    ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER).retrieve(replace(QUERY, mode=mode))


@pytest.mark.parametrize("mode", READS)
def test_the_reads_of_a_mode_are_the_ones_listed(plain: MemoryStore, mode: RetrievalMode) -> None:
    watched = Watched(plain)
    run(watched, mode)
    assert set(watched.calls) == READS[mode]


@pytest.mark.parametrize(("mode", "read"), CASES)
def test_every_call_of_every_read_propagates(
    plain: MemoryStore, mode: RetrievalMode, read: str
) -> None:
    watched = Watched(plain)
    run(watched, mode)
    for call in range(1, watched.calls.count(read) + 1):
        failing = Watched(plain, failing=read, at_call=call)
        with pytest.raises(StoreError, match=f"the disk holding {read} is gone"):
            run(failing, mode)
        assert failing.calls.count(read) == call
        assert failing.calls[-1] == read
