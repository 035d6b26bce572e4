"""Exact and near duplicates among ranked texts: the best ranked of each kind is kept.

Two texts are near duplicates when their sets of shingles (five folded words in a row; a shorter text
is one shingle) have a Jaccard index of at least .9: the same passage with a word or a line changed.
Passages that merely overlap, or speak of the same thing, stay far below. Source: Broder, "On the
resemblance and containment of documents", 1997; sets are compared exactly, without sketches, since
only those that share a shingle are looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from clew.core.results import Suppressed
from clew.text.tokens import folded_words

SHINGLE_WORDS = 5
NEAR_DUPLICATE = 0.9


def content_signature(text: str) -> tuple[str, ...]:
    """Return what is equal for texts that differ in case, accents, spacing or punctuation alone."""
    return tuple(folded_words(text))


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of five words of a text; a text without words has its own characters."""
    words = content_signature(text) or (text,)
    count = max(len(words) - SHINGLE_WORDS + 1, 1)
    return frozenset(words[start : start + SHINGLE_WORDS] for start in range(count))


@dataclass(frozen=True, slots=True)
class _Kept:
    identifier: int
    size: int


class DuplicateFinder:
    """Takes texts best first and tells which repeat one that was taken before."""

    def __init__(self, threshold: float = NEAR_DUPLICATE) -> None:
        self._threshold = threshold
        self._kept: list[_Kept] = []
        self._holders: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)

    def take(self, identifier: int, text: str) -> Suppressed | None:
        """Return what `text` repeats, the nearest first found; None means that it is kept."""
        found = shingles(text)
        shared = Counter(place for one in found for place in self._holders.get(one, ()))
        nearest, similarity = -1, 0.0
        for place, common in shared.items():
            index = common / (len(found) + self._kept[place].size - common)
            if (index, -place) > (similarity, -nearest):
                nearest, similarity = place, index
        if nearest >= 0 and similarity >= self._threshold:
            return Suppressed(identifier, self._kept[nearest].identifier, similarity)
        for one in found:
            self._holders[one].append(len(self._kept))
        self._kept.append(_Kept(identifier, len(found)))
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
