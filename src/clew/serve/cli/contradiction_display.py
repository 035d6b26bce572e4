"""Contradictions between sources as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.core.contradictions import Contradiction, Position, Preference
from clew.serve.cli.printing import printable

_REASONS = {
    Preference.SUPERSEDES: "it supersedes the other",
    Preference.AUTHORITY: "its authority is higher",
    Preference.RECENCY: "it is newer",
    Preference.RANK: "it ranks higher",
}


def contradiction_lines(found: Sequence[Contradiction]) -> Iterator[str]:
    """Yield both sides of each contradiction, the preferred one first with the reason."""
    yield "Sources disagree"
    for each in found:
        what = " ".join(part for part in (each.subject, each.relation) if part)
        if what:
            yield f"  {printable(what)} ({each.kind.value})"
        yield f"  + {_side(each.preferred)} ({_REASONS[each.reason]})"
        yield f"  - {_side(each.other)}"


def _side(position: Position) -> str:
    place = position.title or position.source
    return f"{printable(position.value)}: {printable(position.snippet)} [{printable(place)}]"
