"""Words that a line end broke: joined, or kept as the compound that they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)-?$")
_HEAD = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3


def vocabulary(lines: Iterable[str]) -> frozenset[str]:
    """Return the words, compounds included, that stand unbroken in `lines`, case folded."""
    known: set[str] = set()
    for line in lines:
        for match in _WORD.finditer(line):
            if match.end() < len(line.rstrip("-")) or not line.endswith("-"):
                word = match.group().casefold()
                known.add(word)
                known.update(word.split("-"))
    return frozenset(known)


def join_broken(before: str, after: str, known: frozenset[str]) -> str:
    """Return `before` (which a hyphen ends, written or not) and `after` as one text.

    "exam-" and "ple" give "example"; the hyphen stays before a capital or a digit, and where the
    document writes the compound elsewhere or knows only its parts: "well-" and "known".
    """
    stem = before.removesuffix("-")
    tail, head = _TAIL.search(stem), _HEAD.match(after)
    if tail is None or head is None or not head.group()[0].islower():
        return f"{stem}-{after}"
    first, second = tail[1].casefold(), head.group().casefold()
    if first + second in known:
        return stem + after
    compound = f"{first}-{second}" in known
    two_words = first in known and second in known
    long_enough = min(len(first), len(second)) >= _SHORTEST_PART
    return f"{stem}-{after}" if compound or (two_words and long_enough) else stem + after
