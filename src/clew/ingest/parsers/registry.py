"""Which parser reads which file: by its suffix, unless the content says otherwise.

Parser modules are loaded when their format first occurs, so that nothing else pays for them.
"""

from __future__ import annotations

import importlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol, cast

from clew.core.documents import ParsedText
from clew.core.errors import ParseError

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

_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024
_ZIP_MARK = b"PK\x03\x04"
_HTML_MARKS = (b"<!doctype html", b"<html")
_WORD_BODY = "word/document.xml"
_BINARY_SUFFIXES = frozenset({".pdf", ".docx"})


class _ParserModule(Protocol):
    def parse(self, data: bytes, *, name: str) -> ParsedText: ...


@dataclass(frozen=True, slots=True)
class FileParser:
    """Reads every known format; implements the `Parser` port."""

    @property
    def suffixes(self) -> frozenset[str]:
        """Return the suffixes of all known formats."""
        return frozenset(PARSER_MODULES)

    def parse(self, data: bytes, *, name: str) -> ParsedText:
        """Return the text of a file called `name`; see `parse_bytes`."""
        return parse_bytes(data, name=name)


def is_known(name: str) -> bool:
    """Return whether a file of this name has a parser."""
    return _suffix(name) in PARSER_MODULES


def parse_bytes(data: bytes, *, name: str) -> ParsedText:
    """Return the text of a file called `name`, read as what its content shows it to be.

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
    module = importlib.import_module(PARSER_MODULES[_true_suffix(data, suffix)])
    return cast("_ParserModule", module).parse(data, name=name)


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
