"""Entities renamed per copy: the letters of their names are exchanged, lengths stay.

Vowels are exchanged for vowels and consonants for consonants, so that names stay names and spans
stay where they are. Words that are no part of a capitalised name stay: they are shared by all
copies, and the concepts that they name become hubs, as in one large corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from clew.text.stop_words import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnpqrstvwxyz"


def entity_words(surfaces: Iterable[str]) -> frozenset[str]:
    """Return the capitalised words of names, stop words left out."""
    return frozenset(
        word
        for surface in surfaces
        for word in _WORD.findall(surface)
        if word[0].isupper() and word.lower() not in STOP_WORDS
    )


class Renaming:
    """Renames the entities of one copy; copy 0 keeps its names."""

    def __init__(self, copy: int, words: frozenset[str]) -> None:
        self.copy = copy
        self._words = words
        self._known: dict[str, str] = {}
        random = np.random.default_rng([copy, 7])
        table: dict[str, str] = {}
        for letters in (_VOWELS, _CONSONANTS):
            shuffled = "".join(random.permutation(list(letters)))
            table |= dict(zip(letters + letters.upper(), shuffled + shuffled.upper(), strict=True))
        self._table = str.maketrans(table)

    def __call__(self, text: str) -> str:
        """Return the text with its entities renamed; it has the same length."""
        return text if self.copy == 0 else _WORD.sub(self._word, text)

    def name(self, surface: str) -> str:
        """Return what `surface` becomes; remembered, since names recur."""
        known = self._known.get(surface)
        if known is None:
            known = self._known[surface] = self(surface)
        return known

    def _word(self, match: re.Match[str]) -> str:
        word = match.group()
        return word.translate(self._table) if word in self._words else word
