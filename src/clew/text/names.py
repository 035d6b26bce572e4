"""Normal forms of names: two surfaces with one key are one name."""

from __future__ import annotations

import re

from clew.text.folding import without_accents

_LEGAL_SUFFIXES = frozenset(
    "inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag sa nv bv ab oy "
    "ltda eireli spa srl pty kk sarl kg".split()
)
_ARTICLES = frozenset("the a an".split())
_POSSESSIVE = re.compile(r"(?<=\w)['’](?:s\b|(?=\s|$))")  # noqa: RUF001
_INITIALS = re.compile(r"\b(?:[^\W\d_]\. ?){2,}")
_NOT_WORD = re.compile(r"[^\w&+#]+")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_NUMBER = re.compile(r"\w*\d\w*")


def name_key(surface: str) -> str:
    """Return the normalised name: case, accents, possessives, leading articles, punctuation and
    legal suffixes removed, initials closed up (J. R. R. is JRR). "" only for a surface without
    letters, digits, & + or #."""
    plain = _POSSESSIVE.sub("", without_accents(surface.casefold()))
    plain = _INITIALS.sub(lambda match: _NOT_WORD.sub("", match.group()) + " ", plain)
    parts = _NOT_WORD.sub(" ", plain).split()
    if len(parts) > 1 and parts[0] in _ARTICLES:
        parts = parts[1:]
    while len(parts) > 1 and parts[-1] in _LEGAL_SUFFIXES:
        parts = parts[:-1]
    return " ".join(parts)


def title_names(title: str) -> tuple[str, ...]:
    """Return the names that a page's title gives: as it stands, and without its qualifier.

    "Mercury (planet)" names "Mercury (planet)" and "Mercury".
    """
    bare = _QUALIFIER.sub("", title).strip()
    return (title,) if not bare or bare == title else (title, bare)


def numbers(surface: str) -> tuple[str, ...]:
    """Return numbers, years and model codes in a name; names that differ in them differ."""
    return tuple(sorted(_NUMBER.findall(surface.casefold())))


def same_numbers(first: str, second: str) -> bool:
    """Return whether two names agree in numbers, years and model codes, however these are spaced:
    each of one name's must stand in the other with its separators left out ("RS 120", "RS120"),
    as whole numbers ("1" does not stand in "11")."""
    one, other = numbers(first), numbers(second)
    return one == other or (_all_in(one, second) and _all_in(other, first))


def _all_in(codes: tuple[str, ...], surface: str) -> bool:
    joined = _NOT_WORD.sub("", surface.casefold())
    return all(re.search(rf"(?<!\d){code}(?!\d)", joined) for code in codes)
