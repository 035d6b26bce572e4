"""Members of a zip package: how much they unpack to is known before any of them is read."""

from __future__ import annotations

import io
import zipfile
import zlib

from clew.core.errors import ParseError

_LARGEST_PART = 256 * 2**20
_LARGEST_PACKAGE = 1024 * 2**20
_LARGEST_RATIO = 200
_RATIO_COUNTS_FROM = 32 * 2**20
_MOST_MEMBERS = 20_000

READ_ERRORS = (
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a damaged, encrypted or missing member raises."""


def checked_members(data: bytes, *, name: str) -> frozenset[str]:
    """Return the names of a package's members, if it is one and unpacks to a sane size.

    zipfile gives no more of a member than the size that its entry states, so these sizes bound
    what reading it can cost.

    Raises:
        ParseError: reason "damaged" or "too-large".
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = package.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise ParseError(f"{name}: the package is damaged ({error})", reason="damaged") from error
    sizes = [member.file_size for member in members]
    total = sum(sizes)
    swollen = total > _RATIO_COUNTS_FROM and total > _LARGEST_RATIO * len(data)
    if swollen or max(sizes, default=0) > _LARGEST_PART or total > _LARGEST_PACKAGE:
        raise ParseError(
            f"{name}: the package unpacks to {total // 2**20} MiB, more than is safe for its "
            f"{len(data) // 2**10} KiB; split the document",
            reason="too-large",
        )
    if len(members) > _MOST_MEMBERS:
        raise ParseError(
            f"{name}: the package holds {len(members)} parts, more than is safe; split the document",
            reason="too-large",
        )
    return frozenset(member.filename for member in members)
