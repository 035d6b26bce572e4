"""Foreign documents and passages as documents and chunks of ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from clew.core.documents import Chunk, Document, Span
from clew.core.ids import chunk_id, document_id, origin_id
from clew.exchange.foreign import ForeignDocument, ForeignGraph, ForeignUnit
from clew.exchange.reading import LeftOut


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with the source of its document."""

    chunk: Chunk
    source: str

    @property
    def origin(self) -> int:
        """Return the origin of the source."""
        return origin_id(self.source)


def filed(
    graph: ForeignGraph, left_out: LeftOut
) -> tuple[list[tuple[Document, tuple[Chunk, ...]]], dict[str, Passage]]:
    """Return documents with their chunks by source, and passages by the unit's key."""
    units: dict[str, list[ForeignUnit]] = defaultdict(list)
    for unit in graph.units:
        if not unit.document:
            left_out.count("text units: they belong to no document")
        elif not unit.text.strip():
            left_out.count("text units: they are empty")
        else:
            units[unit.document].append(unit)
    known = {document.key: document for document in graph.documents}
    left_out.count("documents: they have no text unit", len(known.keys() - units.keys()))
    documents: list[tuple[Document, tuple[Chunk, ...]]] = []
    passages: dict[str, Passage] = {}
    taken: set[str] = set()
    for key, held in units.items():
        document, chunks = _document(known.get(key, ForeignDocument(key)), held, taken, left_out)
        documents.append((document, chunks))
        passages.update(
            (unit.key, Passage(chunk, document.source))
            for unit, chunk in zip(held, chunks, strict=True)
        )
    return sorted(documents, key=lambda pair: pair[0].source), passages


def _document(
    told: ForeignDocument, units: Sequence[ForeignUnit], taken: set[str], left_out: LeftOut
) -> tuple[Document, tuple[Chunk, ...]]:
    source = told.title or told.key
    if source in taken:
        source = f"{source}#{told.key}"
    taken.add(source)
    text, spans = _placed(told.text, [unit.text for unit in units])
    if told.text is not None and text != told.text:
        left_out.note(
            "the text of documents whose text units do not stand in it word by word was put "
            "together from the units"
        )
    content_hash = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    document = Document(
        id=document_id(source, content_hash),
        source=source,
        content_hash=content_hash,
        title=told.title,
        text=text,
        published_at=told.published_at,
        metadata=told.metadata,
    )
    seen: dict[str, int] = defaultdict(int)
    chunks: list[Chunk] = []
    for ordinal, (unit, span) in enumerate(zip(units, spans, strict=True)):
        identifier = chunk_id(source, unit.text, seen[unit.text])
        seen[unit.text] += 1
        chunks.append(Chunk(identifier, document.id, ordinal, unit.text, span))
    return document, tuple(chunks)


def _placed(text: str | None, units: Sequence[str]) -> tuple[str, list[Span]]:
    """Return the document's text and the span of each unit in it; units may overlap."""
    if text is not None:
        spans: list[Span] = []
        after = 0
        for unit in units:
            start = text.find(unit, after)
            start = text.find(unit) if start < 0 else start
            if start < 0:
                break
            spans.append(Span(start, start + len(unit)))
            after = start + 1
        if len(spans) == len(units):
            return text, spans
    joined, start, spans = "\n\n".join(units), 0, []
    for unit in units:
        spans.append(Span(start, start + len(unit)))
        start += len(unit) + 2
    return joined, spans
