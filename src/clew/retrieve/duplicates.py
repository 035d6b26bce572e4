"""Exact and near duplicates among ranked texts: the best ranked of each kind is kept.

Two texts are near duplicates when their sets of shingles (five folded words in a row; a shorter text
is one shingle) have a Jaccard index of at least .9: the same passage with a word or a line changed.
Passages that merely overlap, or speak of the same thing, stay far below. Source: Broder, "On the
resemblance and containment of documents", 1997; sets are compared exactly, without sketches, since
only those that share a shingle are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clew.core.results import Suppressed
from clew.text.tokens import folded_words

SHINGLE_WORDS = 5
NEAR_DUPLICATE = 0.9
_ROUNDING = 1e-9


def content_signature(text: str) -> tuple[str, ...]:
    """Return what is equal for texts that differ in case, accents, spacing or punctuation alone."""
    return tuple(folded_words(text))


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of five words of a text; a text without words has its own characters."""
    words = content_signature(text) or (text,)
    if len(words) < SHINGLE_WORDS:
        return frozenset([words])
    return frozenset(zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False))


@dataclass(frozen=True, slots=True)
class _Kept:
    identifier: int
    shingles: frozenset[tuple[str, ...]]


class DuplicateFinder:
    """Takes texts best first and tells which repeat one that was taken before."""

    def __init__(self, threshold: float = NEAR_DUPLICATE) -> None:
        self._threshold = threshold
        self._kept: list[_Kept] = []

    def take(self, identifier: int, text: str) -> Suppressed | None:
        """Return what `text` repeats, the nearest first found; None means that it is kept."""
        found = shingles(text)
        nearest, similarity = -1, 0.0
        size = len(found)
        for kept in self._kept:
            other = len(kept.shingles)
            # A set is never more like another than their sizes are.
            if min(size, other) < self._threshold * max(size, other) - _ROUNDING:
                continue
            common = len(found & kept.shingles)
            index = common / (size + other - common)
            if index > similarity:
                nearest, similarity = kept.identifier, index
        if similarity > 0 and similarity >= self._threshold:
            return Suppressed(identifier, nearest, similarity)
        self._kept.append(_Kept(identifier, found))
        return None


def split_duplicates(
    texts: Sequence[tuple[int, str]], *, threshold: float = NEAR_DUPLICATE
) -> tuple[list[int], list[Suppressed]]:
    """Return the ids that are kept, in order, and what was left out for which of them."""
    finder = DuplicateFinder(threshold)
    kept: list[int] = []
    suppressed: list[Suppressed] = []
    for identifier, text in texts:
        repeated = finder.take(identifier, text)
        if repeated is None:
            kept.append(identifier)
        else:
            suppressed.append(repeated)
    return kept, suppressed
