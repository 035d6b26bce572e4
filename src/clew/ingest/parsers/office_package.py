"""The zip package around an Office document: is it one, is it safe to open, what it says of itself."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime
from xml.etree import ElementTree as ET

from clew.core.errors import ParseError
from clew.ingest.timestamps import lenient_timestamp

_CORE = "docProps/core.xml"
_LARGEST_PART = 256 * 2**20
_LARGEST_PACKAGE = 1024 * 2**20
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
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = package.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise ParseError(f"{name}: the package is damaged ({error})", reason="damaged") from error
    sizes = [member.file_size for member in members]
    if max(sizes, default=0) > _LARGEST_PART or sum(sizes) > _LARGEST_PACKAGE:
        raise ParseError(
            f"{name}: the package unpacks to {sum(sizes) // 2**20} MiB, more than is safe; "
            "split the document",
            reason="too-large",
        )
    if part not in {member.filename for member in members}:
        raise ParseError(f"{name}: the package holds no {part}; it is damaged", reason="damaged")


def read_core_properties(data: bytes) -> CoreProperties:
    """Return the core properties of a package that was checked; none where they are unreadable."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            written = package.read(_CORE)
        if b"<!DOCTYPE" in written:
            return CoreProperties()
        root = ET.fromstring(written)  # noqa: S314 - no document type, so no entities
    except (
        LookupError,
        ET.ParseError,
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
        OSError,
    ):
        return CoreProperties()
    author = (root.findtext(f"{_DC}creator") or "").strip()
    return CoreProperties(
        title=(root.findtext(f"{_DC}title") or "").strip() or None,
        authors=tuple(part.strip() for part in author.split(";") if part.strip()),
        published_at=lenient_timestamp((root.findtext(f"{_TERMS}created") or "").strip()),
    )
