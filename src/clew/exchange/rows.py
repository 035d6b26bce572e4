"""Core values as rows of the export's tables, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.core.documents import Chunk, Document, Page, Span, Stage
from clew.core.knowledge import (
    Claim,
    Community,
    Edge,
    EdgeType,
    Mention,
    MentionRole,
    Merge,
    Node,
    NodeType,
    Period,
    Standing,
    Statement,
)
from clew.exchange.tables import Row


def document_row(document: Document) -> Row:
    """Return the row of a document."""
    return {
        "id": document.id,
        "source": document.source,
        "content_hash": document.content_hash,
        "title": document.title,
        "text": document.text,
        "authors": list(document.authors),
        "language": document.language,
        "published_at": document.published_at,
        "authority": document.authority,
        "metadata": dict(document.metadata),
        "acl": sorted(document.acl),
        "pages": [[page.number, page.span.start, page.span.end] for page in document.pages],
        "recorded_at": document.recorded_at,
    }


def document_value(row: Row) -> Document:
    """Return the document of a row."""
    return Document(
        id=row["id"],
        source=row["source"],
        content_hash=row["content_hash"],
        title=row["title"],
        text=row["text"],
        authors=tuple(row["authors"]),
        language=row["language"],
        published_at=row["published_at"],
        authority=row["authority"],
        metadata=row["metadata"],
        acl=frozenset(row["acl"]),
        pages=tuple(Page(number, Span(start, end)) for number, start, end in row["pages"]),
        recorded_at=row["recorded_at"],
    )


def chunk_row(chunk: Chunk, stage: Stage) -> Row:
    """Return the row of a chunk, without its vector."""
    return {
        "id": chunk.id,
        "document": chunk.document,
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        **_span(chunk.span),
        "page": chunk.page,
        "original": chunk.original,
        "stage": stage.value,
    }


def chunk_value(row: Row) -> Chunk:
    """Return the chunk of a row."""
    return Chunk(
        id=row["id"],
        document=row["document"],
        ordinal=row["ordinal"],
        text=row["text"],
        span=_span_value(row),
        page=row["page"],
        original=row["original"],
    )


def mention_row(mention: Mention) -> Row:
    """Return the row of a mention."""
    return {
        "chunk": mention.chunk,
        "node": mention.node,
        "surface": mention.surface,
        "key": mention.key,
        **_span(mention.span),
        "kind": mention.kind.value,
        "label": mention.label,
        "confidence": mention.confidence,
        "role": mention.role.value,
    }


def mention_value(row: Row) -> Mention:
    """Return the mention of a row."""
    return Mention(
        chunk=row["chunk"],
        node=row["node"],
        surface=row["surface"],
        key=row["key"],
        span=_span_value(row),
        kind=NodeType(row["kind"]),
        label=row["label"],
        confidence=row["confidence"],
        role=MentionRole(row["role"]),
    )


def claim_row(claim: Claim) -> Row:
    """Return the row of a claim."""
    return {
        "id": claim.id,
        "chunk": claim.chunk,
        "text": claim.text,
        **_span(claim.span),
        "subjects": claim.subjects,
        **_period(claim.period),
        "status": claim.status,
        "confidence": claim.confidence,
    }


def claim_value(row: Row) -> Claim:
    """Return the claim of a row."""
    return Claim(
        id=row["id"],
        chunk=row["chunk"],
        text=row["text"],
        span=_span_value(row),
        subjects=tuple(row["subjects"]),
        period=_period_value(row),
        status=row["status"],
        confidence=row["confidence"],
    )


def node_row(node: Node, mentions: int) -> Row:
    """Return the row of a node, without its vector."""
    return {
        "id": node.id,
        "name": node.name,
        "kind": node.kind.value,
        "label": node.label,
        "aliases": list(node.aliases),
        "mentions": mentions,
        "community": node.community,
    }


def edge_row(edge: Edge, statements: Sequence[Statement]) -> Row:
    """Return the row of an edge with all that it rests on.

    `superseded_at` is the edge's own retirement: the one that its statements do not explain.
    """
    retirements = [row.retired_at for row in statements]
    explained = None if None in retirements else max(filter(None, retirements), default=None)
    superseded = edge.superseded_by is not None or edge.retired_at != explained
    return {
        "id": edge.id,
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind.value,
        "relation": edge.relation,
        "confidence": edge.confidence,
        "standing": edge.standing.value,
        "negated": edge.negated,
        **_period(edge.period),
        "recorded_at": edge.recorded_at,
        "retired_at": edge.retired_at,
        "superseded_at": edge.retired_at if superseded else None,
        "superseded_by": edge.superseded_by,
        "evidence": [_evidence_row(statement) for statement in statements],
    }


def edge_value(row: Row) -> tuple[Edge, tuple[Statement, ...]]:
    """Return the edge's own columns and all that it rests on."""
    edge = Edge(
        id=row["id"],
        source=row["source"],
        target=row["target"],
        kind=EdgeType(row["kind"]),
        relation=row["relation"],
        confidence=row["confidence"],
        standing=Standing(row["standing"]),
        negated=row["negated"],
        period=_period_value(row),
        recorded_at=row["recorded_at"],
        retired_at=row["superseded_at"],
        superseded_by=row["superseded_by"],
    )
    return edge, tuple(_statement(edge.id, found) for found in row["evidence"])


def merge_row(merge: Merge) -> Row:
    """Return the row of an entry of the merge log."""
    return {
        "key": merge.key,
        "node": merge.node,
        "chunk": merge.chunk,
        "score": merge.score,
        "reason": merge.reason,
    }


def merge_value(row: Row) -> Merge:
    """Return the entry of the merge log of a row."""
    return Merge(row["key"], row["node"], row["chunk"], row["score"], row["reason"])


def community_row(community: Community) -> Row:
    """Return the row of a community."""
    return {
        "id": community.id,
        "level": community.level,
        "path": community.path,
        "parent": community.parent,
        "members": community.members,
        "summary": community.summary,
        "acl": sorted(community.acl),
    }


def community_value(row: Row) -> Community:
    """Return the community of a row."""
    return Community(
        id=row["id"],
        level=row["level"],
        path=row["path"],
        members=tuple(row["members"]),
        parent=row["parent"],
        summary=row["summary"],
        acl=frozenset(row["acl"]),
    )


def _evidence_row(statement: Statement) -> Row:
    return {
        "chunk": statement.chunk,
        **_span(statement.span),
        "origin": statement.origin,
        "confidence": statement.confidence,
        "standing": statement.standing.value,
        "retired_at": statement.retired_at,
        "recorded_at": statement.recorded_at,
    }


def _statement(edge: int, row: Row) -> Statement:
    return Statement(
        edge=edge,
        origin=row["origin"],
        chunk=row["chunk"],
        span=_span_value(row),
        confidence=row["confidence"],
        standing=Standing(row["standing"]),
        retired_at=row["retired_at"],
        recorded_at=row["recorded_at"],
    )


def _span(span: Span) -> Row:
    return {"span_start": span.start, "span_end": span.end}


def _span_value(row: Row) -> Span:
    return Span(row["span_start"], row["span_end"])


def _period(period: Period) -> dict[str, Any]:
    return {
        "occurred_at": period.occurred_at,
        "valid_from": period.valid_from,
        "valid_to": period.valid_to,
    }


def _period_value(row: Row) -> Period:
    return Period(row["occurred_at"], row["valid_from"], row["valid_to"])
