"""EPUB: the chapters of a book in reading order, with what its package file says of it."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from lxml import etree

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.headings import first_heading
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.html_markdown import markdown_of, parse_tree
from clew.ingest.parsers.safe_xml import parse_xml
from clew.ingest.parsers.zip_members import READ_ERRORS, checked_members
from clew.ingest.timestamps import lenient_timestamp
from clew.ingest.whitespace import tidy

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CONTAINER_NAMES = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_DECLARED = re.compile(rb"(?:encoding|charset)\s*=\s*[\"']?([A-Za-z][\w.-]*)")
_HEAD = 1024
_TEXT_TYPES = frozenset(
    {"application/xhtml+xml", "text/html", "application/html", "text/x-oeb1-document"}
)
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of the book that the package file lists."""

    path: str
    kind: str
    properties: frozenset[str]


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the chapters in the order of the spine; the table of contents is left out.

    Raises:
        ParseError: reason "empty", "password" (copy protection), "damaged" or "too-large".
    """
    if not data:
        raise ParseError(f"{name}: the file is empty; there is nothing to index", reason="empty")
    members = checked_members(data, name=name)
    if _CONTAINER not in members:
        raise ParseError(
            f"{name}: the package holds no {_CONTAINER}; it is no EPUB or damaged", reason="damaged"
        )
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        _refuse_protected(package, members, name=name)
        path = _package_path(package, name=name)
        opf = parse_xml(_read(package, path, name=name), name=f"{name}: {path}").root
        blocks: list[str] = []
        warnings: list[str] = []
        for item in _spine(opf, folder=posixpath.dirname(path)):
            text, problem = _chapter(package, item, name=name)
            if text:
                blocks.append(text)
            if problem is not None:
                warnings.append(problem)
    text = tidy("\n\n".join(blocks))
    if not text:
        raise ParseError(
            f"{name}: no chapter of the book holds text"
            + (f" ({warnings[0]})" if warnings else "; nothing to index"),
            reason="damaged" if warnings else "empty",
        )
    return ParsedText(
        text=text,
        title=next(_values(opf, "title"), None) or first_heading(text),
        authors=_authors(opf),
        language=_language(opf),
        published_at=_published(opf),
        warnings=tuple(warnings),
    )


def _read(package: zipfile.ZipFile, path: str, *, name: str) -> bytes:
    try:
        return package.read(path)
    except READ_ERRORS as error:
        raise ParseError(
            f"{name}: the part {path} is missing or damaged ({error})", reason="damaged"
        ) from error


def _refuse_protected(package: zipfile.ZipFile, members: frozenset[str], *, name: str) -> None:
    """Raise for a book whose text is encrypted; fonts that are scrambled do not matter."""
    if _ENCRYPTION not in members:
        return
    root = parse_xml(_read(package, _ENCRYPTION, name=name), name=f"{name}: {_ENCRYPTION}").root
    algorithms = [each.get("Algorithm") or "" for each in root.iter("{*}EncryptionMethod")]
    if any(algorithm not in _FONT_ALGORITHMS for algorithm in algorithms):
        raise ParseError(
            f"{name}: the book is protected against copying (DRM); it cannot be read",
            reason="password",
        )


def _package_path(package: zipfile.ZipFile, *, name: str) -> str:
    root = parse_xml(_read(package, _CONTAINER, name=name), name=f"{name}: {_CONTAINER}").root
    for each in root.iter(f"{_CONTAINER_NAMES}rootfile"):
        path = each.get("full-path")
        if path:
            return unquote(path)
    raise ParseError(f"{name}: {_CONTAINER} names no package file; damaged", reason="damaged")


def _spine(opf: etree._Element, *, folder: str) -> Iterator[_Item]:
    """Yield what the book consists of in reading order, each part once."""
    items = {
        each.get("id"): _Item(
            posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0]))),
            each.get("media-type") or "",
            frozenset((each.get("properties") or "").split()),
        )
        for each in opf.iter(f"{_OPF}item")
        if (href := each.get("href"))
    }
    seen: set[str] = set()
    for each in opf.iter(f"{_OPF}itemref"):
        item = items.get(each.get("idref"))
        if item is not None and item.path not in seen and "nav" not in item.properties:
            seen.add(item.path)
            yield item


def _chapter(package: zipfile.ZipFile, item: _Item, *, name: str) -> tuple[str, str | None]:
    """Return a chapter's Markdown and what was wrong with it."""
    if item.kind and item.kind not in _TEXT_TYPES:
        return "", f"{item.path} is {item.kind} and was left out"
    try:
        written = _read(package, item.path, name=name)
        declared = _DECLARED.search(written[:_HEAD])
        decoded = decode(
            written, name=item.path, declared=declared[1].decode() if declared else None
        )
    except ParseError as error:
        return "", str(error)
    root = parse_tree(decoded.text)
    text = markdown_of(root, without=frozenset({"nav"})) if root is not None else ""
    problem = f"{item.path}: {decoded.warnings[0]}" if decoded.warnings else None
    return text, problem


def _values(opf: etree._Element, key: str) -> Iterator[str]:
    for each in opf.iter(f"{_DC}{key}"):
        text = _SPACES.sub(" ", "".join(each.itertext())).strip()
        if text:
            yield text


def _authors(opf: etree._Element) -> tuple[str, ...]:
    """Return the creators whose role is author or is not stated; all where none is one."""
    refined = {
        (each.get("refines") or "").removeprefix("#"): (each.text or "").strip()
        for each in opf.iter(f"{_OPF}meta")
        if each.get("property") == "role"
    }
    creators = [
        (text, each.get(f"{_OPF}role") or refined.get(each.get("id") or "") or "aut")
        for each in opf.iter(f"{_DC}creator")
        if (text := _SPACES.sub(" ", "".join(each.itertext())).strip())
    ]
    authors = [text for text, role in creators if role == "aut"]
    return tuple(dict.fromkeys(authors or [text for text, _ in creators]))


def _language(opf: etree._Element) -> str | None:
    code = next(_values(opf, "language"), "").replace("_", "-").split("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else None


def _published(opf: etree._Element) -> datetime | None:
    """Return the date of publication, or the first that is not of a change."""
    dates = [
        (each.get(f"{_OPF}event") or "", (each.text or "").strip())
        for each in opf.iter(f"{_DC}date")
    ]
    ordered = [text for event, text in dates if event == "publication"]
    ordered += [text for event, text in dates if event not in ("publication", "modification")]
    read = (lenient_timestamp(text) for text in ordered)
    return next((moment for moment in read if moment is not None), None)
