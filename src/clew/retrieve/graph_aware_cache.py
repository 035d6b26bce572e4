"""The guide's `GraphAwareCache` (part 3.1): retrievals by question, with what each of them used.

Two things evict. Every entry carries the revision of its collection, and one of an older revision
is never given: a new passage may change the answer to any question, since it changes the statistics
of words, or outranks what was found. And `invalidate_edge` and its like evict exactly the entries
that used an edge, chunk, node or community, for whoever changes one of them by another way.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from clew.core.knowledge import EdgeType
from clew.core.results import PathStep, Retrieval

MAX_SIZE = 10_000
TTL_SECONDS = 3600.0


class Part(StrEnum):
    """Kinds of thing that a retrieval uses."""

    EDGE = "edge"
    CHUNK = "chunk"
    NODE = "node"
    COMMUNITY = "community"


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What the cache holds, and how often it could help."""

    entries: int
    hits: int
    misses: int


@dataclass(frozen=True, slots=True)
class _Entry:
    retrieval: Retrieval
    revision: Hashable
    stored_at: float
    parts: frozenset[tuple[Part, int]]


class GraphAwareCache:
    """Keeps the retrievals used last, each for a limited time. Safe to use from several threads."""

    def __init__(
        self,
        max_size: int = MAX_SIZE,
        ttl_seconds: float = TTL_SECONDS,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._max_size = max_size
        self._ttl_seconds = ttl_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._users: dict[tuple[Part, int], set[Hashable]] = defaultdict(set)
        self._hits = 0
        self._misses = 0

    def get(self, key: Hashable, revision: Hashable) -> Retrieval | None:
        """Return what was put under `key` at this revision, None if it is gone or too old."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and (
                entry.revision != revision or self._clock() - entry.stored_at >= self._ttl_seconds
            ):
                self._evict(key)
                entry = None
            if entry is None:
                self._misses += 1
                return None
            self._entries.move_to_end(key)
            self._hits += 1
            return entry.retrieval

    def put(self, key: Hashable, revision: Hashable, retrieval: Retrieval) -> None:
        """Keep a retrieval; the one that was used least recently makes room for it."""
        with self._lock:
            self._evict(key)
            entry = _Entry(retrieval, revision, self._clock(), parts_of(retrieval))
            self._entries[key] = entry
            for part in entry.parts:
                self._users[part].add(key)
            while len(self._entries) > self._max_size:
                self._evict(next(iter(self._entries)))

    def invalidate_edge(self, edge_id: int) -> int:
        """Evict what used an edge; return how many entries went."""
        return self._invalidate(Part.EDGE, edge_id)

    def invalidate_chunk(self, chunk_id: int) -> int:
        """Evict what used a passage; return how many entries went."""
        return self._invalidate(Part.CHUNK, chunk_id)

    def invalidate_node(self, node_id: int) -> int:
        """Evict what used a node, as after a merge; return how many entries went."""
        return self._invalidate(Part.NODE, node_id)

    def invalidate_community(self, community_id: int) -> int:
        """Evict what used a community's summary; return how many entries went."""
        return self._invalidate(Part.COMMUNITY, community_id)

    def clear(self) -> None:
        """Evict everything."""
        with self._lock:
            self._entries.clear()
            self._users.clear()

    def stats(self) -> CacheStats:
        """Return counts since the cache was made."""
        with self._lock:
            return CacheStats(len(self._entries), self._hits, self._misses)

    def _invalidate(self, part: Part, identifier: int) -> int:
        with self._lock:
            users = list(self._users.get((part, identifier), ()))
            for key in users:
                self._evict(key)
            return len(users)

    def _evict(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        for part in entry.parts if entry is not None else ():
            users = self._users[part]
            users.discard(key)
            if not users:
                del self._users[part]


def parts_of(retrieval: Retrieval) -> frozenset[tuple[Part, int]]:
    """Return the edges, chunks, nodes and communities that a retrieval shows."""
    steps = [
        *(step for path in retrieval.paths for step in path.steps),
        *retrieval.subgraph.edges,
    ]
    nodes = {item.node for item in retrieval.provenance}
    nodes |= {node.id for node in retrieval.subgraph.nodes}
    chunks = {result.id for result in retrieval.results}
    for step in steps:
        nodes |= {step.source, step.target}
        chunks |= _chunks_of(step)
    return frozenset(
        {
            *_marked(Part.EDGE, (step.edge for step in steps)),
            *_marked(Part.CHUNK, chunks),
            *_marked(Part.NODE, nodes),
            *_marked(Part.COMMUNITY, (item.community.id for item in retrieval.communities)),
        }
    )


def _chunks_of(step: PathStep) -> set[int]:
    """Return the passage that states a step; a MENTIONS edge leads from its passage to a node."""
    found = {step.chunk} if step.chunk is not None else set[int]()
    if step.kind is EdgeType.MENTIONS:
        found.add(step.source if step.forward else step.target)
    return found


def _marked(part: Part, identifiers: Iterable[int]) -> Iterable[tuple[Part, int]]:
    return ((part, identifier) for identifier in identifiers)
