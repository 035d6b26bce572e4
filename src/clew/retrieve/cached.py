"""A retriever behind a `GraphAwareCache`: the same question to the same collection is read once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from time import perf_counter
from typing import Any

from clew.core.ports import Retriever
from clew.core.query import Query
from clew.core.results import Retrieval
from clew.retrieve.graph_aware_cache import GraphAwareCache

Clock = Callable[[], datetime]


class CachedRetriever:
    """Implements `Retriever`: gives a copy of what was found before, if nothing has changed since.

    `revision` says in which state a query finds its collection: where two states differ in what the
    query may read, their revisions must.
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
        revision: Callable[[Query], Hashable],
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        self._retriever = retriever
        self._cache = cache
        self._revision = revision
        self._clock = clock

    def retrieve(self, query: Query) -> Retrieval:
        """Return the evidence for a question; its timings are {"cache": ms} where it was kept."""
        if query.time_limit_ms is not None or query.latency_budget_ms is not None:
            return self._retriever.retrieve(query)
        start = perf_counter()
        key = (query_key(query), self._clock().date())
        # Read before the search: what a write changes meanwhile is then kept under the older one.
        revision = self._revision(query)
        kept = self._cache.get(key, revision)
        if kept is not None:
            return replace(kept, timings={"cache": (perf_counter() - start) * 1000.0})
        found = self._retriever.retrieve(query)
        if not found.partial:
            self._cache.put(key, revision, found)
        return found


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
