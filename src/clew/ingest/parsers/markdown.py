"""Markdown: the text stays as it is, its front matter becomes fields and metadata."""

from __future__ import annotations

import re
from datetime import datetime

from clew.core.documents import ParsedText
from clew.core.errors import IngestError, ParseError
from clew.ingest.fields import read_authority
from clew.ingest.headings import first_heading
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.front_matter import FrontMatter, read_front_matter
from clew.ingest.timestamps import read_timestamp
from clew.ingest.whitespace import tidy

_FIELDS = frozenset("title authors author language lang date published authority".split())
_CODE_OR_COMMENT = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]*`|<!--", re.DOTALL | re.MULTILINE)
_COMMENT, _COMMENT_END = "<!--", "-->"


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the Markdown without its front matter and comments; what that matter says beside title, authors,
    language, date and authority is metadata.

    Raises:
        ParseError: reason "empty" or "binary".
    """
    decoded = decode(data, name=name)
    whole = tidy(decoded.text)
    front = read_front_matter(whole)
    text = tidy(_without_comments(whole[front.end :]))
    if not text:
        raise ParseError(f"{name}: the file holds no text; nothing to index", reason="empty")
    warnings = list(decoded.warnings)
    return ParsedText(
        text=text,
        title=_one(front, "title") or first_heading(text),
        authors=_many(front, "authors") or _many(front, "author"),
        language=_one(front, "language") or _one(front, "lang"),
        published_at=_date(front, warnings),
        authority=_authority(front, warnings),
        metadata={
            name: value for name, value in front.values.items() if name.casefold() not in _FIELDS
        },
        warnings=tuple(warnings),
    )


def _one(front: FrontMatter, key: str) -> str | None:
    value = front.get(key)
    return None if value is None or isinstance(value, list) else str(value).strip() or None


def _many(front: FrontMatter, key: str) -> tuple[str, ...]:
    value = front.get(key)
    names = value if isinstance(value, list) else [_one(front, key) or ""]
    return tuple(name.strip() for name in names if name.strip())


def _date(front: FrontMatter, warnings: list[str]) -> datetime | None:
    written = _one(front, "date") or _one(front, "published")
    try:
        return read_timestamp(written)
    except IngestError as error:
        warnings.append(f"the date of the front matter was left out: {error}")
        return None


def _authority(front: FrontMatter, warnings: list[str]) -> float | None:
    try:
        return read_authority(front.get("authority"))
    except IngestError as error:
        warnings.append(f"a field of the front matter was left out: {error}")
        return None


def _without_comments(text: str) -> str:
    """Return the text without HTML comments, which no reader sees; code stays as it is, and so
    does a comment that never ends. Linear."""
    kept: list[str] = []
    start = position = 0
    while (found := _CODE_OR_COMMENT.search(text, position)) is not None:
        position = found.end()
        if found[0] == _COMMENT:
            end = text.find(_COMMENT_END, position)
            if end < 0:
                break
            kept.append(text[start : found.start()])
            start = position = end + len(_COMMENT_END)
    return "".join([*kept, text[start:]])
