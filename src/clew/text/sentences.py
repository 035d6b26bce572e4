"""Sentence boundaries by rules, for any language written with . ! ? or their CJK forms."""

from __future__ import annotations

import re

from clew.core.documents import Span

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st mt ft rev hon gen col lt sgt capt gov sen rep pres messrs mme mlle "
    "vs etc al cf eg ie approx ca fig figs eq eqs sec ch vol no nos pp ed eds trans op cit viz "
    "inc ltd corp co bros dept univ assn ave blvd rd jan feb mar apr jun jul aug sep sept oct nov "
    "dec e.g i.e a.m p.m u.s u.k u.n d.c ph.d m.d b.a m.a "
    "sra srta dra exmo exma av pág págs cap séc art núm tel".split()
)
_NEVER_FINAL = frozenset(
    "mr mrs ms dr prof st mt rev hon gen col lt sgt capt gov sen rep messrs mme mlle vs cf eg ie "
    "approx ca fig figs eq eqs no nos pp vol e.g i.e viz sra srta dra exmo exma av pág séc".split()
)
_CLOSERS = "\"'”’»)]}*_"  # noqa: RUF001
_TERMINATOR = re.compile(
    rf"(?:[.!?…]+[{re.escape(_CLOSERS)}]*(?:\[\d+\])*(?=\s|$)|[。！？]+[」』”’）]*)"  # noqa: RUF001
)
_BLOCK_BREAK = re.compile(
    r"\n[ \t\r\f\v]*\n|\n(?=[ \t]*(?:[-*+•◦▪][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>|\||```))"
)
_LINE_BLOCK = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\||```)")
_LAST_WORD = re.compile(r"(?:[^\W\d_]\.)*\w+$")
_NEXT = re.compile(r"\s*[\"'“‘«(\[¿¡*_]*(\S)")  # noqa: RUF001
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_TAIL = re.compile(rf"(?P<mark>[.!?…。！？])[{re.escape(_CLOSERS)}」』）]*(?:\[\d+\])*$")  # noqa: RUF001
_WORD_WINDOW = 24


def sentence_spans(text: str) -> list[Span]:
    """Return the spans of sentences in order; together they cover every character that is not
    blank. Headings, list items, table rows and paragraphs end a sentence as well."""
    spans: list[Span] = []
    for block in _blocks(text):
        start = block.start
        for match in _TERMINATOR.finditer(text, block.start, block.end):
            if match.end() < block.end and ends_sentence(text, match.end(), start=block.start):
                _append(spans, text, start, match.end())
                start = match.end()
        _append(spans, text, start, block.end)
    return spans


def ends_sentence(text: str, position: int, *, start: int = 0) -> bool:
    """Return whether a sentence that lies after `start` ends right before `position`."""
    low = max(start, position - _WORD_WINDOW)
    tail = _TAIL.search(text, low, position)
    if tail is None:
        return False
    following = _NEXT.match(text, position)
    if following is None or tail["mark"] in "。！？":  # noqa: RUF001
        return True
    if following[1].islower():
        return False
    if tail["mark"] != ".":
        return True
    body = text[low : tail.start()].rstrip(".")
    return _full_stop_ends(text, body, following=following.start(1), first=low == start)


def _full_stop_ends(text: str, body: str, *, following: int, first: bool) -> bool:
    """Return whether a full stop after `body` is more than the mark of an abbreviation, an
    initial or a list number."""
    last = _LAST_WORD.search(body)
    if last is None:
        return True
    word = last.group()
    if len(word) == 1 and word.isalpha():
        return not word.isupper()
    if word.isdigit() and first and not body[: last.start()].strip():
        return False
    key = word.casefold()
    if key in _NEVER_FINAL:
        return False
    if key in _ABBREVIATIONS or "." in word:
        return _starts_new_sentence(text, following)
    return True


_OPENERS = frozenset(
    "the a an this that these those it he she they we you i in on at for from by with after before "
    "when while although however but and or if as since there its his her their o os as um uma "
    "ele ela eles elas isso este esta em no na para por com quando mas se".split()
)


def _starts_new_sentence(text: str, position: int) -> bool:
    """Return whether the word at `position` is one that opens sentences rather than names."""
    match = _WORD.match(text, position)
    return match is not None and match.group().casefold() in _OPENERS


def _blocks(text: str) -> list[Span]:
    """Return the blocks of lines that a sentence cannot cross."""
    blocks: list[Span] = []
    start = 0
    for match in _BLOCK_BREAK.finditer(text):
        blocks += _lines_apart(text, start, match.start())
        start = match.end()
    return blocks + _lines_apart(text, start, len(text))


def _lines_apart(text: str, start: int, end: int) -> list[Span]:
    """Return the block, its first line apart where that is a heading or a table row."""
    line_end = text.find("\n", start, end)
    if line_end >= 0 and _LINE_BLOCK.match(text, start, end):
        return [Span(start, line_end), Span(line_end, end)]
    return [Span(start, end)]


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    """Add the span without its blank ends, unless nothing is left."""
    blank = _SPACE.match(text, start, end)
    first = blank.end() if blank else start
    last = first + len(text[first:end].rstrip())
    if last > first:
        spans.append(Span(first, last))
