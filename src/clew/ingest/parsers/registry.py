"""Which parser reads which file: by its suffix, unless the content says otherwise.

Parser modules are loaded when their format first occurs, so that nothing else pays for them.
"""

from __future__ import annotations

import importlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol, cast

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.reading import read_file

_PACKAGE = "clew.ingest.parsers"

PARSER_MODULES: Mapping[str, str] = {
    ".txt": f"{_PACKAGE}.plain",
    ".text": f"{_PACKAGE}.plain",
    ".log": f"{_PACKAGE}.plain",
    ".rst": f"{_PACKAGE}.plain",
    ".md": f"{_PACKAGE}.markdown",
    ".markdown": f"{_PACKAGE}.markdown",
    ".html": f"{_PACKAGE}.html",
    ".htm": f"{_PACKAGE}.html",
    ".xhtml": f"{_PACKAGE}.html",
    ".pdf": f"{_PACKAGE}.pdf",
    ".docx": f"{_PACKAGE}.docx",
}
"""Module of the parser by lower-case suffix."""

_LARGEST_FILE = 256 * 2**20
_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024
_ZIP_MARK = b"PK\x03\x04"
_HTML_MARKS = (b"<!doctype html", b"<html")
_WORD_BODY = "word/document.xml"
_BINARY_SUFFIXES = frozenset({".pdf", ".docx"})
_OPENED_BY_PASSWORD = frozenset({".pdf"})


class _ParserModule(Protocol):
    def parse(self, data: bytes, *, name: str) -> ParsedText: ...


class _LockedParserModule(Protocol):
    def parse(self, data: bytes, *, name: str, passwords: Sequence[str]) -> ParsedText: ...


@dataclass(frozen=True, slots=True)
class FileParser:
    """Reads every known format in this process; implements the port `Parser` and `FileReader`."""

    @property
    def suffixes(self) -> frozenset[str]:
        """Return the suffixes of all known formats."""
        return frozenset(PARSER_MODULES)

    def parse(self, data: bytes, *, name: str) -> ParsedText:
        """Return the text of a file called `name`; see `parse_bytes`."""
        return parse_bytes(data, name=name)

    def read(self, path: Path, *, name: str) -> ParsedText:
        """Return the text of a regular file."""
        return parse_bytes(read_file(path, name=name, limit=_LARGEST_FILE), name=name)


def is_known(name: str) -> bool:
    """Return whether a file of this name has a parser."""
    return _suffix(name) in PARSER_MODULES


def parse_bytes(data: bytes, *, name: str, passwords: Sequence[str] = ()) -> ParsedText:
    """Return the text of a file called `name`, read as what its content shows it to be.

    `passwords` are tried in order on a file that is protected by one.

    Raises:
        ParseError: with a `reason`: "unsupported", "empty", "binary", "password", "damaged",
            "no-text-layer" or "too-large".
    """
    suffix = _suffix(name)
    if suffix not in PARSER_MODULES:
        known = ", ".join(sorted(PARSER_MODULES))
        raise ParseError(
            f"{name}: no parser for {suffix or 'files without a suffix'}; known: {known}",
            reason="unsupported",
        )
    suffix = _true_suffix(data, suffix)
    parser = parser_of(suffix)
    if suffix in _OPENED_BY_PASSWORD:
        return cast("_LockedParserModule", parser).parse(data, name=name, passwords=passwords)
    return parser.parse(data, name=name)


def parser_of(suffix: str) -> _ParserModule:
    """Return the parser of a known suffix, whatever a file's content says."""
    return cast("_ParserModule", importlib.import_module(PARSER_MODULES[suffix]))


def _suffix(name: str) -> str:
    return PurePath(name).suffix.casefold()


def _true_suffix(data: bytes, suffix: str) -> str:
    """Return the suffix that the content deserves; the name's own where nothing contradicts it."""
    if _PDF_MARK in data[:_PDF_MARK_WITHIN] and suffix != ".pdf":
        return ".pdf" if data.lstrip()[:5] == _PDF_MARK else suffix
    if data.startswith(_ZIP_MARK) and suffix != ".docx" and _is_word(data):
        return ".docx"
    if suffix in _BINARY_SUFFIXES and data.lstrip()[:15].lower().startswith(_HTML_MARKS):
        return ".html"
    return suffix


def _is_word(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            return _WORD_BODY in package.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False
