"""History in memory: versions of documents, and the rows that were known at a moment."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime

from clew.core.documents import Document, DocumentVersion
from clew.core.knowledge import Edge, Statement
from clew.stores.aggregate import establishes
from clew.stores.memory_rows import (
    ClaimRow,
    MentionKey,
    MentionRow,
    MergeKey,
    MergeRow,
    PastChunk,
    PastDocument,
    Rows,
    StatementKey,
    append,
    mention_key,
)
from clew.stores.times import in_utc


def keep_version(rows: Rows, document: Document, *, staying: AbstractSet[int]) -> None:
    """Keep the version that `document` is about to replace, with its chunks as they stand."""
    if document.recorded_at is None:
        return
    for old in rows.documents.values():
        if old.source != document.source or old.id == document.id:
            continue
        append(rows.past_documents, PastDocument(old, document.recorded_at, document.id))
        for chunk in rows.chunks.values():
            if chunk.document == old.id:
                vector = None if chunk.id in staying else rows.chunk_vectors.get(chunk.id)
                past = PastChunk(
                    chunk,
                    old.source,
                    rows.stages[chunk.id],
                    rows.chunk_times[chunk.id],
                    document.recorded_at,
                    vector,
                )
                append(rows.past_chunks, past)


def drop_versions(rows: Rows, source: str | None) -> Mapping[str, int]:
    """Remove the earlier versions of a source; return row counts."""
    documents = [key for key, past in rows.past_documents.items() if past.document.source == source]
    chunks = [key for key, past in rows.past_chunks.items() if past.source == source]
    for key in documents:
        del rows.past_documents[key]
    for key in chunks:
        del rows.past_chunks[key]
    return {"past_documents": len(documents), "past_chunks": len(chunks)}


def versions(rows: Rows, source: str) -> list[DocumentVersion]:
    """Return the versions of a source, oldest first."""
    past = [held for held in rows.past_documents.values() if held.document.source == source]
    past.sort(key=lambda held: in_utc(held.retired_at))
    present = (document for document in rows.documents.values() if document.source == source)
    return [
        *(_version(held.document, held.retired_at, held.superseded_by) for held in past),
        *(_version(document, None, None) for document in present),
    ]


def _version(
    document: Document, retired_at: datetime | None, superseded_by: int | None
) -> DocumentVersion:
    return DocumentVersion(
        document=document.id,
        source=document.source,
        title=document.title,
        content_hash=document.content_hash,
        recorded_at=document.recorded_at,
        retired_at=retired_at,
        superseded_by=superseded_by,
    )


def known_rows(rows: Rows, moment: datetime) -> Rows:
    """Return the rows that were known at a moment."""
    past = Rows(facts=dict(rows.facts), merged=dict(rows.merged))
    _add_documents(rows, past, moment)
    _add_chunks(rows, past, moment)
    past.mentions = _mentions(rows, moment)
    past.statements = _statements(rows, moment)
    stated = {statement.edge for statement in past.statements.values()}
    past.edge_heads = {
        key: _head(edge, moment) for key, edge in rows.edge_heads.items() if key in stated
    }
    past.claims = _claims(rows, moment)
    past.merges = _merges(rows, moment)
    root = rows.merging.root
    living = {root(row.mention.node) for row in past.mentions.values() if establishes(row.mention)}
    past.node_vectors = {node: row for node, row in rows.node_vectors.items() if node in living}
    return past


def _known(recorded_at: datetime | None, moment: datetime) -> bool:
    return recorded_at is None or in_utc(recorded_at) <= in_utc(moment)


def _stood(recorded_at: datetime | None, retired_at: datetime, moment: datetime) -> bool:
    return _known(recorded_at, moment) and in_utc(moment) < in_utc(retired_at)


def _add_documents(rows: Rows, past: Rows, moment: datetime) -> None:
    present = {document.source: document for document in rows.documents.values()}
    found: dict[str, Document] = {}
    for held in rows.past_documents.values():
        old = held.document
        if _stood(old.recorded_at, held.retired_at, moment) and old.source in present:
            found[old.source] = replace(old, acl=present[old.source].acl)
    for document in present.values():
        if _known(document.recorded_at, moment):
            found.setdefault(document.source, document)
    past.documents = {document.id: document for document in found.values()}


def _add_chunks(rows: Rows, past: Rows, moment: datetime) -> None:
    for held in rows.past_chunks.values():
        chunk = held.chunk
        if not _stood(held.recorded_at, held.retired_at, moment):
            continue
        past.chunks[chunk.id] = chunk
        past.stages[chunk.id] = held.stage
        past.chunk_times[chunk.id] = held.recorded_at
    for identifier, chunk in rows.chunks.items():
        if identifier not in past.chunks and _known(rows.chunk_times[identifier], moment):
            past.chunks[identifier] = chunk
            past.stages[identifier] = rows.stages[identifier]
            past.chunk_times[identifier] = rows.chunk_times[identifier]
    for held in rows.past_chunks.values():
        if held.vector is not None and held.chunk.id in past.chunks:
            past.chunk_vectors[held.chunk.id] = held.vector
    for identifier, vector in rows.chunk_vectors.items():
        if identifier in past.chunks:
            past.chunk_vectors[identifier] = vector


def _mentions(rows: Rows, moment: datetime) -> dict[MentionKey, MentionRow]:
    found: dict[MentionKey, MentionRow] = {}
    for past in rows.past_mentions.values():
        if _stood(past.row.recorded_at, past.retired_at, moment):
            found[mention_key(past.row.mention)] = past.row
    found.update(
        (key, row) for key, row in rows.mentions.items() if _known(row.recorded_at, moment)
    )
    return found


def _statements(rows: Rows, moment: datetime) -> dict[StatementKey, Statement]:
    """Return the statements that were known; of those retired by then, the evidence they were."""
    found: dict[StatementKey, Statement] = {}
    for statement in (*rows.past_statements.values(), *rows.statements.values()):
        if not _known(statement.recorded_at, moment):
            continue
        retired = statement.retired_at
        later = retired is not None and in_utc(moment) < in_utc(retired)
        key: StatementKey = (
            (statement.edge, None, None, statement.origin)
            if statement.chunk is None
            else (statement.edge, statement.chunk, statement.span, None)
        )
        found[key] = replace(statement, retired_at=None) if later else statement
    return found


def _head(edge: Edge, moment: datetime) -> Edge:
    """Return the columns of an edge without a supersession that came later."""
    if edge.retired_at is None or in_utc(edge.retired_at) <= in_utc(moment):
        return edge
    return replace(edge, retired_at=None, superseded_by=None)


def _claims(rows: Rows, moment: datetime) -> dict[int, ClaimRow]:
    found = {
        past.row.claim.id: past.row
        for past in rows.past_claims.values()
        if _stood(past.row.recorded_at, past.retired_at, moment)
    }
    found.update((key, row) for key, row in rows.claims.items() if _known(row.recorded_at, moment))
    return found


def _merges(rows: Rows, moment: datetime) -> dict[MergeKey, MergeRow]:
    found = {
        (past.row.merge.key, past.row.merge.node, past.row.merge.chunk): past.row
        for past in rows.past_merges.values()
        if _stood(past.row.recorded_at, past.retired_at, moment)
    }
    found.update((key, row) for key, row in rows.merges.items() if _known(row.recorded_at, moment))
    return found
