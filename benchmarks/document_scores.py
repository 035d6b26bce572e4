"""How near the text of a document comes to a reference: its words, and the order of its parts."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_WORD = re.compile(r"[^\W_]+")
_OPENING = 6
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class OrderScore:
    """`tau` is Kendall's rank correlation of the parts' positions with their right order (1: all
    pairs in order, -1: all reversed; None where fewer than four were found, since three say
    nothing about the order of a page), `found` the share of the parts that were found."""

    tau: float | None
    found: float


def words_of(text: str) -> list[str]:
    """Return the words of a text or of Markdown: case folded, compatibility forms (ligatures,
    presentation forms) resolved, without comments, entities, escapes and underscores."""
    plain = _ESCAPE.sub("", html.unescape(_COMMENT.sub(" ", text)))
    return _WORD.findall(unicodedata.normalize("NFKC", plain).casefold())


def word_f1(text: str, reference: str) -> float:
    """Return the harmonic mean of precision and recall of the words, as multisets: twice what both
    have over the sum of their sizes. Two texts without words agree."""
    ours, theirs = Counter(words_of(text)), Counter(words_of(reference))
    size = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / size if size else 1.0


def openings_of(reference: str) -> list[str]:
    """Return the first six words of each paragraph of a reference that has so many."""
    blocks = (words_of(block) for block in re.split(r"\n\s*\n", reference))
    return [" ".join(block[:_OPENING]) for block in blocks if len(block) >= _OPENING]


def order_score(text: str, openings: Sequence[str]) -> OrderScore | None:
    """Return how far `text` holds parts in their order, each known by its opening words.

    A part counts at the only place of its opening; what occurs never or twice is not found. None
    where no openings are known.
    """
    if not openings:
        return None
    joined = f" {' '.join(words_of(text))} "
    sought = [f" {' '.join(words_of(opening))} " for opening in openings]
    both = [(joined.find(each), joined.rfind(each)) for each in sought]
    places = [first for first, last in both if first == last >= 0]
    found = len(places) / len(sought)
    if len(places) < _FEWEST:
        return OrderScore(None, found)
    pairs = list(combinations(places, 2))
    in_order = sum(first < second for first, second in pairs)
    swapped = sum(first > second for first, second in pairs)
    return OrderScore((in_order - swapped) / len(pairs), found)
