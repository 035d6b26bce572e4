"""What a retrieval read of the stores, and whether it would read the same again.

Reads of single rows are kept as ids, and the store's list of changes tells whether one of them
differs. Searches read a whole collection (a new passage changes the weights of words, and may
outrank what was found), so they are asked again and must find the same. Both together are sound:
a retrieval is a function of its reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Hits, Ids
from clew.core.changes import Changes

Found = object
_Short = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Search:
    """A read that is asked again, and what it found."""

    again: Callable[[], Found]
    found: Found

    def agrees(self) -> bool:
        """Return whether it finds the same now."""
        return _equal(self.again(), self.found)


@dataclass(frozen=True, slots=True)
class Reads:
    """The reads of one retrieval.

    `rows` are sorted ids of chunks, documents and nodes, shortened to 32 bits to save memory: two
    ids that look alike evict once too often. `searches` depend on the collection, and those of
    `communities` on communities and facts besides. `whole` says that something was read of which no
    account is kept: any change then counts.
    """

    rows: _Short
    searches: tuple[Search, ...] = ()
    communities: tuple[Search, ...] = ()
    whole: bool = False
    scoped: bool = False

    def hold(self, changes: Changes) -> bool:
        """Return whether every read would give the same after the changes of a collection.

        Of a scoped retrieval (a filter, or a principal with groups) any changed document, node or
        edge counts: it may have come into the scope.
        """
        if changes and self.whole:
            return False
        if self.scoped and any(map(len, (changes.documents, changes.nodes, changes.edges))):
            return False
        touched = (changes.chunks, changes.documents, changes.nodes)
        if any(_meet(self.rows, _short(ids)) for ids in touched):
            return False
        return not changes or all(search.agrees() for search in self.searches)

    def hold_communities(self) -> bool:
        """Return whether what was read of communities is still so."""
        return not self.whole and all(search.agrees() for search in self.communities)


@dataclass(slots=True)
class ReadLog:
    """Collects the reads of one retrieval while it runs."""

    rows: list[Ids] = field(default_factory=list[Ids])
    searches: list[Search] = field(default_factory=list[Search])
    communities: list[Search] = field(default_factory=list[Search])
    whole: bool = False

    def note_rows(self, ids: Ids | Sequence[int]) -> None:
        """Remember reads of single rows."""
        self.rows.append(np.asarray(ids, np.int64))

    def reads(self, *, scoped: bool) -> Reads:
        """Return what was collected."""
        rows = _short(np.concatenate(self.rows)) if self.rows else np.empty(0, np.uint32)
        rows.sort()
        return Reads(rows, tuple(self.searches), tuple(self.communities), self.whole, scoped)


_CURRENT: ContextVar[ReadLog | None] = ContextVar("reads of a retrieval", default=None)


@contextmanager
def recorded() -> Iterator[ReadLog]:
    """Collect what this thread reads through a `RecordedStore` until the context ends."""
    log = ReadLog()
    token = _CURRENT.set(log)
    try:
        yield log
    finally:
        _CURRENT.reset(token)


def current_log() -> ReadLog | None:
    """Return the log of the retrieval that runs in this thread, None outside of one."""
    return _CURRENT.get()


def _short(ids: Ids) -> _Short:
    return (ids & 0xFFFFFFFF).astype(np.uint32)


def _meet(rows: _Short, changed: _Short) -> bool:
    if not len(rows) or not len(changed):
        return False
    places = np.minimum(np.searchsorted(rows, changed), len(rows) - 1)
    return bool((rows[places] == changed).any())


def _equal(first: Found, second: Found) -> bool:
    if isinstance(first, Hits) and isinstance(second, Hits):
        return np.array_equal(first.ids, second.ids) and np.array_equal(first.scores, second.scores)
    return bool(first == second)
