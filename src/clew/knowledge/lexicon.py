"""Which verb phrases state which kind of edge, and in which direction.

Keys are lemmas with particle and preposition; a passive begins with "be": "be cause by". An entry
that is `reverse` states its edge from object to subject ("X is part of Y" means that Y contains
X); its relation then reads from the new source, as the entry gives it. What is not listed here is
`RELATED_TO`. A person is taken for a cause only by "cause" itself: people who lead, contribute
or bring about are agents. An active "follow" is left out, since stories follow their heroes.

| kind            | verb phrases                                                              |
|-----------------|---------------------------------------------------------------------------|
| `CAUSES`        | cause, lead to, result in, trigger, bring about, give rise to, induce ... |
| `IS_A`          | a copula or an apposition with a common noun (see `rules/nominals.py`)    |
| `CONTAINS`      | include, contain, comprise, consist of; reversed: part of, belong to ...  |
| `PRECEDES`      | precede, be followed by, occur before; reversed: succeed, occur after ... |
| `ATTRIBUTED_TO` | attribute to, credit to, ascribe to; be written by and the like           |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.core.knowledge import EdgeType


@dataclass(frozen=True, slots=True)
class Meaning:
    """Kind of edge; `inverse` is the relation read from object to subject where the edge runs
    against the sentence, None where it runs with it."""

    kind: EdgeType
    inverse: str | None = None


RELATED = Meaning(EdgeType.RELATED_TO)


def _with(kind: EdgeType, phrases: str) -> dict[str, Meaning]:
    return {phrase.strip(): Meaning(kind) for phrase in phrases.split(",")}


def _against(kind: EdgeType, inverses: dict[str, str]) -> dict[str, Meaning]:
    return {phrase: Meaning(kind, inverse) for phrase, inverse in inverses.items()}


LEXICON: dict[str, Meaning] = {
    **_with(
        EdgeType.CAUSES,
        "cause, lead to, result in, trigger, bring about, give rise to, induce, contribute to, "
        "provoke, spark, be responsible for, be the cause of, cause of",
    ),
    **_against(
        EdgeType.CAUSES,
        {
            "be cause by": "CAUSED",
            "be trigger by": "TRIGGERED",
            "be bring about by": "BROUGHT_ABOUT",
            "be induce by": "INDUCED",
            "be provoke by": "PROVOKED",
            "be spark by": "SPARKED",
            "result from": "RESULTED_IN",
            "stem from": "LED_TO",
            "arise from": "LED_TO",
            "be due to": "CAUSED",
        },
    ),
    **_with(
        EdgeType.CONTAINS,
        "include, contain, comprise, consist of, be compose of, be comprise of, be make of, "
        "be make up of, encompass",
    ),
    **_against(
        EdgeType.CONTAINS,
        {
            "part of": "HAS_PART",
            "be part of": "HAS_PART",
            "form part of": "HAS_PART",
            "become part of": "HAS_PART",
            "member of": "HAS_MEMBER",
            "be member of": "HAS_MEMBER",
            "belong to": "CONTAINS",
            "be include in": "INCLUDES",
            "be contain in": "CONTAINS",
        },
    ),
    **_with(
        EdgeType.PRECEDES,
        "precede, be follow by, be succeed by, occur before, happen before, take place before, "
        "come before, begin before, start before, end before, be before",
    ),
    **_against(
        EdgeType.PRECEDES,
        {
            "succeed": "SUCCEEDED_BY",
            "be precede by": "PRECEDED",
            "occur after": "OCCURRED_BEFORE",
            "happen after": "HAPPENED_BEFORE",
            "take place after": "TOOK_PLACE_BEFORE",
            "come after": "CAME_BEFORE",
            "begin after": "BEGAN_BEFORE",
            "start after": "STARTED_BEFORE",
            "be after": "BEFORE",
        },
    ),
    **_with(
        EdgeType.ATTRIBUTED_TO,
        "be attribute to, be credit to, be ascribe to, be write by, be author by, be compose by, "
        "be pen by, be paint by, by",
    ),
}


def meaning(lemmas: str) -> Meaning:
    """Return what a lemmatised verb phrase states; `RELATED` where the lexicon has no entry."""
    return LEXICON.get(lemmas, RELATED)


_NOT_LABEL = re.compile(r"[^\w]+")


def relation_label(phrase: str, *, negated: bool = False) -> str:
    """Return a verb phrase without its auxiliaries in upper snake case: "invested in" gives
    INVESTED_IN. A denial is another relation and starts with NOT_."""
    label = _NOT_LABEL.sub("_", phrase).strip("_").upper()
    return f"NOT_{label}" if negated else label
