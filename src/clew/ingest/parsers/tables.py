"""Rows of cells as Markdown pipe tables; a long table repeats its head, so that no chunk lacks it."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_CELLS = 1_000_000
"""Cells that are read of one document; more would be days of embedding, and are reported."""

_BLOCK = 900
_HEAD_SHARE = 3
_SPACES = re.compile(r"\s+")
_NUMBER = re.compile(r"[-+(]?\d[\d.,\s]*(?:[eE][-+]?\d+)?\s*[%)€$£]?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_LOOK_BELOW = 50
_MOSTLY = 0.8


def markdown_table(rows: Sequence[Sequence[str]], *, head: bool = True) -> str:
    """Return a table without its empty rows and columns, "" where nothing is left.

    The first row is the head; where `head` is False the head is blank. A table of more than about
    900 characters (what fits a chunk of either preset) is written as several, each with the head.
    """
    filled = _without_empty(rows)
    if not filled:
        return ""
    width = max(map(len, filled))
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in filled]
    first = lines.pop(0) if head else "|" + "  |" * width
    opening = f"{first}\n|{' --- |' * width}"
    limit = max(_BLOCK, _HEAD_SHARE * len(opening))
    tables = [[opening]]
    length = len(opening)
    for line in lines:
        if length + len(line) >= limit and len(tables[-1]) > 1:
            tables.append([opening])
            length = len(opening)
        tables[-1].append(line)
        length += len(line) + 1
    return "\n\n".join("\n".join(table) for table in tables)


def has_head(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns, as far as that shows.

    It does not where one of its cells occurs again further down its column, or where it holds
    figures (years aside) just as the columns below do.
    """
    first, below = rows[0], rows[1 : 1 + _LOOK_BELOW]
    for column, cell in enumerate(first):
        if not cell.strip():
            continue
        values = [row[column] for row in below if column < len(row) and row[column].strip()]
        if cell in values:
            return False
        if _NUMBER.fullmatch(cell.strip()) and not _YEAR.fullmatch(cell.strip()):
            figures = sum(_NUMBER.fullmatch(value.strip()) is not None for value in values)
            if values and figures >= _MOSTLY * len(values):
                return False
    return True


def grid_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return the Markdown of a sheet: tables parted by empty rows, lone cells as paragraphs.

    A row above or below a table with text in one cell only is its title or its note.
    """
    blocks: list[str] = []
    band: list[Sequence[str]] = []
    for row in [*rows, ()]:
        if any(cell.strip() for cell in row):
            band.append(row)
        elif band:
            blocks += _band_blocks(band)
            band = []
    return "\n\n".join(blocks)


def _band_blocks(band: Sequence[Sequence[str]]) -> list[str]:
    """Return the blocks of rows that no empty row parts."""
    if all(_is_lone(row) for row in band):
        return ["\n".join(_lone(row) for row in band)]
    start = next(index for index, row in enumerate(band) if not _is_lone(row))
    end = len(band) - next(i for i, row in enumerate(reversed(band)) if not _is_lone(row))
    table = band[start:end]
    return [
        *(_lone(row) for row in band[:start]),
        markdown_table(table, head=has_head(table)),
        *(_lone(row) for row in band[end:]),
    ]


def _is_lone(row: Sequence[str]) -> bool:
    return len({cell for cell in row if cell.strip()}) == 1 and (
        sum(bool(cell.strip()) for cell in row) == 1
    )


def _lone(row: Sequence[str]) -> str:
    return next(_SPACES.sub(" ", cell).strip() for cell in row if cell.strip())


def _without_empty(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows with clean cells, without the rows and columns that hold nothing."""
    clean = [[_cell(cell) for cell in row] for row in rows]
    filled = [row for row in clean if any(row)]
    kept = sorted({column for row in filled for column, cell in enumerate(row) if cell})
    return [[row[column] if column < len(row) else "" for column in kept] for row in filled]


def _cell(text: str) -> str:
    return _SPACES.sub(" ", text).strip().replace("|", "\\|")
