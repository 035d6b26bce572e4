"""Values to rows of the truth and back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeAlias

from clew.core.documents import Chunk, Document, Page, Span
from clew.core.ids import edge_id
from clew.core.knowledge import (
    EDGE_TYPE_CODES,
    EDGE_TYPES,
    Claim,
    Community,
    Edge,
    EdgeType,
    Evidence,
    Mention,
    Merge,
    Period,
    Statement,
)
from clew.stores.embedded.codes import (
    NODE_TYPE_CODES,
    NODE_TYPES,
    ROLE_CODES,
    ROLES,
    STAGE_CODES,
    STANDING_CODES,
    STANDINGS,
)
from clew.stores.times import from_microseconds, microseconds

Row: TypeAlias = "tuple[Any, ...]"

FIRST_STAGE_CODE = min(STAGE_CODES.values())
NO_CHUNK = -1
NO_WORD = -1

LIGHT_DOCUMENT = "id, source, content_hash, title, language, published_at, authority, metadata, acl"
DOCUMENT = f"{LIGHT_DOCUMENT}, text, authors, pages, recorded_at"
CHUNK = "id, document, ordinal, text, span_start, span_end, page, original"
MENTION = "chunk, node, surface, key, span_start, span_end, kind, label, confidence, role"
EDGE = (
    "id, source, target, kind, relation, confidence, standing, negated, occurred_at, valid_from, "
    "valid_to, recorded_at, retired_at, superseded_by, superseded_at"
)
STATEMENT = (
    "edge, chunk, span_start, span_end, word, origin, confidence, standing, retired_at, recorded_at"
)
CLAIM = (
    "id, chunk, text, span_start, span_end, subjects, occurred_at, valid_from, valid_to, status, "
    "confidence"
)
MERGE = "key, node, chunk, score, reason"
COMMUNITY = "id, level, path, members, parent, title, summary, evidence, acl"
KEPT = {
    "mentions": f"origin, edge, {MENTION}, recorded_at",
    "claims": f"origin, {CLAIM}, recorded_at",
    "merges": f"origin, {MERGE}, recorded_at",
}
"""Columns that a row of knowledge takes along to the table of what stood before."""
EARLIER = "recorded_at = min(recorded_at, excluded.recorded_at)"
"""Of two times of one row the first, and none where either is unknown: known since ever."""
WRITE_MENTION = f"""INSERT INTO mentions (collection, recorded_at, origin, edge, {MENTION})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (collection, chunk, node, key, span_start, span_end, role) DO UPDATE SET
    origin = excluded.origin, surface = excluded.surface, kind = excluded.kind,
    label = excluded.label, confidence = excluded.confidence, {EARLIER}"""  # noqa: S608


def qualified(columns: str, table: str) -> str:
    """Return a list of columns with the table's name before each."""
    return ", ".join(f"{table}.{column}" for column in columns.split(", "))


def time_column(moment: datetime | None) -> int | None:
    """Return microseconds since 1970, None for None."""
    return None if moment is None else microseconds(moment)


def time_value(column: int | None) -> datetime | None:
    """Return the instant in UTC, None for None."""
    return None if column is None else from_microseconds(column)


def json_text(values: Iterable[str]) -> str:
    """Return texts as JSON, in their order."""
    return json.dumps(list(values), ensure_ascii=False)


def acl_column(acl: Iterable[str]) -> str:
    """Return groups as sorted JSON: equal sets give equal text."""
    return json.dumps(sorted(acl), ensure_ascii=False)


def acl_value(column: str) -> frozenset[str]:
    """Return the groups of an acl column."""
    return frozenset(json.loads(column)) if column != "[]" else frozenset()


def document_row(document: Document) -> Row:
    """Return the columns `DOCUMENT`."""
    return (
        document.id,
        document.source,
        document.content_hash,
        document.title,
        document.language,
        time_column(document.published_at),
        document.authority,
        json.dumps(dict(document.metadata), ensure_ascii=False),
        acl_column(document.acl),
        document.text,
        json.dumps(document.authors, ensure_ascii=False),
        json.dumps([(page.number, page.span.start, page.span.end) for page in document.pages]),
        time_column(document.recorded_at),
    )


def light_document(row: Row) -> Document:
    """Return a document without its text from the columns `LIGHT_DOCUMENT`: what filters read."""
    identifier, source, content_hash, title, language, published, authority, metadata, acl = row
    return Document(
        id=identifier,
        source=source,
        content_hash=content_hash,
        title=title,
        text="",
        language=language,
        published_at=time_value(published),
        authority=authority,
        metadata=json.loads(metadata),
        acl=acl_value(acl),
    )


def document_value(row: Row) -> Document:
    """Return a document from the columns `DOCUMENT`."""
    text, authors, pages, recorded = row[9:]
    light = light_document(row[:9])
    return Document(
        id=light.id,
        source=light.source,
        content_hash=light.content_hash,
        title=light.title,
        text=text,
        authors=tuple(json.loads(authors)),
        language=light.language,
        published_at=light.published_at,
        authority=light.authority,
        metadata=light.metadata,
        acl=light.acl,
        pages=tuple(Page(number, Span(start, end)) for number, start, end in json.loads(pages)),
        recorded_at=time_value(recorded),
    )


def chunk_row(chunk: Chunk) -> Row:
    """Return the columns `CHUNK`."""
    return (
        chunk.id,
        chunk.document,
        chunk.ordinal,
        chunk.text,
        chunk.span.start,
        chunk.span.end,
        chunk.page,
        chunk.original,
    )


