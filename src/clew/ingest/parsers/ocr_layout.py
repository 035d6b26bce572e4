"""Reading order of recognised text: pages on their side, columns, then rows from left to right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median, pstdev

_TALL = 1.5
_LONG_LINE = 10
_LEAST_GUTTER = 0.8
_LEAST_COLUMN = 3
_SAME_ROW = 0.5


@dataclass(frozen=True, slots=True)
class Box:
    """A text and the box around it in pixels from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Return the extent from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Return the extent from top to bottom."""
        return self.bottom - self.top


def in_reading_order(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes as a person reads them, turned upright where the page lies on its side.

    A recursive XY cut (Nagy and Seth 1984): a gutter between columns of running text is cut
    first, else the widest gap between lines. Cells of tables are too short for columns, so that a
    table is read row by row.
    """
    upright = _upright(boxes)
    if not upright:
        return []
    line = median(box.height for box in upright)
    ordered: list[Box] = []
    pending = [upright]
    while pending:
        group = pending.pop()
        parts = _columns(group, line) or _bands(group)
        if parts is None:
            ordered += _rows(group)
        else:
            pending += reversed(parts)
    return ordered


def _upright(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes of a page on its side turned by a quarter; others as they are.

    Lines begin where their ends agree best: at the foot, where they run upwards.
    """
    tall = sum(box.height > _TALL * box.width for box in boxes if len(box.text) > 1)
    if tall * 2 <= len(boxes):
        return list(boxes)
    upwards = pstdev(box.bottom for box in boxes) <= pstdev(box.top for box in boxes)
    if upwards:
        return [
            replace(box, left=-box.bottom, right=-box.top, top=box.left, bottom=box.right)
            for box in boxes
        ]
    return [
        replace(box, left=box.top, right=box.bottom, top=-box.right, bottom=-box.left)
        for box in boxes
    ]


def _columns(group: list[Box], line: float) -> list[list[Box]] | None:
    """Return the columns of running text that gutters part, None where there are none."""
    parts = _parted(group, lambda box: box.left, lambda box: box.right, least=_LEAST_GUTTER * line)
    running = all(
        len(part) >= _LEAST_COLUMN and median(box.width for box in part) >= _LONG_LINE * line
        for part in parts
    )
    return parts if len(parts) > 1 and running else None


def _bands(group: list[Box]) -> list[list[Box]] | None:
    """Return what lies above and below the widest gap, None where no gap runs across."""
    lines = _parted(group, lambda box: box.top, lambda box: box.bottom, least=0.0)
    if len(lines) < 2:
        return None
    gaps = [
        min(box.top for box in below) - max(box.bottom for box in above)
        for above, below in pairwise(lines)
    ]
    cut = gaps.index(max(gaps)) + 1
    return [
        [box for part in lines[:cut] for box in part],
        [box for part in lines[cut:] for box in part],
    ]


def _parted(
    group: list[Box], begin: Callable[[Box], float], end: Callable[[Box], float], *, least: float
) -> list[list[Box]]:
    """Return the boxes in runs that gaps of more than `least` part along one direction."""
    runs: list[list[Box]] = []
    reached = 0.0
    for box in sorted(group, key=begin):
        if runs and begin(box) - reached <= least:
            runs[-1].append(box)
            reached = max(reached, end(box))
        else:
            runs.append([box])
            reached = end(box)
    return runs


def _rows(group: list[Box]) -> list[Box]:
    """Return boxes that overlap from top to bottom, row by row."""
    rows: list[list[Box]] = []
    for box in sorted(group, key=lambda box: box.top + box.bottom):
        middle = (box.top + box.bottom) / 2
        first = rows[-1][0] if rows else None
        if first is not None and middle - (first.top + first.bottom) / 2 < _SAME_ROW * first.height:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda box: box.left)]
