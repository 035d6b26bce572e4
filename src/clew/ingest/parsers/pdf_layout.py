"""Lines of a PDF page to paragraphs: wrapped lines are joined, headings and lists marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from clew.ingest.parsers.hyphenation import join_broken
from clew.ingest.parsers.pdf_lines import Line

_BULLET = re.compile(r"(?:[•◦▪■●‣∙·\uf0b7\uf0a7\uf0d8]|[-–—*])\s+|[•◦▪■●‣\uf0b7\uf0a7\uf0d8]")  # noqa: RUF001
_NUMBERED = re.compile(r"(?:\d{1,2}|[a-z])[.)]\s+\S")
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")  # noqa: RUF001
_GOES_ON = re.compile(r"(?:[^\W\d_]|[,-])$")
_FIGURES = re.compile(r"[\d$€£%.,()+-]+")
_LETTER = re.compile(r"[^\W\d_]")

_LARGER = 1.15
_SAME_SIZE = 0.12
_WIDER_GAP = 1.35
_SAME_BASELINE = 0.35
_LARGEST_GAP = 2.5
_INDENT = 0.8
_MOSTLY_FIGURES = 0.4
_LONGEST_HEADING = 160
_LONGEST_BOLD_HEADING = 90
_LEVELS = 3


@dataclass(frozen=True, slots=True)
class FontScale:
    """Size of the body text and the sizes of headings, largest first."""

    body: float
    headings: tuple[float, ...] = ()

    def level(self, size: float) -> int | None:
        """Return the heading level (1 is the largest) of a font size, None for body text."""
        if size < self.body * _LARGER:
            return None
        larger = sum(heading > size * (1 + _SAME_SIZE / 2) for heading in self.headings)
        return min(_LEVELS, larger + 1)


def font_scale(lines: Sequence[Line]) -> FontScale:
    """Return the scale of a document: the size of most characters is the body's."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += len(line.text)
    if not weights:
        return FontScale(0.0)
    body = weights.most_common(1)[0][0]
    headings: list[float] = []
    for size in sorted((size for size in weights if size >= body * _LARGER), reverse=True):
        if not headings or size < headings[-1] * (1 - _SAME_SIZE / 2):
            headings.append(size)
    return FontScale(body, tuple(headings))


def page_text(lines: Sequence[Line], *, scale: FontScale, known: frozenset[str]) -> str:
    """Return a page as Markdown paragraphs; `known` holds the document's unbroken words."""
    leading = _typical_leading(lines)
    blocks: list[str] = []
    for block in _blocks(lines, leading):
        level = _heading_level(block, scale)
        text = _joined(block, known)
        if level is not None:
            text = "#" * level + " " + text.replace("\n", " ")
        blocks.append(text)
    return "\n\n".join(blocks)


def _typical_leading(lines: Sequence[Line]) -> float:
    """Return the usual distance of two lines, in font sizes."""
    steps = [
        (before.bottom - line.bottom) / line.size
        for before, line in pairwise(lines)
        if line.size > 0 and _same_size(before, line)
    ]
    usual = [step for step in steps if _SAME_BASELINE < step < _LARGEST_GAP]
    return median(usual) if usual else 1.0


def _same_size(before: Line, line: Line) -> bool:
    return abs(before.size - line.size) <= _SAME_SIZE * max(before.size, line.size)


def _blocks(lines: Sequence[Line], leading: float) -> list[list[Line]]:
    """Return runs of lines that no gap, change of font size or new column separates."""
    blocks: list[list[Line]] = []
    for line in lines:
        if blocks and _continues(blocks[-1][-1], line, leading):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _continues(before: Line, line: Line, leading: float) -> bool:
    if before.hyphen:
        return True
    unfinished = _GOES_ON.search(before.text) is not None and line.text[0].islower()
    if not (before.upright and line.upright):
        return unfinished
    step = before.bottom - line.bottom
    if abs(step) < _SAME_BASELINE * max(before.size, line.size):
        return True
    if not _same_size(before, line) or before.bold != line.bold:
        return unfinished and step < _LARGEST_GAP * line.size and before.bold == line.bold
    if step < 0 or step > _LARGEST_GAP * leading * line.size:
        return unfinished
    if step > _WIDER_GAP * leading * line.size:
        return False
    indented = line.left - before.left > _INDENT * line.size
    return not (indented and _ENDS.search(before.text) and not _BULLET.match(before.text))


def _heading_level(block: Sequence[Line], scale: FontScale) -> int | None:
    """Return the level of a block that is a heading by its size or its bold type."""
    length = sum(len(line.text) for line in block)
    text = block[0].text
    if length > _LONGEST_HEADING or not _LETTER.search(text) or _BULLET.match(text):
        return None
    level = scale.level(median(line.size for line in block))
    if level is not None:
        return level
    is_bold_line = len(block) == 1 and block[0].bold and length <= _LONGEST_BOLD_HEADING
    if is_bold_line and not text.endswith((".", ",", ";", ":")):
        return min(_LEVELS, len(scale.headings) + 1)
    return None


def _joined(block: Sequence[Line], known: frozenset[str]) -> str:
    """Return the text of a block, wrapped lines joined, other line ends kept."""
    edges = _right_edges(block)
    text = _marked(block[0].text)
    for (before, line), edge in zip(pairwise(block), edges, strict=False):
        if before.hyphen or (text.endswith("-") and line.text[0].islower()):
            text = join_broken(text, line.text, known)
        elif _wraps(before, line, edge):
            text = f"{text} {line.text}"
        else:
            text = f"{text}\n{_marked(line.text)}"
    return text


def _right_edges(block: Sequence[Line]) -> list[float]:
    """Return for each line the right edge of the lines of its column; going up starts a column."""
    columns: list[list[Line]] = [[block[0]]]
    for before, line in pairwise(block):
        if line.bottom > before.bottom + before.size:
            columns.append([line])
        else:
            columns[-1].append(line)
    return [max(line.right for line in column) for column in columns for _ in column]


def _wraps(before: Line, line: Line, edge: float) -> bool:
    """Return whether `line` goes on where `before` was full: its first word found no room."""
    if _BULLET.match(line.text) or _NUMBERED.match(line.text):
        return False
    if not (before.upright and line.upright):
        return True
    if abs(before.bottom - line.bottom) < _SAME_BASELINE * max(before.size, line.size):
        return True
    if _is_row(before.text) or _is_row(line.text):
        return False
    if line.text[0].islower():
        return True
    width = (before.right - before.left) / max(1, len(before.text))
    return edge - before.right < width * (len(line.text.split(" ", 1)[0]) + 2)


def _is_row(text: str) -> bool:
    """Return whether a line is mostly figures, as the rows of tables are."""
    words = text.split()
    figures = sum(_FIGURES.fullmatch(word) is not None for word in words)
    return len(words) > 2 and figures >= _MOSTLY_FIGURES * len(words)


def _marked(text: str) -> str:
    """Return a list item with a Markdown mark."""
    bullet = _BULLET.match(text)
    return "- " + text[bullet.end() :] if bullet is not None and bullet.end() < len(text) else text
