"""The lines of a PDF page with their places, in reading order."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2
import pypdfium2.raw as pdfium

from clew.ingest.parsers.ligatures import mend_ligatures, restore_order
from clew.ingest.parsers.pdf_columns import Columns

_SOFT_HYPHEN = "\x02"
_BOLD = 600
_BOLD_NAME = re.compile(rb"bold|black|heavy", re.IGNORECASE)
_FONT_NAME_BYTES = 256
_FLAT = 0.1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, in points from the lower left corner of the page.

    `size` is the height of its font, `hyphen` says that a word was broken at its end, `upright`
    that it is written from left to right (the other figures mean nothing where it is not).
    """

    text: str
    left: float
    right: float
    bottom: float
    size: float
    bold: bool
    upright: bool
    hyphen: bool = False


def read_lines(page: pypdfium2.PdfTextPage, columns: Columns | None = None) -> list[Line]:
    """Return the lines of a page that are not blank, as PDFium orders them.

    Where rules divide the page into `columns`, what stands between them is read column by column,
    from the top down.
    """
    characters = mend_ligatures(restore_order(_characters(page), _place_of(page)))
    lines: list[Line] = []
    start = 0
    for index, character in enumerate([*characters, "\n"]):
        if character not in ("\n", _SOFT_HYPHEN):
            continue
        hyphen = character == _SOFT_HYPHEN
        for first, last in _parts(page, start, index, columns):
            broken = hyphen and last == index
            line = _line(page, characters, first, last, hyphen=broken)
            if line is not None:
                lines.append(line)
        start = index + 1
    return lines if columns is None else _by_column(lines, columns)


def _parts(
    page: pypdfium2.PdfTextPage, start: int, end: int, columns: Columns | None
) -> list[tuple[int, int]]:
    """Return a line whole, or its parts that lie in one column each."""
    if columns is None:
        return [(start, end)]
    numbers = []
    for index in range(start, end):
        left, bottom, right, _ = page.get_charbox(index)
        inside = columns.holds(bottom)
        numbers.append(columns.number((left + right) / 2) if inside else None)
    edges = [start + at for at in range(1, len(numbers)) if numbers[at] != numbers[at - 1]]
    return list(pairwise([start, *edges, end]))


def _by_column(lines: Sequence[Line], columns: Columns) -> list[Line]:
    """Return the lines above the columns, those of each column from the top, those below."""
    inside = [line for line in lines if columns.holds(line.bottom)]
    inside.sort(key=lambda line: (columns.number(line.left), -round(line.bottom), line.left))
    above = [line for line in lines if line.bottom > columns.top]
    below = [line for line in lines if line.bottom < columns.bottom]
    return [*above, *inside, *below]


def _characters(page: pypdfium2.PdfTextPage) -> list[str]:
    """Return one string for each character index; "" for the half of a surrogate pair."""
    codes = [pdfium.FPDFText_GetUnicode(page.raw, index) for index in range(page.count_chars())]
    characters: list[str] = []
    for index, code in enumerate(codes):
        high = 0xD800 <= code < 0xDC00 and index + 1 < len(codes)
        if high and 0xDC00 <= codes[index + 1] < 0xE000:
            characters.append(chr(0x10000 + (code - 0xD800) * 0x400 + codes[index + 1] - 0xDC00))
        elif 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            characters.append("")
        else:
            characters.append(chr(code))
    return characters


def _place_of(page: pypdfium2.PdfTextPage) -> Callable[[int], tuple[float, ...]]:
    """Return what gives the origin and box of a character; those of one glyph are the same."""

    def place(index: int) -> tuple[float, ...]:
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(page.raw, index, ctypes.byref(x), ctypes.byref(y))
        return (x.value, y.value, *page.get_charbox(index))

    return place


def _line(
    page: pypdfium2.PdfTextPage, characters: list[str], start: int, end: int, *, hyphen: bool
) -> Line | None:
    """Return the line that `start:end` holds, None where it is blank."""
    written = [index for index in range(start, end) if characters[index].strip()]
    if not written:
        return None
    text = "".join(characters[start:end]).strip()
    first, last = written[0], written[-1]
    middle = written[len(written) // 2]
    left, bottom, _, top = page.get_charbox(first, loose=True)
    _, low, right, high = page.get_charbox(last, loose=True)
    _, under, _, over = page.get_charbox(middle, loose=True)
    angle = pdfium.FPDFText_GetCharAngle(page.raw, ctypes.c_int(middle))
    return Line(
        text=" ".join(text.split()),
        left=left,
        right=right,
        bottom=sorted((bottom, low, under))[1],
        size=sorted((top - bottom, high - low, over - under))[1],
        bold=all(_is_bold(page, index) for index in (first, middle, last)),
        upright=abs(angle) < _FLAT,
        hyphen=hyphen,
    )


def _is_bold(page: pypdfium2.PdfTextPage, index: int) -> bool:
    """Return whether a character's font is bold by its weight or, as often, only by its name."""
    if pdfium.FPDFText_GetFontWeight(page.raw, index) >= _BOLD:
        return True
    name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(page.raw, index, name, _FONT_NAME_BYTES, ctypes.byref(flags))
    return _BOLD_NAME.search(name.value) is not None
