"""Relations in comparable form."""

from __future__ import annotations

from functools import lru_cache

from clew.text.stems import stem


@lru_cache(maxsize=10_000)
def relation_stem(relation: str) -> str:
    """Return a relation in comparable form: OWNS and OWNED are one."""
    return " ".join(stem(word) for word in relation.casefold().split("_"))
