"""May two names that look alike be one thing? Tokens that must agree whatever a vector says."""

from __future__ import annotations

import re

from clew.text.names import name_key, same_numbers

_CONTRASTS = frozenset(
    """
    north south east west northern southern eastern western upper lower first second third fourth
    fifth sixth seventh eighth ninth tenth last next new old great little greater lesser left right
    major minor junior senior jr sr male female men women mens womens boys girls inner outer
    internal external positive negative pre post non anti pro micro macro mini mega import export
    imports exports increase decrease spring summer autumn fall winter mother father son daughter
    brother sister king queen prince princess black white red blue green yellow
    """.split()
)
_ROMAN = re.compile(r"(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")
_ARTICLE = re.compile(r"\ba (?=\w)")
_SUFFIXES = frozenset("jr sr ii iii iv".split())


def may_be_same(first: str, second: str, *, person: bool) -> bool:
    """Return whether nothing in two names' tokens forbids that they name one thing.

    Numbers, Roman numerals and words of contrast (north, first, junior) must be equal. Names of
    persons must have the same first and the same last token; a single token is no evidence.
    """
    if not same_numbers(first, second):
        return False
    one, other = name_key(first).split(), name_key(second).split()
    if "".join(one) == "".join(other):
        return True
    if not one or not other or _distinguishing(first) != _distinguishing(second):
        return False
    if _is_demonym(one, other) or _is_demonym(other, one):
        return False
    if not person:
        return True
    return len(one) > 1 and len(other) > 1 and one[0] == other[0] and one[-1] == other[-1]


def _is_demonym(place: list[str], people: list[str]) -> bool:
    """Return whether the second is the first as an adjective: America, American."""
    if place[:-1] != people[:-1]:
        return False
    stems = (place[-1], place[-1].removesuffix("a"), place[-1].removesuffix("y"))
    return people[-1] in {stem + ending for stem in stems for ending in ("n", "an", "ian", "ese")}


def is_short_name(short: str, full: str) -> bool:
    """Return whether `short` may stand for the person `full` in one text: the surname, the given
    name, the last words, or the same without middle names."""
    part, whole = name_key(short).split(), name_key(full).split()
    if {*part} & _SUFFIXES and ({*part} & _SUFFIXES) != ({*whole} & _SUFFIXES):
        return False
    part, whole = _without_suffix(part), _without_suffix(whole)
    if not part or len(part) >= len(whole):
        return False
    if len(part) == 1:
        return len(part[0]) > 1 and part[0] in (whole[0], whole[-1])
    return part == whole[-len(part) :] or (part[0], part[-1]) == (whole[0], whole[-1])


def _without_suffix(tokens: list[str]) -> list[str]:
    while len(tokens) > 1 and tokens[-1] in _SUFFIXES:
        tokens = tokens[:-1]
    return tokens


def _distinguishing(surface: str) -> list[str]:
    """Return the tokens that tell names apart; the article "a" before another word does not."""
    tokens = name_key(_ARTICLE.sub(" ", surface)).split()
    return sorted(
        token
        for place, token in enumerate(tokens)
        if token in _CONTRASTS or (place > 0 and _ROMAN.fullmatch(token)) or len(token) == 1
    )
