"""Graphs that other programs extracted, in one shape, before they become rows of ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from clew.core.documents import Metadata, MetadataValue
from clew.core.knowledge import NO_PERIOD, Period


@dataclass(frozen=True, slots=True)
class ForeignDocument:
    """A document; `text` None where only its passages are known."""

    key: str
    title: str = ""
    text: str | None = None
    published_at: datetime | None = None
    metadata: Metadata = field(default_factory=dict[str, MetadataValue])


@dataclass(frozen=True, slots=True)
class ForeignUnit:
    """A passage of the document called `document`; units come in the order of their document."""

    key: str
    document: str
    text: str


@dataclass(frozen=True, slots=True)
class ForeignEntity:
    """A named thing, its type, what is said of it, and the passages that mention it."""

    name: str
    type: str = ""
    descriptions: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignRelation:
    """What joins two entities, by name; `keywords` are words for the relation, if there are any."""

    source: str
    target: str
    descriptions: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    weight: float | None = None
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignClaim:
    """A statement of one passage; `quote` is the part of it that says so."""

    unit: str
    text: str
    subjects: tuple[str, ...] = ()
    status: str = "stated"
    period: Period = NO_PERIOD
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ForeignCommunity:
    """A group of entities, by name; `parent` is the key of the community that holds it."""

    key: str
    level: int
    members: tuple[str, ...]
    parent: str | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ForeignGraph:
    """All that a folder holds."""

    documents: tuple[ForeignDocument, ...]
    units: tuple[ForeignUnit, ...]
    entities: tuple[ForeignEntity, ...]
    relations: tuple[ForeignRelation, ...]
    claims: tuple[ForeignClaim, ...] = ()
    communities: tuple[ForeignCommunity, ...] = ()
