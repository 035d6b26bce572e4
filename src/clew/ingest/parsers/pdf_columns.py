"""Columns of a page that vertical rules divide: a page written row by row is read column by column.

PDFium reads text in the order in which it was written, which is right for nearly all pages. A
printed list whose columns stand side by side is often written across all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import pypdfium2
import pypdfium2.raw as pdfium

_THIN = 3.0
_TALL = 0.5
_NARROWEST = 100.0
_UNEQUAL = 0.1
_FILLED = 0.6
_MOST_PATHS = 2_000


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the rules stand, from left to right, and the height that all of them span."""

    rules: tuple[float, ...]
    bottom: float
    top: float

    def holds(self, height: float) -> bool:
        """Return whether a line at this height lies between the rules."""
        return self.bottom <= height <= self.top

    def number(self, place: float) -> int:
        """Return the column of a place, from 0."""
        return sum(place > rule for rule in self.rules)


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float


def find_columns(page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> Columns | None:
    """Return the columns that rules divide a page into, None where there are none.

    Columns are those of a list, not of a table: about equally wide, at least 100 points, by rules
    half as tall as the page or taller, which no rule crosses. A table's columns differ in width, or
    its rows are ruled; its rows stay whole.
    """
    if page.get_rotation():
        return None
    boxes = _paths(page)
    rules = [box for box in boxes if _is_rule(box, page.get_height())]
    if not rules or text.count_rects() == 0:
        return None
    lines = [text.get_rect(index) for index in range(text.count_rects())]
    left, right = min(line[0] for line in lines), max(line[2] for line in lines)
    places = _apart([(box.left + box.right) / 2 for box in rules])
    inner = tuple(place for place in places if left < place < right)
    bottom, top = max(box.bottom for box in rules), min(box.top for box in rules)
    if top <= bottom or not _equally_wide(left, inner, right):
        return None
    crossed = any(_crosses(box, bottom, top) for box in boxes)
    return None if crossed else Columns(inner, bottom, top)


def _paths(page: pypdfium2.PdfPage) -> list[_Box]:
    """Return the boxes of lines and rectangles; none of a page that is a drawing."""
    objects = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH])
    boxes = [_Box(*each.get_bounds()) for each in islice(objects, _MOST_PATHS + 1)]
    return boxes if len(boxes) <= _MOST_PATHS else []


def _is_rule(box: _Box, height: float) -> bool:
    return box.right - box.left < _THIN and box.top - box.bottom >= _TALL * height


def _apart(places: Sequence[float]) -> list[float]:
    """Return ascending places without those that repeat the one before."""
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > _THIN:
            kept.append(place)
    return kept


def _crosses(box: _Box, bottom: float, top: float) -> bool:
    """Return whether a path is a rule between rows."""
    flat = box.top - box.bottom < _THIN and box.right - box.left > _NARROWEST / 2
    return flat and bottom + _THIN < box.bottom < top - _THIN


def _equally_wide(left: float, rules: Sequence[float], right: float) -> bool:
    """Return whether rules divide what lies between `left` and `right`, where text begins and ends,
    evenly; the text of an outer column may fill a part of it only."""
    if not rules:
        return False
    outer = (rules[0] - left, right - rules[-1])
    widths = [after - before for before, after in pairwise(rules)] or [max(outer)]
    narrowest, widest = min(widths), max(*widths, *outer)
    even = widest <= (1 + _UNEQUAL) * narrowest and min(outer) >= _FILLED * narrowest
    return narrowest >= _NARROWEST and even
