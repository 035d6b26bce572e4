"""Titles that say of which document theirs is an amendment (English, Portuguese)."""

from __future__ import annotations

import re

_ORDINAL = r"(?:first|second|third|fourth|fifth|primeir[ao]|segund[ao]|terceir[ao]|\d+\S{0,2})"
_KIND = (
    r"(?:amendment|addendum|corrigendum|erratum|errata|correction|aditivo|adendo|aditamento"
    r"|emenda|retifica[çc][ãa]o)"
)
_NUMBER = r"(?:\s+(?:no\.?|nº|n\.?º?|number)?\s*\d+)?"
_TO = r"\s+(?:to|of|for|ao|à|aos|às|do|da|de)\s+"
_AMENDS = re.compile(
    rf"^(?:{_ORDINAL}\s+)?(?:termo\s+)?{_KIND}{_NUMBER}{_TO}(?P<title>\S.*\S)$", re.IGNORECASE
)


def amended_title(title: str) -> str | None:
    """Return the title of the document that one called `title` amends, None if it tells of none.

    "Amendment No. 2 to the Lease Agreement" amends "the Lease Agreement".
    """
    found = _AMENDS.match(" ".join(title.split()))
    return found["title"] if found else None
