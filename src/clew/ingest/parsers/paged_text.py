"""Texts of slides, sheets and pictures as one text with the span of each."""

from __future__ import annotations

from collections.abc import Iterable

from clew.core.documents import Page, Span

_BETWEEN = "\n\n"


def paged_text(pages: Iterable[tuple[int, str]]) -> tuple[str, tuple[Page, ...]]:
    """Return the joined text of numbered pages and where each lies; blank ones are left out."""
    parts: list[str] = []
    spans: list[Page] = []
    position = 0
    for number, text in pages:
        if not text.strip():
            continue
        if parts:
            position += len(_BETWEEN)
        parts.append(text)
        spans.append(Page(number, Span(position, position + len(text))))
        position += len(text)
    return _BETWEEN.join(parts), tuple(spans)
