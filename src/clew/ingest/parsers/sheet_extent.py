"""How far the cells of a sheet reach, known before a reader makes room for all between them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator

from clew.core.errors import ParseError
from clew.ingest.parsers.zip_members import READ_ERRORS

_MOST_PLACES = 10_000_000
"""Places between the first and the last cell of a sheet; the reader holds each, empty or not."""

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_OPEN_SHEET = "content.xml"
_TAG = re.compile(
    rb"<(?:\w+:)?(row|c)(?=[\s>])((?:[^>\"']|\"[^\"]*\"|'[^']*')*)(?<!/)>"
    rb"(\s*(?:<(?:\w+:)?v\s*(?:/>|></(?:\w+:)?v>))?\s*</(?:\w+:)?c>)?"
)
_TEXT_CELL = re.compile(rb"\st\s*=\s*[\"']str")
_PLACE = re.compile(rb"\sr\s*=\s*[\"']([A-Za-z]{0,3})(\d{1,7})[\"']")
_REPEATED = re.compile(
    rb"<table:(table-row|table-cell|covered-table-cell|table)\b([^>]*?)(/?)>|</table:(table-row|table)>"
)
_COUNT = re.compile(rb"table:number-(?:rows|columns)-repeated\s*=\s*[\"'](\d{1,9})[\"']")
_WINDOW = 2**20
_LONGEST_ROW = 2**24
_ROW_END = b"row>"
_LETTERS = 26


def check_extents(data: bytes, *, name: str) -> None:
    """Raise where a sheet's cells lie so far apart that reading it would exhaust the memory.

    Raises:
        ParseError: reason "too-large" or "damaged".
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for part in package.namelist():
                places = 0
                if _SHEET.fullmatch(part):
                    places = _sheet_places(package, part)
                elif part == _OPEN_SHEET:
                    places = _open_places(package.read(part))
                if places > _MOST_PLACES:
                    raise ParseError(
                        f"{name}: the sheet {part} spans {places} cells, more than is safe to read; "
                        "delete what lies far away from its table",
                        reason="too-large",
                    )
    except READ_ERRORS as error:
        raise ParseError(f"{name}: the package is damaged ({error})", reason="damaged") from error


def _windows(package: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """Yield a part in windows that end with the end of a row, as far as rows are of sane length."""
    window = b""
    with package.open(part) as stream:
        while read := stream.read(_WINDOW):
            window += read
            cut = window.rfind(_ROW_END) + len(_ROW_END)
            if cut < len(_ROW_END):
                cut = len(window) if len(window) > _LONGEST_ROW else 0
            yield window[:cut]
            window = window[cut:]
    yield window


def _sheet_places(package: zipfile.ZipFile, part: str) -> int:
    """Return rows times columns of the box around all cells of an Office Open XML sheet.

    A cell without content takes no room; one that does not say its place follows the one before.
    """
    top = left = 2**30
    bottom = right = row = column = 0
    for window in _windows(package, part):
        for tag, attributes, empty in _TAG.findall(window):
            place = _PLACE.search(attributes)
            if tag == b"row":
                row, column = int(place[2]) if place else row + 1, 0
                continue
            if place is not None and place[1]:
                row, column = int(place[2]), _column(place[1])
            else:
                column += 1
            if empty and not _TEXT_CELL.search(attributes):
                continue
            top, bottom = min(top, row), max(bottom, row)
            left, right = min(left, column), max(right, column)
    return (bottom - top + 1) * (right - left + 1) if bottom else 0


def _column(letters: bytes) -> int:
    """Return the number of a column from 1: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = number * _LETTERS + letter - ord("A") + 1
    return number


def _open_places(content: bytes) -> int:
    """Return the greatest box of an OpenDocument sheet, from its first place to its last cell that
    is not empty; a cell that says nothing of its type is empty."""
    most = row = column = height = width = repeat = 0
    for match in _REPEATED.finditer(content):
        opened, attributes, _, closed = match.groups()
        count = int(found[1]) if (found := _COUNT.search(attributes or b"")) else 1
        if opened == b"table":
            row = height = width = 0
        elif opened == b"table-row":
            row, column, repeat = row + count, 0, count
        elif opened is not None:
            column += count
            if b"value-type" in attributes:
                height, width = row, max(width, column)
        elif closed == b"table":
            most = max(most, height * width)
    return max(most, height * width) if repeat else 0
