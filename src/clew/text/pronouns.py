"""Words that stand for what an earlier sentence named."""

from __future__ import annotations

from clew.text.tokens import words

_PRONOUNS = frozenset(
    "he she it they his her hers its their theirs him them this these that those ele ela eles elas "
    "seu sua seus suas isso isto este esta esse essa aquele aquela".split()
)


def opens_with_pronoun(text: str) -> bool:
    """Return whether the first word of `text` is a pronoun, in English or Portuguese."""
    opening = words(text[:40])[:1]
    return bool(opening) and opening[0].text.casefold() in _PRONOUNS
