"""Words with their offsets, and the index terms of keyword search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from clew.text.folding import without_accents
from clew.text.stop_words import STOP_WORDS

_WORD = re.compile(r"\w+(?:['’]\w+)*")  # noqa: RUF001 - both apostrophes occur in real text
_POSSESSIVE = re.compile(r"['’]s?$")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Word:
    """A run of letters and digits: `text[start:end]` of the string it came from."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Return the words of `text` in order, punctuation left out."""
    return [Word(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


@lru_cache(maxsize=100_000)
def fold(word: str) -> str:
    """Return the comparable form of a word: case, accents and possessives removed."""
    plain = _POSSESSIVE.sub("", word.casefold())
    return without_accents(plain).replace("’", "'")  # noqa: RUF001


def folded_words(text: str) -> list[str]:
    """Return the folded words of `text` in order, as `[fold(word.text) for word in words(text)]`."""
    return [fold(word) for word in _WORD.findall(text)]


def terms(text: str) -> list[str]:
    """Return the index terms of `text`: folded words without stop words, in order."""
    return [term for term in folded_words(text) if term and term not in STOP_WORDS]
