"""What an extractor finds in one chunk, before names are resolved to nodes.

Offsets count from the chunk's start. Names are surfaces; resolution decides which node they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.core.documents import Span
from clew.core.knowledge import NO_PERIOD, EdgeType, NodeType, Period


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name or noun phrase in the text, with its label (PERSON, ORG ...) if known.

    `alias_of` is the full name where the text itself defines an abbreviation:
    "World Health Organization (WHO)".
    """

    surface: str
    span: Span
    kind: NodeType
    label: str | None = None
    confidence: float = 1.0
    alias_of: str | None = None


@dataclass(frozen=True, slots=True)
class Triple:
    """(subject; relation; object) with the span of the words that state it."""

    subject: str
    relation: str
    object: str
    kind: EdgeType
    span: Span
    confidence: float
    negated: bool = False
    period: Period = NO_PERIOD


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A sentence with a verb: its subjects and dates."""

    text: str
    span: Span
    subjects: tuple[str, ...] = ()
    period: Period = NO_PERIOD
    status: str = "stated"
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one chunk yields. `note` says where a simpler method had to serve, `skipped` why a
    model's answer about the chunk is lacking; `dropped` counts by reason what a model said and
    the chunk does not."""

    names: tuple[FoundName, ...] = ()
    triples: tuple[Triple, ...] = ()
    claims: tuple[StatedClaim, ...] = ()
    note: str | None = None
    skipped: str | None = None
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
