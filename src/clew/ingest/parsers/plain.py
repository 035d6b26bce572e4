"""Plain text in any encoding."""

from __future__ import annotations

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.decoding import decode
from clew.ingest.whitespace import tidy


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the text with its paragraph breaks.

    Raises:
        ParseError: reason "empty" or "binary".
    """
    decoded = decode(data, name=name)
    text = tidy(decoded.text)
    if not text:
        raise ParseError(f"{name}: the file holds only blanks; nothing to index", reason="empty")
    return ParsedText(text=text, warnings=decoded.warnings)
