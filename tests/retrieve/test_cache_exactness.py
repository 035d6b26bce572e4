"""A change evicts what read the thing that changed, and leaves the rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from clew.core.batches import CommunityBatch, GraphBatch, no_vectors
from clew.core.knowledge import Community, Standing
from clew.core.query import Query, RetrievalMode
from clew.retrieve.cached import CachedRetriever
from clew.retrieve.graph_aware_cache import GraphAwareCache
from clew.retrieve.modes import ModeRetriever
from clew.retrieve.recorded_store import RecordedStore
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.store_samples import (
    MAIN,
    NEW_YEAR,
    edge,
    filed,
    mention,
    node_of,
    node_vectors,
    say,
    write,
)
from tests.retrieve.library import EMBEDDER

NOW = datetime(2026, 1, 2, tzinfo=UTC)
CROWD = [f"Member {number}" for number in range(12)]
HERE, THERE = ("Ada", "Bob"), ("Gil", "Hal")


class World:
    """Two islands, Ada's and Gil's, and a crowd whose degrees make the hubs. Only things of Ada's
    have vectors, so that a question about her reads nothing of Gil's graph."""

    def __init__(self, folder):
        self.store = EmbeddedStore(folder)
        self.reader = EmbeddedStore(folder)
        self.cache = GraphAwareCache()
        self.plain = self._retriever(self.reader)
        self.cached = CachedRetriever(
            self._retriever(RecordedStore(self.reader)),
            self.cache,
            store=self.reader,
            clock=lambda: NOW,
        )
        self.pages = {}
        for names in (HERE, THERE):
            self.file(names[0], f"{names[0]} met {names[1]} by the sea.", names)
        crowd = self.file("crowd", "A crowd met.", CROWD)
        say(
            self.store,
            crowd,
            *(
                edge(leader, name, crowd.chunks[0], relation=f"leads {name}")
                for leader in CROWD[:2]
                for name in CROWD[2:]
            ),
        )
        self.assume(*HERE)
        self.assume(*THERE)

    def _retriever(self, store):
        return ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER, clock=lambda: NOW)

    def file(self, source, text, names):
        entry = filed(source, text)
        write(self.store, entry, vectors=list(EMBEDDER.embed_passages([text])))
        say(self.store, entry, *(mention(entry.chunks[0], name) for name in names))
        if names == HERE:
            vectors = EMBEDDER.embed_passages(list(names))
            self.store.write_node_vectors(
                MAIN,
                node_vectors(
                    entry.origin,
                    **{name: (row, row) for name, row in zip(names, vectors, strict=True)},
                ),
            )
        self.pages[source] = entry
        return entry

    def assume(self, first, second):
        told = edge(first, second, standing=Standing.ASSUMED)
        self.store.write_graph(MAIN, GraphBatch(node_of(first), edges=(told,)))

    def take_back(self, first):
        self.store.erase(MAIN, node_of(first))

    def merge(self, first, second):
        self.store.set_merged(MAIN, {node_of(first): node_of(second)})

    def summarise(self, *names):
        members = tuple(map(node_of, names))
        with self.store.transaction():
            self.store.write_communities(
                MAIN, CommunityBatch((Community(1, 0, "level0_1", members),), no_vectors())
            )
            self.store.set_fact(MAIN, "communities", ", ".join(names))

    def close(self):
        self.reader.close()
        self.store.close()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "s.clew")
    yield made
    made.close()


CHANGES = {
    "an edge comes": lambda world, names: world.assume(names[1], names[0]),
    "an edge goes": lambda world, names: world.take_back(names[0]),
    "things are merged": lambda world, names: world.merge(*names),
    "a summary is written": lambda world, names: world.summarise(*names),
    "a passage says more": lambda world, names: say(
        world.store,
        world.pages[names[0]],
        mention(world.pages[names[0]].chunks[0], names[1], start=3),
    ),
    "a passage is retired": lambda world, names: world.store.retire(
        MAIN, world.pages[names[0]].ids, NEW_YEAR
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize(("names", "is_kept"), [(HERE, False), (THERE, True)])
def test_a_changed_thing_evicts_what_read_it(world, change, names, is_kept):
    query = Query("Whom did Ada meet?", mode=RetrievalMode.KG_ONLY, collection=MAIN)
    world.cached.retrieve(query)
    assert list(world.cached.retrieve(query).timings) == ["cache"]
    change(world, names)
    fresh, found = world.plain.retrieve(query), world.cached.retrieve(query)
    assert replace(found, timings={}) == replace(fresh, timings={})
    assert (list(found.timings) == ["cache"]) is is_kept
    stats = world.cache.stats()
    assert (stats.kept, stats.evicted) == ((1, 0) if is_kept else (0, 1))


@pytest.mark.parametrize(
    ("mode", "text", "is_kept"),
    [
        ("vector_only", "Grain and coal.", True),
        ("vector_only", "Whom did Ada meet?", False),
        ("keyword", "Grain and coal.", False),
    ],
)
def test_a_new_passage_evicts_where_it_changes_the_result(world, mode, text, is_kept):
    """BM25 counts all passages: each of its scores is another one then."""
    query = Query("Whom did Ada meet?", mode=RetrievalMode(mode), collection=MAIN, top_k=1)
    before = world.cached.retrieve(query)
    world.file("new", text, ())
    fresh, found = world.plain.retrieve(query), world.cached.retrieve(query)
    assert replace(found, timings={}) == replace(fresh, timings={})
    assert (list(found.timings) == ["cache"]) is is_kept
    assert (fresh.results == before.results) is is_kept


def test_what_was_folded_away_drops_the_collection(world):
    query = Query("Whom did Ada meet?", mode=RetrievalMode.KG_ONLY, collection=MAIN)
    world.cached.retrieve(query)
    world.assume(THERE[1], THERE[0])
    world.store.compact()
    assert list(world.cached.retrieve(query).timings) != ["cache"]


def test_an_unknown_read_is_a_read_of_everything(world):
    class Curious:
        """Reads by a method of which no account is kept."""

        def __init__(self, store):
            self.store = store

        def retrieve(self, query):
            self.store.counts(query.collection)
            return world.plain.retrieve(query)

    cached = CachedRetriever(
        Curious(RecordedStore(world.reader)), GraphAwareCache(), store=world.reader
    )
    query = Query("Ada", mode=RetrievalMode.KG_ONLY, collection=MAIN)
    cached.retrieve(query)
    assert list(cached.retrieve(query).timings) == ["cache"]
    world.assume(THERE[1], THERE[0])
    assert list(cached.retrieve(query).timings) != ["cache"]
