"""The zip package around an Office document: is it one, is it safe to open, what it says of itself."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime
from xml.etree import ElementTree as ET

from clew.core.errors import ParseError
from clew.ingest.parsers.zip_members import checked_members
from clew.ingest.timestamps import lenient_timestamp

_CORE = "docProps/core.xml"
_OPEN_DOCUMENT_META = "meta.xml"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_MACHINE_AUTHORS = frozenset({"python-docx", "openpyxl", "xlsxwriter"})
_TEMPLATE_DATES = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z"})
"""When the templates of python-docx and python-pptx were made; files made with them carry it."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


@dataclass(frozen=True, slots=True)
class CoreProperties:
    """Title, authors and date of an Office document."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    published_at: datetime | None = None


def check_package(data: bytes, *, name: str, part: str) -> None:
    """Raise unless `data` is a readable package that holds `part` and unpacks to a sane size.

    Raises:
        ParseError: reason "empty", "password", "damaged" or "too-large".
    """
    if not data:
        raise ParseError(f"{name}: the file is empty; there is nothing to index", reason="empty")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise ParseError(
                f"{name}: the document is protected by a password, and those of Office documents "
                "are not opened; save it without one",
                reason="password",
            )
        raise ParseError(
            f"{name}: this is the old binary Office format; save it in the current one",
            reason="unsupported",
        )
    members = checked_members(data, name=name)
    if part not in members:
        raise ParseError(f"{name}: the package holds no {part}; it is damaged", reason="damaged")


def read_core_properties(data: bytes) -> CoreProperties:
    """Return the core properties of a package that was checked; none where they are unreadable.

    What a program writes of itself (its name as author, the date of its template) is left out.
    """
    root = _properties_part(data, _CORE)
    if root is None:
        return CoreProperties()
    author = (root.findtext(f"{_DC}creator") or "").strip()
    dates = ((root.findtext(f"{_TERMS}{key}") or "").strip() for key in ("created", "modified"))
    return CoreProperties(
        title=(root.findtext(f"{_DC}title") or "").strip() or None,
        authors=tuple(
            part.strip()
            for part in author.split(";")
            if part.strip() and part.strip().casefold() not in _MACHINE_AUTHORS
        ),
        published_at=lenient_timestamp(
            next((date for date in dates if date not in _TEMPLATE_DATES), None)
        ),
    )


def read_open_document_properties(data: bytes) -> CoreProperties:
    """Return the properties of an OpenDocument package; none where they are unreadable."""
    root = _properties_part(data, _OPEN_DOCUMENT_META)
    if root is None:
        return CoreProperties()
    values = {each.tag: (each.text or "").strip() for each in root.iter()}
    author = values.get(f"{_META}initial-creator") or values.get(f"{_DC}creator") or ""
    return CoreProperties(
        title=values.get(f"{_DC}title") or None,
        authors=(author,) if author else (),
        published_at=lenient_timestamp(
            values.get(f"{_META}creation-date") or values.get(f"{_DC}date")
        ),
    )


def _properties_part(data: bytes, part: str) -> ET.Element | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            written = package.read(part)
        if b"<!DOCTYPE" in written:
            return None
        return ET.fromstring(written)  # noqa: S314 - no document type, so no entities
    except (
        LookupError,
        ET.ParseError,
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
        OSError,
        ValueError,
    ):
        return None
