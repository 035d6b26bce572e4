"""Parsed text to a document, and a document to its chunks."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePosixPath

from clew.core.documents import Chunk, Document, Metadata, Page, ParsedText
from clew.core.errors import IngestError
from clew.core.ids import chunk_id, document_id
from clew.ingest.chunker import ChunkingPreset, chunk_spans
from clew.ingest.fields import CallerFields, read_fields
from clew.ingest.headings import first_heading

_SURROGATE = re.compile(r"[\ud800-\udfff\x00]")


def build_document(
    parsed: ParsedText,
    *,
    source: str,
    title: str | None = None,
    authors: Iterable[str] = (),
    published_at: datetime | str | None = None,
    authority: float | None = None,
    language: str | None = None,
    metadata: Metadata | None = None,
    acl: Iterable[str] = (),
    recorded_at: datetime | None = None,
) -> Document:
    """Return the document; what the caller says goes before what the parser found, and that is
    what the file says of itself before what its layout suggests (the first heading).

    The title falls back to the parsed one, the first heading, and the stem of the source's last
    part. Metadata is the parser's, overlaid with the caller's. The content hash covers text and
    every field but `recorded_at`, so a change of any of them makes a new version.

    Raises:
        IngestError: the source or text is empty, or a field is malformed; names the field.
    """
    if not source.strip():
        raise IngestError("the source of a document is empty; give it a path, URL or id")
    if not parsed.text.strip():
        raise IngestError(f"{source}: the document holds no text; nothing to index")
    given = read_fields(
        {
            "title": title,
            "authors": authors,
            "published_at": published_at,
            "authority": parsed.authority if authority is None else authority,
            "language": language,
            "metadata": metadata,
            "acl": acl,
        },
        where=source,
    )
    text = _SURROGATE.sub("\ufffd", parsed.text)
    fields = CallerFields(
        title=given.title or parsed.title or first_heading(text) or _stem(source),
        authors=given.authors or parsed.authors,
        language=given.language or parsed.language,
        published_at=given.published_at or parsed.published_at,
        authority=given.authority,
        metadata={**parsed.metadata, **given.metadata},
        acl=given.acl,
    )
    content_hash = _content_hash(text, fields, parsed.pages)
    return Document(
        id=document_id(source, content_hash),
        source=source,
        content_hash=content_hash,
        title=_SURROGATE.sub("\ufffd", fields.title or ""),
        text=text,
        authors=fields.authors,
        language=fields.language,
        published_at=fields.published_at,
        authority=fields.authority,
        metadata=fields.metadata,
        acl=fields.acl,
        pages=parsed.pages,
        recorded_at=recorded_at,
    )


def build_chunks(document: Document, preset: ChunkingPreset) -> list[Chunk]:
    """Return the chunks of a document in order; equal passages are told apart by their count."""
    starts = [page.span.start for page in document.pages]
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    spans = chunk_spans(document.text, size=preset.size, overlap=preset.overlap)
    for ordinal, span in enumerate(spans):
        text = document.text[span.start : span.end]
        page = bisect_right(starts, span.start) - 1
        chunks.append(
            Chunk(
                id=chunk_id(document.source, text, seen[text]),
                document=document.id,
                ordinal=ordinal,
                text=text,
                span=span,
                page=document.pages[page].number if page >= 0 else None,
            )
        )
        seen[text] += 1
    return chunks


def _content_hash(text: str, fields: CallerFields, pages: tuple[Page, ...]) -> str:
    """Return 32 hexadecimal digits over all that makes a version of a document."""
    described = json.dumps(
        {
            "title": fields.title,
            "authors": fields.authors,
            "language": fields.language,
            "published_at": fields.published_at.isoformat() if fields.published_at else None,
            "authority": fields.authority,
            "metadata": dict(fields.metadata),
            "acl": sorted(fields.acl),
            "pages": [(page.number, page.span.start, page.span.end) for page in pages],
        },
        sort_keys=True,
    )
    digest = hashlib.blake2b(digest_size=16)
    digest.update(text.encode("utf-8"))
    digest.update(b"\x00" + described.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _stem(source: str) -> str:
    """Return the last part of a path or URL without its suffix; "" for a key or a record."""
    if "/" not in source.replace("\\", "/") or "#" in source:
        return ""
    name = PurePosixPath(source.replace("\\", "/").rstrip("/"))
    return name.stem.strip()
