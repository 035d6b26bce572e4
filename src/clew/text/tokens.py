"""Words with their offsets, and the index terms of keyword search."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

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


def fold(word: str) -> str:
    """Return the comparable form of a word: case, accents and possessives removed."""
    plain = _POSSESSIVE.sub("", word.casefold())
    decomposed = unicodedata.normalize("NFKD", plain)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def terms(text: str) -> list[str]:
    """Return the index terms of `text`: folded words without stop words, in order."""
    folded = (fold(match.group()) for match in _WORD.finditer(text))
    return [term for term in folded if term and term not in STOP_WORDS]
