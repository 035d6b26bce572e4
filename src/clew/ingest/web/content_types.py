"""From what a server says of a page to the suffix whose parser reads it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

_OFFICE = "application/vnd.openxmlformats-officedocument"
_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/json": ".json",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "message/rfc822": ".eml",
    f"{_OFFICE}.wordprocessingml.document": ".docx",
    f"{_OFFICE}.presentationml.presentation": ".pptx",
    f"{_OFFICE}.spreadsheetml.sheet": ".xlsx",
}
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)
_VAGUE = frozenset({"", "text/plain", "application/octet-stream", "binary/octet-stream"})
_PLAIN = ".txt"
_TRANSCODED = frozenset({".html", ".md", ".txt", ".csv", ".tsv", ".json", ".jsonl"})
_HTML_MARKS = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class ContentType:
    """A media type in lower case, and the charset that goes with it."""

    media: str = ""
    charset: str | None = None


def read_content_type(header: str) -> ContentType:
    """Return what a Content-Type header says; a charset that Python does not know is left out."""
    media = header.partition(";")[0].strip().casefold()
    written = _CHARSET.search(header)
    charset = written[1] if written is not None else None
    try:
        known = codecs.lookup(charset).name if charset else None
    except LookupError:
        known = None
    return ContentType(media, known)


def suffix_of(content: ContentType, address: str, data: bytes) -> str | None:
    """Return the suffix whose parser reads `data`, None where the media type is none of ours.

    A type that says nothing (none, plain text, bytes) leaves the choice to the suffix of the
    address, as servers of raw files mean it, and then to the content.
    """
    if content.media not in _VAGUE:
        return _SUFFIXES.get(content.media, _PLAIN if content.media.startswith("text/") else None)
    named = PurePosixPath(unquote(urlsplit(address).path)).suffix.casefold()
    return named or suffix_by_content(data)


def suffix_by_content(data: bytes) -> str:
    """Return .html for what begins as HTML, otherwise .txt, whose parser is chosen over again
    where the content shows a PDF or an Office document."""
    return ".html" if data.lstrip()[:15].lower().startswith(_HTML_MARKS) else _PLAIN


def transcoded(data: bytes, content: ContentType, suffix: str) -> bytes:
    """Return text as UTF-8 where the server's charset reads it; otherwise `data` as it is."""
    if content.charset is None or suffix not in _TRANSCODED:
        return data
    try:
        return data.decode(content.charset).encode("utf-8")
    except (UnicodeError, ValueError):
        return data
