"""Spreadsheets (xlsx, xlsm, xls, ods): a heading and Markdown tables for each sheet."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypeAlias

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.office_package import (
    CoreProperties,
    check_package,
    read_core_properties,
    read_open_document_properties,
)
from clew.ingest.parsers.paged_text import paged_text
from clew.ingest.parsers.sheet_extent import check_extents
from clew.ingest.parsers.tables import MOST_CELLS, grid_markdown
from clew.ingest.whitespace import tidy

_Value: TypeAlias = "int | float | str | bool | time | date | datetime | timedelta"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OPEN_DOCUMENT = "content.xml"
_WORKBOOK = "xl/workbook.xml"
_LEFT_OUT = {
    "charts": re.compile(r"xl/charts/chart\d+\.xml"),
    "comments": re.compile(r"xl/(?:c|threadedC)omments.*\.xml"),
    "text boxes and drawings": re.compile(r"xl/drawings/drawing\d+\.xml"),
    "pictures": re.compile(r"xl/media/.+"),
}


@dataclass(slots=True)
class _Budget:
    """How many cells may still be read."""

    cells: int = MOST_CELLS


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return every sheet, hidden ones too; a sheet counts as a page. Formulas give their values.

    Merged cells show their text in every cell that they cover. Number formats are not applied: 25%
    reads 0.25.

    Raises:
        ParseError: reason "empty", "password", "unsupported", "damaged" or "too-large".
    """
    members = _checked(data, name=name)
    warnings: list[str] = []
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = _sheets(workbook, warnings)
    except PasswordError as error:
        raise ParseError(
            f"{name}: the workbook is protected by a password; save it without one",
            reason="password",
        ) from error
    except (CalamineError, OSError, ValueError, OverflowError, MemoryError) as error:
        raise ParseError(
            f"{name}: the workbook is damaged ({error}); open it in a spreadsheet program and save "
            "it again",
            reason="damaged",
        ) from error
    text, pages = paged_text(sheets)
    if not text:
        raise ParseError(f"{name}: no sheet holds a value; nothing to index", reason="empty")
    properties = _properties(data, members)
    return ParsedText(
        text=text,
        title=properties.title,
        authors=properties.authors,
        published_at=properties.published_at,
        pages=pages,
        warnings=(*warnings, *_left_out(members)),
    )


def _properties(data: bytes, members: frozenset[str]) -> CoreProperties:
    if _WORKBOOK in members:
        return read_core_properties(data)
    return read_open_document_properties(data) if members else CoreProperties()


def _checked(data: bytes, *, name: str) -> frozenset[str]:
    """Return the members of the package, none for an old binary workbook."""
    if data.startswith(_OLE) and _ENCRYPTED not in data:
        return frozenset()
    part = _OPEN_DOCUMENT if _is_open_document(data) else _WORKBOOK
    check_package(data, name=name, part=part)
    check_extents(data, name=name)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return frozenset(package.namelist())


def _is_open_document(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            return _OPEN_DOCUMENT in package.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def _sheets(workbook: CalamineWorkbook, warnings: list[str]) -> list[tuple[int, str]]:
    """Return number and Markdown of each sheet that holds something."""
    budget = _Budget()
    sheets: list[tuple[int, str]] = []
    for number, about in enumerate(workbook.sheets_metadata, start=1):
        if about.typ is not SheetTypeEnum.WorkSheet:
            warnings.append(f"sheet {about.name!r} holds no cells and was left out")
            continue
        sheet = workbook.get_sheet_by_name(about.name)
        rows = _rows(sheet, budget, warnings)
        table = grid_markdown(rows)
        if not table:
            continue
        if about.visible is not SheetVisibleEnum.Visible:
            warnings.append(f"sheet {about.name!r} is hidden in the workbook and was read")
        sheets.append((number, tidy(f"## {about.name}\n\n{table}")))
    return sheets


def _rows(sheet: CalamineSheet, budget: _Budget, warnings: list[str]) -> list[list[str]]:
    """Return the texts of a sheet's cells, as many rows as the budget allows."""
    if sheet.start is None or sheet.end is None:
        return []
    width = max(1, sheet.width)
    allowed = budget.cells // width
    if sheet.height > allowed:
        warnings.append(
            f"sheet {sheet.name!r}: only the first {allowed} of {sheet.height} rows were read; "
            f"a workbook is read up to {MOST_CELLS:,} cells, so split it"
        )
    if allowed == 0:
        return []
    values: Sequence[Sequence[_Value]] = sheet.to_python(skip_empty_area=True, nrows=allowed)
    rows = [[cell_text(value) for value in row] for row in values]
    budget.cells -= len(rows) * width
    _fill_merged(rows, sheet)
    return rows


def _fill_merged(rows: list[list[str]], sheet: CalamineSheet) -> None:
    """Write the text of merged cells into all that they cover, unless that is all of their row."""
    top, left = sheet.start or (0, 0)
    for (first_row, first_column), (last_row, last_column) in sheet.merged_cell_ranges or []:
        row, column = first_row - top, first_column - left
        if not (0 <= row < len(rows) and 0 <= column < len(rows[row])):
            continue
        text = rows[row][column]
        others = any(cell for cell in rows[row][:column] + rows[row][last_column - left + 1 :])
        end = last_column - left + 1 if others or first_row != last_row else column + 1
        for covered in rows[row : last_row - top + 1]:
            for index in range(column, min(end, len(covered))):
                covered[index] = covered[index] or text


def cell_text(value: _Value) -> str:
    """Return a cell as it is best read: no ".0", no rounding noise, dates in ISO form."""
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value)
    return str(value)


def _moment(value: datetime) -> str:
    is_date = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
    return value.date().isoformat() if is_date else value.isoformat(sep=" ", timespec="seconds")


_WRITERS: tuple[tuple[type, Callable[[object], str]], ...] = (
    (bool, lambda value: "TRUE" if value else "FALSE"),
    (float, lambda value: f"{value:.15g}"),
    (datetime, lambda value: _moment(value) if isinstance(value, datetime) else ""),
    (time, lambda value: value.isoformat(timespec="seconds") if isinstance(value, time) else ""),
)


def _left_out(members: frozenset[str]) -> list[str]:
    counts = {
        what: sum(pattern.fullmatch(member) is not None for member in members)
        for what, pattern in _LEFT_OUT.items()
    }
    found = [what for what, count in counts.items() if count]
    return [f"left out: {', '.join(found)}"] if found else []
