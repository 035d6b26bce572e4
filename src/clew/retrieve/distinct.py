"""The best passages of a ranking without repetitions, and what was left out for which of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clew.core.arrays import Hits
from clew.core.ports import ChunkStore
from clew.core.query import Query
from clew.core.results import Suppressed
from clew.retrieve.duplicates import DuplicateFinder

_MOST_SEARCHES = 4


@dataclass(frozen=True, slots=True)
class Distinct:
    """At most `top_k` hits of distinct text, and the repetitions among those ranked above the
    last of them."""

    hits: Hits
    suppressed: tuple[Suppressed, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what to tell about passages that were left out."""
        return suppression_notes(self.suppressed)


def distinct_hits(query: Query, ranked: Hits, *, chunks: ChunkStore) -> Distinct:
    """Return the best of a ranking that is there in full; with `deduplicate` off, its beginning."""
    if not query.deduplicate:
        return Distinct(Hits(ranked.ids[: query.top_k], ranked.scores[: query.top_k]))
    finder = DuplicateFinder()
    kept: list[int] = []
    suppressed: list[Suppressed] = []
    for start in range(0, len(ranked.ids), query.top_k):
        if len(kept) == query.top_k:
            break
        block = ranked.ids[start : start + query.top_k].tolist()
        held = chunks.chunks(query.collection, block, principal=query.principal)
        texts = {chunk.id: chunk.text for chunk in held}
        for place, chunk in enumerate(block, start=start):
            if len(kept) == query.top_k:
                return Distinct(Hits(ranked.ids[kept], ranked.scores[kept]), tuple(suppressed))
            repeated = finder.take(chunk, texts[chunk]) if chunk in texts else None
            if repeated is None:
                kept.append(place)
            else:
                suppressed.append(repeated)
    return Distinct(Hits(ranked.ids[kept], ranked.scores[kept]), tuple(suppressed))


def search_distinct(query: Query, search: Callable[[int], Hits], *, chunks: ChunkStore) -> Distinct:
    """Return the best of a search that takes a limit; it goes deeper while repetitions leave room.

    After four searches, the last for eight times `top_k`, fewer than `top_k` may remain.
    """
    limit = query.top_k
    found = search(limit)
    best = distinct_hits(query, found, chunks=chunks)
    for _ in range(_MOST_SEARCHES - 1):
        if len(best.hits.ids) == query.top_k or len(found.ids) < limit:
            break
        limit *= 2
        found = search(limit)
        best = distinct_hits(query, found, chunks=chunks)
    return best


def suppression_notes(suppressed: tuple[Suppressed, ...]) -> tuple[str, ...]:
    """Return one note on how many passages were left out, none if there are none."""
    if not suppressed:
        return ()
    count = len(suppressed)
    what = "1 passage that repeats" if count == 1 else f"{count} passages that repeat"
    return (f"{what} a better ranked one left out (deduplicate=False shows all)",)
