"""Where a text says what a model copied from it, whatever it did to case, accents and blanks."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from clew.core.documents import Span
from clew.text.folding import aligned_letters

_SAME = str.maketrans(
    {
        "[": "(", "]": ")", "<": "‹", ">": "›", "’": "'", "‘": "'", "´": "'", "`": "'",  # noqa: RUF001
        "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-", "‑": "-", "−": "-",  # noqa: RUF001
    }
)  # fmt: skip
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_MARKS = " \t\n.,;:!?\"'*_"


@dataclass(frozen=True, slots=True)
class _Folded:
    """Comparable characters, and the place of each in the text that they came from."""

    text: str
    places: tuple[int, ...]


def locate(text: str, wanted: str) -> list[Span]:
    """Return where `text` holds `wanted` as whole words, in order and without overlaps.

    Case, accents, kinds of quotes and dashes, brackets, runs of blanks and invisible characters
    make no difference; punctuation around `wanted` is left out.
    """
    needle = _folded(wanted.strip(_MARKS)).text.strip()
    if not any(char.isalnum() for char in needle):
        return []
    held = _folded(text)
    found: list[Span] = []
    start = held.text.find(needle)
    while start >= 0:
        end = start + len(needle)
        if _is_whole(held.text, start, end):
            found.append(Span(held.places[start], held.places[end - 1] + 1))
            start = held.text.find(needle, end)
        else:
            start = held.text.find(needle, start + 1)
    return found


@lru_cache(maxsize=256)
def _folded(text: str) -> _Folded:
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(aligned_letters(text).translate(_SAME)):
        if char.isspace():
            if chars and chars[-1] != " ":
                chars.append(" ")
                places.append(place)
        elif unicodedata.category(char) not in _INVISIBLE:
            chars.append(char)
            places.append(place)
    return _Folded("".join(chars), tuple(places))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether no word is cut at either end."""
    before = start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
    after = end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum())
    return before and after
