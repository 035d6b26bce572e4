"""Attaching citations: markers are numbered here, by code, one a passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from clew.core.documents import Document, Span
from clew.core.knowledge import MentionRole
from clew.core.results import Path, Source
from clew.reason.display import display_text
from clew.reason.evidence import Passage
from clew.text.pronouns import opens_with_pronoun


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence to quote: `span` lies in the passage's chunk, `support` in 0..1."""

    passage: Passage
    span: Span
    support: float


def number_passages(chunks: Iterable[int]) -> dict[int, int]:
    """Return the marker of each chunk: 1, 2, ... by first appearance."""
    return {chunk: place for place, chunk in enumerate(dict.fromkeys(chunks), start=1)}


def answer_text(quotations: Sequence[Quotation], markers: Mapping[int, int]) -> str:
    """Return the sentences, each followed by its marker, one passage a line.

    A sentence that opens with a pronoun is led by its document's title, which tells whom it means.
    """
    lines = []
    for chunk, group in groupby(quotations, key=lambda one: one.passage.chunk.id):
        first, *rest = group
        shown = [_with_subject(first), *(_shown(one) for one in rest)]
        lines.append(" ".join(f"{sentence} [{markers[chunk]}]" for sentence in shown))
    return "\n".join(lines)


def cited_sources(
    quotations: Sequence[Quotation], markers: Mapping[int, int], *, paths: Sequence[Path]
) -> tuple[Source, ...]:
    """Return one source a quotation, ordered by marker; two of one passage bear one marker.

    The edge path is that of the first of `paths` with a step that rests on the passage.
    """
    sources = [
        Source(
            marker=markers[one.passage.chunk.id],
            doc_id=one.passage.document.id,
            chunk_id=one.passage.chunk.id,
            title=display_text(one.passage.document.title),
            source=one.passage.document.source,
            snippet=_shown(one),
            span=document_span(one.passage, one.span),
            confidence=min(1.0, max(0.0, one.support)),
            page=_page(one.passage, one.span),
            node_id=_node(one.passage, one.span),
            edge_path=_edge_path(one.passage.chunk.id, paths),
        )
        for one in quotations
    ]
    return tuple(sorted(sources, key=lambda source: source.marker))


def document_span(passage: Passage, span: Span) -> Span:
    """Return where `span` of the chunk lies in the document's text.

    A translated chunk has no place for a single sentence; its whole span is returned.
    """
    chunk = passage.chunk
    if chunk.original is not None:
        return chunk.span
    return Span(chunk.span.start + span.start, chunk.span.start + span.end)


def _shown(quotation: Quotation) -> str:
    span = quotation.span
    return display_text(quotation.passage.chunk.text[span.start : span.end])


def _with_subject(quotation: Quotation) -> str:
    shown = _shown(quotation)
    title = display_text(quotation.passage.document.title)
    if title and opens_with_pronoun(shown):
        return f"{title}: {shown}"
    return shown


def _page(passage: Passage, span: Span) -> int | None:
    start = document_span(passage, span).start
    return page_at(passage.document, start) or passage.chunk.page


def page_at(document: Document, position: int) -> int | None:
    """Return the number of the page that holds `position`, None where no page does."""
    for page in document.pages:
        if page.span.start <= position < page.span.end:
            return page.number
    return None


def _node(passage: Passage, span: Span) -> int | None:
    """Return the thing whose page this is, else the first one that the sentence names."""
    for mention in passage.mentions:
        if mention.role is MentionRole.TITLE:
            return mention.node
    for mention in passage.mentions:
        if span.start <= mention.span.start < span.end:
            return mention.node
    return None


def _edge_path(chunk: int, paths: Sequence[Path]) -> tuple[int, ...]:
    for path in paths:
        if any(step.chunk == chunk for step in path.steps):
            return tuple(step.edge for step in path.steps)
    return ()