def chunk_value(row: Row) -> Chunk:
    """Return a chunk from the columns `CHUNK`."""
    identifier, document, ordinal, text, start, end, page, original = row
    return Chunk(identifier, document, ordinal, text, Span(start, end), page, original)


def mention_row(mention: Mention) -> Row:
    """Return the columns `MENTION`."""
    return (
        mention.chunk,
        mention.node,
        mention.surface,
        mention.key,
        mention.span.start,
        mention.span.end,
        NODE_TYPE_CODES[mention.kind],
        mention.label,
        mention.confidence,
        ROLE_CODES[mention.role],
    )


def mention_value(row: Row) -> Mention:
    """Return a mention from the columns `MENTION`."""
    chunk, node, surface, key, start, end, kind, label, confidence, role = row
    return Mention(
        chunk,
        node,
        surface,
        key,
        Span(start, end),
        NODE_TYPES[kind],
        label,
        confidence,
        ROLES[role],
    )


def mention_edge(mention: Mention) -> int:
    """Return the id of the MENTIONS edge of a mention's chunk and node."""
    return edge_id(mention.chunk, mention.node, EdgeType.MENTIONS.value, "")


def edge_row(head: Edge, edge: Edge) -> Row:
    """Return the columns `EDGE` of an aggregated edge; `head` tells whether it was superseded."""
    return (
        edge.id,
        edge.source,
        edge.target,
        EDGE_TYPE_CODES[edge.kind],
        edge.relation,
        edge.confidence,
        STANDING_CODES[edge.standing],
        edge.negated,
        time_column(edge.period.occurred_at),
        time_column(edge.period.valid_from),
        time_column(edge.period.valid_to),
        time_column(edge.recorded_at),
        time_column(edge.retired_at),
        edge.superseded_by,
        time_column(head.retired_at),
    )


def edge_value(row: Row) -> Edge:
    """Return an edge without evidence from the columns `EDGE`."""
    return _edge(row, retired_at=row[12])


def edge_head(row: Row) -> Edge:
    """Return what was written of an edge, from the columns `EDGE`."""
    return _edge(row, retired_at=row[14])


def statement_row(statement: Statement) -> Row:
    """Return the columns `STATEMENT`."""
    word = statement.chunk is None
    return (
        statement.edge,
        NO_CHUNK if statement.chunk is None else statement.chunk,
        0 if word else statement.span.start,
        0 if word else statement.span.end,
        statement.origin if word else NO_WORD,
        statement.origin,
        statement.confidence,
        STANDING_CODES[statement.standing],
        time_column(statement.retired_at),
        time_column(statement.recorded_at),
    )


def statement_value(row: Row) -> Statement:
    """Return a statement from the columns `STATEMENT`."""
    edge, chunk, start, end, _, origin, confidence, standing, retired, recorded = row
    return Statement(
        edge=edge,
        origin=origin,
        chunk=None if chunk == NO_CHUNK else chunk,
        span=Span(start, end),
        confidence=confidence,
        standing=STANDINGS[standing],
        retired_at=time_value(retired),
        recorded_at=time_value(recorded),
    )


def claim_row(claim: Claim) -> Row:
    """Return the columns `CLAIM`."""
    return (
        claim.id,
        claim.chunk,
        claim.text,
        claim.span.start,
        claim.span.end,
        json.dumps(claim.subjects),
        time_column(claim.period.occurred_at),
        time_column(claim.period.valid_from),
        time_column(claim.period.valid_to),
        claim.status,
        claim.confidence,
    )


def claim_value(row: Row) -> Claim:
    """Return a claim from the columns `CLAIM`."""
    identifier, chunk, text, start, end, subjects, occurred, opens, closes, status, confidence = row
    return Claim(
        id=identifier,
        chunk=chunk,
        text=text,
        span=Span(start, end),
        subjects=tuple(json.loads(subjects)),
        period=Period(time_value(occurred), time_value(opens), time_value(closes)),
        status=status,
        confidence=confidence,
    )


def merge_row(merge: Merge) -> Row:
    """Return the columns `MERGE`."""
    return (merge.key, merge.node, merge.chunk, merge.score, merge.reason)


def community_row(community: Community) -> Row:
    """Return the columns `COMMUNITY`."""
    return (
        community.id,
        community.level,
        community.path,
        json.dumps(community.members),
        community.parent,
        community.title,
        community.summary,
        json.dumps(
            [
                (row.chunk, row.span.start, row.span.end, row.confidence)
                for row in community.evidence
            ]
        ),
        acl_column(community.acl),
    )


def community_value(row: Row) -> Community:
    """Return a community from the columns `COMMUNITY`."""
    identifier, level, path, members, parent, title, summary, evidence, acl = row
    return Community(
        identifier,
        level,
        path,
        tuple(json.loads(members)),
        parent,
        title,
        summary,
        tuple(
            Evidence(chunk, Span(start, end), confidence)
            for chunk, start, end, confidence in json.loads(evidence)
        ),
        acl_value(acl),
    )


def _edge(row: Row, *, retired_at: int | None) -> Edge:
    return Edge(
        id=row[0],
        source=row[1],
        target=row[2],
        kind=EDGE_TYPES[row[3]],
        relation=row[4],
        confidence=row[5],
        standing=STANDINGS[row[6]],
        negated=bool(row[7]),
        period=Period(time_value(row[8]), time_value(row[9]), time_value(row[10])),
        recorded_at=time_value(row[11]),
        retired_at=time_value(retired_at),
        superseded_by=row[13],
    )
