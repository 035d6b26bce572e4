"""Letters without their accents, script by script: only where readers take both for the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Latin, Greek and Cyrillic accents, Hebrew points and Arabic vowel signs; not the voicing marks of
# kana or the signs of Indic scripts, which make other letters.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u0652\u0670]"
)


def without_accents(text: str) -> str:
    """Return `text` in compatibility form (full-width letters, ligatures) without accents."""
    if text.isascii():
        return text
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", plain)


def aligned_letters(text: str) -> str:
    """Return `text` in lower case without accents, each character at its old offset."""
    return "".join(map(_aligned_letter, text))


@lru_cache(maxsize=10_000)
def _aligned_letter(letter: str) -> str:
    plain = without_accents(letter.lower())
    return plain if len(plain) == 1 else letter
