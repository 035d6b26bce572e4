"""Documents and the chunks that they are cut into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

MetadataValue: TypeAlias = "str | int | float | bool | list[str] | None"
Metadata: TypeAlias = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters, `start <= i < end`, in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a paged document: its number (from 1) and where its text lies."""

    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class ParsedText:
    """What a parser makes of a file: plain text or Markdown, with pages and what it learned.

    `warnings` names what could not be read (a scanned page, a broken table); nothing is dropped
    without one.
    """

    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    language: str | None = None
    published_at: datetime | None = None
    pages: tuple[Page, ...] = ()
    metadata: Metadata = field(default_factory=dict[str, MetadataValue])
    authority: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one source.

    `source` is what the caller named (a path, URL or key) and is unique in a collection;
    `content_hash` tells versions apart; `acl` lists the groups that may see it (empty: everyone);
    `authority` is 0..1, None when unknown.
    """

    id: int
    source: str
    content_hash: str
    title: str
    text: str
    authors: tuple[str, ...] = ()
    language: str | None = None
    published_at: datetime | None = None
    authority: float | None = None
    metadata: Metadata = field(default_factory=dict[str, MetadataValue])
    acl: frozenset[str] = frozenset()
    pages: tuple[Page, ...] = ()
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One version of a source in its history; `retired_at` is None for the one that stands, and
    `superseded_by` is the id of the version that came after."""

    document: int
    source: str
    title: str
    content_hash: str
    recorded_at: datetime | None = None
    retired_at: datetime | None = None
    superseded_by: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: `text` equals `document.text[span.start:span.end]` (or its translation).

    `page` is the page on which the chunk starts, None for unpaged documents. `original` is the
    untranslated text where `text` is a translation.
    """

    id: int
    document: int
    ordinal: int
    text: str
    span: Span
    page: int | None = None
    original: str | None = None


class Stage(StrEnum):
    """How far a chunk has come; each step is committed by itself, so that a run resumes."""

    CHUNKED = "chunked"
    EMBEDDED = "embedded"
    EXTRACTED = "extracted"
    LINKED = "linked"
