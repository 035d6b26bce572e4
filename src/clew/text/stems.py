"""Light stems: English inflections of one word compare as equal (owns, owned, owning)."""

from __future__ import annotations

from functools import lru_cache

_SUFFIXES = ("ies", "ing", "ed", "es", "s")
_SHORTEST = 3


@lru_cache(maxsize=100_000)
def stem(term: str) -> str:
    """Return a folded word without its inflection; at least three letters stay."""
    for suffix in _SUFFIXES:
        if term.endswith(suffix) and len(term) - len(suffix) >= _SHORTEST:
            if suffix == "s" and term.endswith("ss"):
                return term
            bare = term[: -len(suffix)]
            return f"{bare}y" if suffix == "ies" else bare.removesuffix("e")
    return term.removesuffix("e") if len(term) > _SHORTEST else term
