"""A retriever behind a `GraphAwareCache`: the same question to the same collection is read once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from clew.core.changes import Changes
from clew.core.ports import Retriever, Store
from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.graph_aware_cache import GraphAwareCache
from clew.retrieve.reads import Reads, recorded

Clock = Callable[[], datetime]


class State(NamedTuple):
    """The state in which a query finds its collection: the store's revision leaves communities out,
    and the facts of the collection tell when they were built."""

    revision: int
    facts: Hashable


class CachedRetriever:
    """Implements `Retriever`: gives a copy of what was found before, if nothing that it read has
    changed since.

    Args:
        retriever: it must read through a `RecordedStore` over `store`, in the thread of the call.
        store: tells the state of a collection, and what changed since another one.

    The key is every parameter of the query, the principal and the filter among them, and the day:
    recency counts from the present. Model and settings are those of the retriever behind. What may
    have been cut short by time is read anew: a query with a time limit or a latency budget is not
    kept, nor is a partial result.
    """

    def __init__(
        self,
        retriever: Retriever,
        cache: GraphAwareCache,
        *,
        store: Store,
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        self._retriever = retriever
        self._cache = cache
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._last: tuple[Hashable, Changes | None] = (None, None)

    def retrieve(self, query: Query) -> Retrieval:
        """Return the evidence for a question; its timings are {"cache": ms} where it was kept."""
        if query.time_limit_ms is not None or query.latency_budget_ms is not None:
            return self._retriever.retrieve(query)
        start = perf_counter()
        key = (query_key(query), self._clock().date())
        # Read before the search: what a write changes meanwhile is then kept under the older one.
        state = self._state(query.collection)
        kept = self._cache.get(key, state, holds=partial(self._holds, query.collection, state))
        if kept is not None:
            return replace(kept, timings={"cache": (perf_counter() - start) * 1000.0})
        with recorded() as log:
            found = self._retriever.retrieve(query)
        if not found.partial:
            scoped = query.principal.groups is not None or not query.filter.is_empty()
            self._cache.put(key, state, found, log.reads(scoped=scoped))
        return found

    def _state(self, collection: str) -> State:
        facts = self._store.facts(collection)
        return State(self._store.revision(collection), tuple(sorted(facts.items())))

    def _holds(self, collection: str, now: State, then: Hashable, reads: Reads) -> bool:
        if not isinstance(then, State):
            return False
        changes = self._changes(collection, then.revision, now.revision)
        if changes is None or not reads.hold(changes):
            return False
        return then.facts == now.facts or reads.hold_communities()

    def _changes(self, collection: str, then: int, now: int) -> Changes | None:
        """Return what changed; the last list is kept, for many entries ask for the same."""
        key = (collection, then, now)
        with self._lock:
            known, changes = self._last
        if known != key:
            changes = self._store.changes_since(collection, then)
            with self._lock:
                self._last = (key, changes)
        return changes


def query_key(query: Query) -> Hashable:
    """Return a key that is equal for queries which ask the same; 1, 1.0 and True are different."""
    return _key(query)


def _key(value: Any) -> Hashable:  # noqa: ANN401 - any parameter of a query
    if isinstance(value, Enum):
        return (type(value).__name__, value.value)
    if is_dataclass(value) and not isinstance(value, type):
        return (
            type(value).__name__,
            *(_key(getattr(value, field.name)) for field in fields(value)),
        )
    if isinstance(value, frozenset):
        return ("frozenset", frozenset(_key(item) for item in value))
    if isinstance(value, tuple):
        return ("tuple", *(_key(item) for item in value))
    if isinstance(value, datetime):
        return ("datetime", value.astimezone(UTC))
    if isinstance(value, float):
        return ("float", repr(value))
    return (type(value).__name__, value)
