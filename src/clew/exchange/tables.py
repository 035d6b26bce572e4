"""The tables of Clew's own export: names and types of their columns.

One description serves both formats. Ids are sixteen hexadecimal digits, times are in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
"""A row by column; ids are integers, times datetimes, lists of ids tuples of integers."""

FORMAT_VERSION = 1
"""Raised whenever an older Clew could not read what is written."""

MANIFEST = "manifest.json"


class Kind(StrEnum):
    """Types of columns."""

    ID = "id"
    IDS = "ids"
    TEXT = "text"
    TEXTS = "texts"
    INTEGER = "integer"
    REAL = "real"
    TRUTH = "truth"
    TIME = "time"
    TREE = "tree"
    VECTOR = "vector"
    EVIDENCE = "evidence"


_SPAN = {"span_start": Kind.INTEGER, "span_end": Kind.INTEGER}
_PERIOD = {"occurred_at": Kind.TIME, "valid_from": Kind.TIME, "valid_to": Kind.TIME}

EVIDENCE_COLUMNS: Mapping[str, Kind] = {
    "chunk": Kind.ID,
    **_SPAN,
    "origin": Kind.ID,
    "confidence": Kind.REAL,
    "standing": Kind.TEXT,
    "retired_at": Kind.TIME,
    "recorded_at": Kind.TIME,
}
"""One piece of what an edge rests on; `chunk` is null where it rests on the word of `origin`."""

TABLES: Mapping[str, Mapping[str, Kind]] = {
    "documents": {
        "id": Kind.ID,
        "source": Kind.TEXT,
        "content_hash": Kind.TEXT,
        "title": Kind.TEXT,
        "text": Kind.TEXT,
        "authors": Kind.TEXTS,
        "language": Kind.TEXT,
        "published_at": Kind.TIME,
        "authority": Kind.REAL,
        "metadata": Kind.TREE,
        "acl": Kind.TEXTS,
        "pages": Kind.TREE,
        "recorded_at": Kind.TIME,
    },
    "chunks": {
        "id": Kind.ID,
        "document": Kind.ID,
        "ordinal": Kind.INTEGER,
        "text": Kind.TEXT,
        **_SPAN,
        "page": Kind.INTEGER,
        "original": Kind.TEXT,
        "stage": Kind.TEXT,
        "vector": Kind.VECTOR,
    },
    "mentions": {
        "chunk": Kind.ID,
        "node": Kind.ID,
        "surface": Kind.TEXT,
        "key": Kind.TEXT,
        **_SPAN,
        "kind": Kind.TEXT,
        "label": Kind.TEXT,
        "confidence": Kind.REAL,
        "role": Kind.TEXT,
    },
    "claims": {
        "id": Kind.ID,
        "chunk": Kind.ID,
        "text": Kind.TEXT,
        **_SPAN,
        "subjects": Kind.IDS,
        **_PERIOD,
        "status": Kind.TEXT,
        "confidence": Kind.REAL,
    },
    "nodes": {
        "id": Kind.ID,
        "name": Kind.TEXT,
        "kind": Kind.TEXT,
        "label": Kind.TEXT,
        "aliases": Kind.TEXTS,
        "mentions": Kind.INTEGER,
        "community": Kind.TEXT,
        "vector": Kind.VECTOR,
    },
    "edges": {
        "id": Kind.ID,
        "source": Kind.ID,
        "target": Kind.ID,
        "kind": Kind.TEXT,
        "relation": Kind.TEXT,
        "confidence": Kind.REAL,
        "standing": Kind.TEXT,
        "negated": Kind.TRUTH,
        **_PERIOD,
        "recorded_at": Kind.TIME,
        "retired_at": Kind.TIME,
        "superseded_at": Kind.TIME,
        "superseded_by": Kind.ID,
        "evidence": Kind.EVIDENCE,
    },
    "merges": {
        "key": Kind.TEXT,
        "node": Kind.ID,
        "chunk": Kind.ID,
        "score": Kind.REAL,
        "reason": Kind.TEXT,
    },
    "communities": {
        "id": Kind.ID,
        "level": Kind.INTEGER,
        "path": Kind.TEXT,
        "parent": Kind.ID,
        "members": Kind.IDS,
        "summary": Kind.TEXT,
        "acl": Kind.TEXTS,
    },
}
"""Nodes are what follows from mentions: they are written for readers, and not read back.

`edges.superseded_at` is the retirement that was written, `retired_at` the one that follows from all
evidence. Chunks come in the order of documents, mentions and claims in that of chunks.
"""

TEXT_COLUMNS: Mapping[str, frozenset[str]] = {
    "documents": frozenset({"text"}),
    "chunks": frozenset({"text", "original"}),
    "claims": frozenset({"text"}),
    "communities": frozenset({"summary"}),
}
"""What is left out of an export without text."""


def columns_of(table: str, *, text: bool, vectors: bool) -> dict[str, Kind]:
    """Return the columns of a table, those of text and vectors only if they are wanted."""
    return {
        name: kind
        for name, kind in TABLES[table].items()
        if (text or name not in TEXT_COLUMNS.get(table, frozenset()))
        and (vectors or kind is not Kind.VECTOR)
    }
