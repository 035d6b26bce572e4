"""CSV and TSV: one table; encoding, delimiter and head are found out."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.tables import MOST_CELLS, grid_markdown
from clew.ingest.whitespace import tidy

_DELIMITERS = ("\t", ";", "|", ",")
_SAMPLE_ROWS = 200
_STATED = re.compile(r"sep=([,;|\t:^~ ])\r?\n", re.IGNORECASE)


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the rows as Markdown tables with the head repeated.

    Raises:
        ParseError: reason "empty" or "binary".
    """
    decoded = decode(data, name=name)
    text = decoded.text
    stated = _STATED.match(text)
    if stated is not None:
        text = text[stated.end() :]
    delimiter = stated[1] if stated is not None else find_delimiter(text, tabs=_is_tabbed(name))
    warnings = list(decoded.warnings)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows, cut = _limited(reader)
    except csv.Error as error:
        warnings.append(f"quotes do not match ({error}); they are read as plain characters")
        rows, cut = _limited(line.split(delimiter) for line in text.splitlines())
    if cut:
        warnings.append(
            f"only the first {len(rows)} rows ({MOST_CELLS:,} cells) were read; split the file"
        )
    markdown = tidy(grid_markdown([row for row in rows if any(cell.strip() for cell in row)]))
    if not markdown:
        raise ParseError(f"{name}: the file holds no values; nothing to index", reason="empty")
    return ParsedText(text=markdown, warnings=tuple(warnings))


def find_delimiter(text: str, *, tabs: bool = False) -> str:
    """Return the delimiter under which most of the first rows have one width, the widest first.

    With `tabs` the tab wins wherever it occurs. A text without any delimiter is one column.
    """
    if tabs and "\t" in text:
        return "\t"
    best = max(_DELIMITERS, key=lambda delimiter: _agreement(text, delimiter))
    return best if _agreement(text, best)[0] > 0 else ","


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    """Return the share of rows that have the usual width, and that width; 0 for one column."""
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        widths = Counter(len(row) for row in islice(reader, _SAMPLE_ROWS) if row)
    except csv.Error:
        return 0.0, 0
    if not widths:
        return 0.0, 0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return (count / widths.total(), width) if width > 1 else (0.0, 0)


def _limited(read: Iterable[list[str]]) -> tuple[list[list[str]], bool]:
    """Return the rows, and whether there are more than are kept."""
    rows: list[list[str]] = []
    cells = 0
    for row in read:
        cells += len(row)
        if cells > MOST_CELLS:
            return rows, True
        rows.append(row)
    return rows, False


def _is_tabbed(name: str) -> bool:
    return name.casefold().endswith((".tsv", ".tab"))
