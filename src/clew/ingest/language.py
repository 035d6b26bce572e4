"""Which language a text is in."""

from __future__ import annotations

import re
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

_SAMPLE = 4_000
_FEWEST_LETTERS = 20
_CONFIDENT = 0.5
_CODE_LENGTH = 2
_LETTER = re.compile(r"[^\W\d_]")
_NOISE = re.compile(r"https?://\S+|\S+@\S+|[`|#*_>\d]+")


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of `text`.

    None where the text has fewer than twenty letters (ten, where the script has no spaces) or the
    model is less than half sure. Only the first 4,000 characters are looked at.
    """
    sample = " ".join(_NOISE.sub(" ", text[:_SAMPLE]).split())
    letters = _LETTER.findall(sample)
    wide = sum(letter > "\u2e80" for letter in letters)
    if len(letters) + wide < _FEWEST_LETTERS:
        return None
    language, confidence = _identifier().classify(sample)
    known = confidence >= _CONFIDENT and len(language) == _CODE_LENGTH
    return str(language) if known else None
