"""Markdown: the text stays as it is, its front matter becomes title, authors and date."""

from __future__ import annotations

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.headings import first_heading
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.front_matter import FrontMatter, read_front_matter
from clew.ingest.timestamps import lenient_timestamp
from clew.ingest.whitespace import tidy


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the Markdown without its front matter.

    Raises:
        ParseError: reason "empty" or "binary".
    """
    decoded = decode(data, name=name)
    whole = tidy(decoded.text)
    front = read_front_matter(whole)
    text = tidy(whole[front.end :])
    if not text:
        raise ParseError(f"{name}: the file holds no text; nothing to index", reason="empty")
    return ParsedText(
        text=text,
        title=_one(front, "title") or first_heading(text),
        authors=_many(front, "authors") or _many(front, "author"),
        language=_one(front, "language") or _one(front, "lang"),
        published_at=lenient_timestamp(_one(front, "date") or _one(front, "published")),
        warnings=decoded.warnings,
    )


def _one(front: FrontMatter, key: str) -> str | None:
    value = front.values.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _many(front: FrontMatter, key: str) -> tuple[str, ...]:
    value = front.values.get(key, [])
    names = [value] if isinstance(value, str) else value
    return tuple(name.strip() for name in names if name.strip())
