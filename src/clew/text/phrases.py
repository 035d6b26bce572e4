"""Finding phrases: a row of folded words, stop words included ("The Who" is a name)."""

from __future__ import annotations

from collections.abc import Sequence

from clew.text.tokens import fold, words

_BETWEEN = "\x1f"


def phrase_tokens(text: str) -> tuple[str, ...]:
    """Return the folded words of `text`, in order."""
    folded = (fold(word.text) for word in words(text))
    return tuple(token for token in folded if token)


def joined_tokens(tokens: Sequence[str]) -> str:
    """Return one string in which a row of tokens is a substring exactly where it is a row."""
    return "".join(f"{_BETWEEN}{token}" for token in tokens) + _BETWEEN
