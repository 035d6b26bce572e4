"""The guide's `GraphAwareCache` (part 3.1): retrievals by question, with what each of them used.

An entry carries the revision of its collection. At another revision it is given only if `holds`
says that all it read is still so (`retrieve.reads`), and is evicted otherwise: so a changed edge,
chunk, node or summary evicts what read it and leaves the rest. `invalidate_edge` and its like evict
the entries that show one thing, for whoever changes it past the store.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from time import monotonic

from clew.core.knowledge import EdgeType
from clew.core.results import PathStep, Retrieval
from clew.retrieve.reads import Reads

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
    """What the cache holds, and how often it could help.

    `kept` counts the hits that outlived a change of their collection, `evicted` the entries that
    did not.
    """

    entries: int
    hits: int
    misses: int
    kept: int = 0
    evicted: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    retrieval: Retrieval
    revision: Hashable
    stored_at: float
    parts: frozenset[tuple[Part, int]]
    reads: Reads | None


Holds = Callable[[Hashable, Reads], bool]
"""Whether what was read at a revision is still so."""


def _never(revision: Hashable, reads: Reads) -> bool:  # noqa: ARG001 - the signature of `Holds`
    return False


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
        self._kept = 0
        self._evicted = 0

    def get(self, key: Hashable, revision: Hashable, *, holds: Holds = _never) -> Retrieval | None:
        """Return what was put under `key` at this revision, None if it is gone or too old.

        What was put at another revision is given if it `holds`, and is then of this one.
        """
        entry = self._young(key)
        moved = entry is not None and entry.revision != revision
        # Asked without the lock: it reads the store.
        if entry is not None and moved:
            holding = entry.reads is not None and holds(entry.revision, entry.reads)
            entry = self._settled(key, entry, revision, holding=holding)
        with self._lock:
            if entry is None:
                self._misses += 1
                return None
            if key in self._entries:
                self._entries.move_to_end(key)
            self._hits += 1
            self._kept += moved
            return entry.retrieval

    def put(
        self, key: Hashable, revision: Hashable, retrieval: Retrieval, reads: Reads | None = None
    ) -> None:
        """Keep a retrieval; the one that was used least recently makes room for it.

        Without an account of its `reads`, any change of the collection evicts it.
        """
        with self._lock:
            self._evict(key)
            entry = _Entry(retrieval, revision, self._clock(), parts_of(retrieval), reads)
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
            return CacheStats(
                len(self._entries), self._hits, self._misses, self._kept, self._evicted
            )

    def _young(self, key: Hashable) -> _Entry | None:
        """Return an entry; one whose time is over is evicted."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and self._clock() - entry.stored_at >= self._ttl_seconds:
                self._evict(key)
                return None
            return entry

    def _settled(
        self, key: Hashable, entry: _Entry, revision: Hashable, *, holding: bool
    ) -> _Entry | None:
        """Mark an entry as one of `revision`, or evict it; another may stand there by now."""
        with self._lock:
            if self._entries.get(key) is entry:
                if holding:
                    self._entries[key] = replace(entry, revision=revision)
                else:
                    self._evict(key)
                    self._evicted += 1
            return entry if holding else None

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
    chunks |= {repeated.id for repeated in retrieval.suppressed}
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
