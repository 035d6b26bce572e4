"""Which parser reads which file: by its suffix, unless the content says otherwise.

Parser modules are loaded when their format first occurs, so that nothing else pays for them.
"""

from __future__ import annotations

import importlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol, cast

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.options import DEFAULT_OPTIONS, ParseOptions
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
    ".pptx": f"{_PACKAGE}.slides",
    ".pptm": f"{_PACKAGE}.slides",
    ".xlsx": f"{_PACKAGE}.spreadsheet",
    ".xlsm": f"{_PACKAGE}.spreadsheet",
    ".xls": f"{_PACKAGE}.spreadsheet",
    ".ods": f"{_PACKAGE}.spreadsheet",
    ".csv": f"{_PACKAGE}.separated",
    ".tsv": f"{_PACKAGE}.separated",
    ".tab": f"{_PACKAGE}.separated",
    ".json": f"{_PACKAGE}.json_records",
    ".geojson": f"{_PACKAGE}.json_records",
    ".xml": f"{_PACKAGE}.xml_records",
    ".rss": f"{_PACKAGE}.xml_records",
    ".atom": f"{_PACKAGE}.xml_records",
    ".epub": f"{_PACKAGE}.epub",
    ".eml": f"{_PACKAGE}.email_message",
}
"""Module of the parser by lower-case suffix."""

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"})
"""Files that are read by text recognition, and only where the caller asks for it."""

_LARGEST_FILE = 256 * 2**20
_PICTURES = f"{_PACKAGE}.picture"
_TAKE_OPTIONS = frozenset({".pdf", ".eml"})
_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024
_ZIP_MARK = b"PK\x03\x04"
_HTML_MARKS = (b"<!doctype html", b"<html")
_PACKAGE_PARTS = {
    ".docx": "word/document.xml",
    ".pptx": "ppt/presentation.xml",
    ".xlsx": "xl/workbook.xml",
    ".ods": "content.xml",
    ".epub": "META-INF/container.xml",
}
_PACKAGED = frozenset({".docx", ".pptx", ".pptm", ".xlsx", ".xlsm", ".ods", ".epub"})
_BINARY_SUFFIXES = frozenset({".pdf", ".xls"}) | _PACKAGED


class _ParserModule(Protocol):
    def parse(self, data: bytes, *, name: str) -> ParsedText: ...


class _OptionsModule(Protocol):
    def parse(self, data: bytes, *, name: str, options: ParseOptions) -> ParsedText: ...


@dataclass(frozen=True, slots=True)
class FileParser:
    """Reads every known format in this process; implements the port `Parser` and `FileReader`."""

    options: ParseOptions = DEFAULT_OPTIONS

    @property
    def suffixes(self) -> frozenset[str]:
        """Return the suffixes of all formats that are read; pictures only with text recognition."""
        return suffixes_read(self.options)

    def parse(self, data: bytes, *, name: str) -> ParsedText:
        """Return the text of a file called `name`; see `parse_bytes`."""
        return parse_bytes(data, name=name, options=self.options)

    def read(self, path: Path, *, name: str) -> ParsedText:
        """Return the text of a regular file."""
        data = read_file(path, name=name, limit=_LARGEST_FILE)
        return parse_bytes(data, name=name, options=self.options)


def suffixes_read(options: ParseOptions) -> frozenset[str]:
    """Return the suffixes of all formats that are read; pictures only with text recognition."""
    return frozenset(PARSER_MODULES) | (PICTURE_SUFFIXES if options.ocr else frozenset())


def is_known(name: str) -> bool:
    """Return whether a file of this name has a parser; for a picture it needs the option `ocr`."""
    return _suffix(name) in PARSER_MODULES or _suffix(name) in PICTURE_SUFFIXES


def parse_bytes(data: bytes, *, name: str, options: ParseOptions = DEFAULT_OPTIONS) -> ParsedText:
    """Return the text of a file called `name`, read as what its content shows it to be.

    Raises:
        ParseError: with a `reason`: "unsupported", "empty", "binary", "password", "damaged",
            "no-text-layer" or "too-large".
        MissingExtraError: text recognition is asked for, needed and not installed.
    """
    suffix = _suffix(name)
    if suffix in PICTURE_SUFFIXES:
        return _parse_picture(data, name=name, options=options)
    if suffix not in PARSER_MODULES:
        known = ", ".join(sorted(PARSER_MODULES))
        raise ParseError(
            f"{name}: no parser for {suffix or 'files without a suffix'}; known: {known}",
            reason="unsupported",
        )
    true_suffix = _true_suffix(data, suffix)
    parser = parser_of(true_suffix)
    if true_suffix in _TAKE_OPTIONS:
        return cast("_OptionsModule", parser).parse(data, name=name, options=options)
    return parser.parse(data, name=name)


def parser_of(suffix: str) -> _ParserModule:
    """Return the parser of a known suffix, whatever a file's content says."""
    return cast("_ParserModule", importlib.import_module(PARSER_MODULES[suffix]))


def _parse_picture(data: bytes, *, name: str, options: ParseOptions) -> ParsedText:
    if not options.ocr:
        raise ParseError(
            f"{name}: a picture is read only by text recognition; switch it on (clew add --ocr, "
            "or ocr = true under [ingest] in clew.toml)",
            reason="unsupported",
        )
    module = importlib.import_module(_PICTURES)
    return cast("_ParserModule", module).parse(data, name=name)


def _suffix(name: str) -> str:
    return PurePath(name).suffix.casefold()


def _true_suffix(data: bytes, suffix: str) -> str:
    """Return the suffix that the content deserves; the name's own where nothing contradicts it."""
    if _PDF_MARK in data[:_PDF_MARK_WITHIN] and suffix != ".pdf":
        return ".pdf" if data.lstrip()[:5] == _PDF_MARK else suffix
    if data.startswith(_ZIP_MARK):
        return _package_suffix(data, suffix)
    if suffix in _BINARY_SUFFIXES and data.lstrip()[:15].lower().startswith(_HTML_MARKS):
        return ".html"
    return suffix


def _package_suffix(data: bytes, suffix: str) -> str:
    """Return the suffix of the package whose parts `data` holds, `suffix` if it has its own."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = set(package.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return suffix
    own = {".pptm": ".pptx", ".xlsm": ".xlsx"}.get(suffix, suffix)
    if _PACKAGE_PARTS.get(own) in parts:
        return suffix
    return next((each for each, part in _PACKAGE_PARTS.items() if part in parts), suffix)
