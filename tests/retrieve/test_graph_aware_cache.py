"""The cache of retrievals, and that it never gives what is no longer so."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from clew.core.knowledge import Community, EdgeType
from clew.core.query import (
    Comparison,
    Condition,
    Filter,
    FusionMode,
    Principal,
    Query,
    RetrievalMode,
)
from clew.core.results import Path, PathStep, Provenance, RankedCommunity, Result, Retrieval
from clew.retrieve.cached import CachedRetriever, query_key
from clew.retrieve.graph_aware_cache import CacheStats, GraphAwareCache
from clew.retrieve.reads import Reads
from clew.stores.memory import MemoryStore

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ASKED = Query("who?")


def found(*, edges=(), chunks=(), nodes=(), communities=()):
    steps = tuple(
        PathStep(50, 51, "a", "b", number, EdgeType.CAUSES, "causes", True, 0.5) for number in edges
    )
    return Retrieval(
        ASKED,
        tuple(Result(number, 1, "text", 0.5) for number in chunks),
        paths=(Path(steps),) if steps else (),
        provenance=tuple(Provenance(number, "n", 0.1, 1, False, 0) for number in nodes),
        communities=tuple(
            RankedCommunity(Community(number, 0, "level0_1", ()), 0.5) for number in communities
        ),
    )


class TestCache:
    def test_each_part_evicts_exactly_what_used_it(self):
        cache = GraphAwareCache()
        held = {
            "edge": found(edges=[1]),
            "other edge": found(edges=[2]),
            "chunk": found(chunks=[1]),
            "node": found(nodes=[1]),
            "summary": found(communities=[1]),
        }
        for evict, gone in (
            (cache.invalidate_edge, "edge"),
            (cache.invalidate_chunk, "chunk"),
            (cache.invalidate_node, "node"),
            (cache.invalidate_community, "summary"),
        ):
            for key, value in held.items():
                cache.put(key, 0, value)
            assert evict(1) == 1
            assert evict(1) == 0
            assert [key for key in held if cache.get(key, 0) is None] == [gone]
        assert cache.invalidate_node(50) == 2

    def test_the_least_recently_used_makes_room(self):
        cache = GraphAwareCache(max_size=2)
        for key in "ab":
            cache.put(key, 0, found())
        assert cache.get("a", 0) is not None
        cache.put("c", 0, found())
        assert [cache.get(key, 0) is not None for key in "abc"] == [True, False, True]
        assert cache.stats() == CacheStats(entries=2, hits=3, misses=1)

    def test_time_and_revision_end_an_entry(self):
        now = [0.0]
        cache = GraphAwareCache(ttl_seconds=10, clock=lambda: now[0])
        cache.put("a", 7, found())
        now[0] = 9.0
        assert cache.get("a", 7) is not None
        assert cache.get("a", 8) is None
        cache.put("a", 8, found())
        now[0] = 19.0
        assert cache.get("a", 8) is None
        assert cache.stats() == CacheStats(entries=0, hits=1, misses=2, evicted=1)

    def test_an_entry_of_another_revision_is_given_if_what_it_read_holds(self):
        cache = GraphAwareCache()
        reads = Reads(np.array([3], np.uint32))
        asked = []

        def holds(revision, known):
            asked.append((revision, known))
            return revision == 1

        cache.put("a", 1, found(), reads)
        assert cache.get("a", 2, holds=holds) is not None
        assert asked == [(1, reads)]
        assert cache.get("a", 2, holds=holds) is not None
        assert len(asked) == 1
        assert cache.get("a", 3, holds=holds) is None
        assert cache.stats() == CacheStats(entries=0, hits=2, misses=1, kept=1, evicted=1)

    def test_without_an_account_of_its_reads_nothing_outlives_a_change(self):
        cache = GraphAwareCache()
        cache.put("a", 1, found())
        assert cache.get("a", 2, holds=lambda revision, reads: True) is None

    def test_what_is_put_again_is_no_longer_known_by_its_old_parts(self):
        cache = GraphAwareCache()
        cache.put("a", 0, found(edges=[1]))
        cache.put("a", 0, found(edges=[2]))
        assert cache.invalidate_edge(1) == 0
        assert cache.invalidate_edge(2) == 1

    def test_the_defaults_are_the_guides(self):
        defaults = GraphAwareCache.__init__.__defaults__
        assert defaults == (10_000, 3600.0)


class TestKey:
    @pytest.mark.parametrize(
        "change",
        [
            {"text": "whom?"},
            {"mode": RetrievalMode.KEYWORD},
            {"collection": "other"},
            {"principal": Principal(frozenset())},
            {"filter": Filter(labels=frozenset({"Person"}))},
            {"top_k": 9},
            {"fusion_mode": FusionMode.GRAPH_FIRST},
            {"seed_node_ids": (1,)},
            {"temporal_at": NOW},
            {"known_as_of": NOW},
            {"deduplicate": False},
        ],
    )
    def test_every_parameter_counts(self, change):
        assert query_key(replace(ASKED, **change)) != query_key(ASKED)

    def test_values_that_python_calls_equal_are_told_apart(self):
        keys = {
            query_key(Query("x", filter=Filter(metadata=Condition("n", Comparison.EQUAL, value))))
            for value in (1, 1.0, True, "1")
        }
        assert len(keys) == 4

    def test_the_same_moment_is_the_same_key(self):
        elsewhere = NOW.astimezone(timezone(timedelta(hours=5)))
        assert query_key(Query("x", temporal_at=NOW)) == query_key(
            Query("x", temporal_at=elsewhere)
        )


class Counting:
    def __init__(self, partial=()):
        self.asked = 0
        self.partial = partial

    def retrieve(self, query):
        self.asked += 1
        return replace(found(), query=query, partial=self.partial)


class TestRetriever:
    def test_the_second_time_is_free(self):
        behind = Counting()
        cached = CachedRetriever(behind, GraphAwareCache(), store=MemoryStore())
        first, second = cached.retrieve(ASKED), cached.retrieve(ASKED)
        assert behind.asked == 1
        assert replace(second, timings={}) == replace(first, timings={})
        assert list(second.timings) == ["cache"]

    def test_the_next_day_is_another(self):
        days = iter([NOW, NOW, NOW + timedelta(days=1)])
        behind = Counting()
        cached = CachedRetriever(
            behind, GraphAwareCache(), store=MemoryStore(), clock=lambda: next(days)
        )
        for _ in range(3):
            cached.retrieve(ASKED)
        assert behind.asked == 2

    @pytest.mark.parametrize(
        ("query", "partial"),
        [
            (replace(ASKED, time_limit_ms=5), ()),
            (replace(ASKED, latency_budget_ms=5), ()),
            (ASKED, ("the walk reached its edge budget",)),
        ],
    )
    def test_what_time_may_have_cut_is_read_anew(self, query, partial):
        behind = Counting(partial)
        cached = CachedRetriever(behind, GraphAwareCache(), store=MemoryStore())
        cached.retrieve(query)
        cached.retrieve(query)
        assert behind.asked == 2
