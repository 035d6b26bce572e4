"""Birth places in brackets after a name: "Ada Roe (born 2 May 1943, Flint, Michigan) is ..."."""

from __future__ import annotations

from collections.abc import Iterator

from clew.core.documents import Span
from clew.core.extraction import Triple
from clew.core.knowledge import NO_PERIOD, EdgeType, Period
from clew.knowledge.rules import confidence
from clew.knowledge.rules.brackets import birth_places
from clew.knowledge.rules.passage import Passage
from clew.text.dates import find_periods


def birth_triples(passage: Passage) -> Iterator[Triple]:
    """Yield BORN_IN from the name right before the bracket to the place in it."""
    tree = passage.tree
    text = tree.annotated.text
    ends = {tree.tokens[phrase.last - 1].end: phrase for phrase in passage.names.values()}
    for birth in birth_places(text):
        named = ends.get(len(text[: birth.bracket.start].rstrip(' "”,')))
        if named is None:
            continue
        yield Triple(
            tree.surface(named.first, named.last),
            "BORN_IN",
            birth.place,
            EdgeType.RELATED_TO,
            Span(tree.tokens[named.first].start, birth.span.end),
            confidence.PREPOSITION,
            period=_birth(text[birth.bracket.start : birth.bracket.end]),
        )


def _birth(bracket: str) -> Period:
    found = find_periods(bracket)
    if not found:
        return NO_PERIOD
    return Period(occurred_at=found[0].period.occurred_at or found[0].period.valid_from)
