"""Sources that contradict each other on what an answer says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from clew.core.documents import Span


class ContradictionKind(StrEnum):
    """What differs: the value or the date of a relation that has but one, a number in sentences
    that are the same otherwise, or whether something is so at all."""

    VALUE = "value"
    DATE = "date"
    NUMBER = "number"
    DENIAL = "denial"


class Preference(StrEnum):
    """Why the ranking prefers one of two sources, the first that tells them apart."""

    SUPERSEDES = "supersedes"
    AUTHORITY = "authority"
    RECENCY = "recency"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Position:
    """What one source says: `value` in short, `snippet` the sentence, with its place."""

    value: str
    doc_id: int
    chunk_id: int
    title: str
    source: str
    snippet: str
    span: Span
    published_at: datetime | None = None
    authority: float | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sources that cannot both be right; the ranking prefers the first, and `reason` says why.

    `subject` is the thing spoken of and `relation` what is said of it, where the graph knows.
    """

    kind: ContradictionKind
    preferred: Position
    other: Position
    reason: Preference
    subject: str | None = None
    relation: str | None = None
