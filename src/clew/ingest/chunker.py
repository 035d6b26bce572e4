"""Recursive chunking by paragraphs, lines, words and characters (paper, sections 3.1 and 3.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.core.documents import Span
from clew.core.errors import IngestError
from clew.text.sentences import ends_sentence

SEPARATORS: tuple[str, ...] = ("\n\n", "\n", " ", "")
"""The paper's list, strongest first; "" cuts anywhere."""

_NOT_BLANK = re.compile(r"\S")
_WORD_START = re.compile(r"(?<!\S)\S")
_SENTENCE_SHARE = 4
_STUB_SHARE = 10


@dataclass(frozen=True, slots=True)
class ChunkingPreset:
    """Greatest length of a chunk and of the text it repeats of the one before, in characters."""

    size: int
    overlap: int


CHUNKING_PRESETS: Mapping[str, ChunkingPreset] = {
    "default": ChunkingPreset(size=1350, overlap=100),
    "paper_v1": ChunkingPreset(size=1000, overlap=100),
}
"""The paper's second architecture (the default) and its first."""


def chunk_spans(
    text: str, *, size: int, overlap: int, separators: Sequence[str] = SEPARATORS
) -> list[Span]:
    """Return the spans of chunks in order; none is longer than `size` or begins or ends blank.

    A block between two separators that fits into a chunk is kept whole, the strongest separators
    first; a weaker one is used only inside a block that does not fit. Where the separator is a
    space and a sentence ends in the last quarter of the chunk, the cut is made there. The text
    repeated from the chunk before is at most `overlap` characters, begins with a word, and is
    shortened where it would push the next whole block over the limit. Linear in the text.

    Raises:
        IngestError: `size` is not positive, or `overlap` is not within 0..size - 1.
    """
    if size < 1:
        raise IngestError(f"the chunk size is {size}; it must be at least 1 character")
    if not 0 <= overlap < size:
        raise IngestError(f"the chunk overlap is {overlap}; it must lie in 0..{size - 1}")
    spans: list[Span] = []
    fresh = _skip_blank(text, 0)
    start = fresh
    while fresh < len(text):
        cut = _cut(text, start=start, fresh=fresh, size=size, separators=separators)
        spans.append(Span(start, _trim_blank(text, start, cut)))
        fresh = _skip_blank(text, cut)
        start = _overlap_start(text, before=spans[-1], fresh=fresh, cut=cut, overlap=overlap)
        if fresh - start >= size:
            start = fresh
        start = _keep_next_block_whole(text, start, fresh, size=size, separators=separators)
    return spans


def _cut(text: str, *, start: int, fresh: int, size: int, separators: Sequence[str]) -> int:
    """Return where the chunk that begins at `start` ends; always beyond `fresh`."""
    limit = start + size
    if limit >= len(text):
        return len(text)
    for index, separator in enumerate(separators):
        if not separator:
            break
        found = text.rfind(separator, fresh + 1, limit + len(separator))
        if found < 0 or _is_stub_before_long_block(
            text, fresh, found, size=size, separator=separator, last=_is_last(separators, index)
        ):
            continue
        return _sentence_cut(text, start, found, size) if separator == " " else found
    return limit


def _is_last(separators: Sequence[str], index: int) -> bool:
    return all(not separator for separator in separators[index + 1 :])


def _is_stub_before_long_block(
    text: str, fresh: int, found: int, *, size: int, separator: str, last: bool
) -> bool:
    """Return whether the block is so short (a heading) that it should stay with the next one,
    which has to be cut anyway."""
    if last or (found - fresh) * _STUB_SHARE > size:
        return False
    following = _skip_blank(text, found)
    end = text.find(separator, following, following + size + len(separator))
    return end < 0 and len(text) - following > size


def _sentence_cut(text: str, start: int, found: int, size: int) -> int:
    """Return the last space after a sentence end close before `found`, else `found`."""
    earliest = start + size - size // _SENTENCE_SHARE
    position = found
    while position >= earliest:
        if ends_sentence(text, position, start=start):
            return position
        position = text.rfind(" ", earliest, position)
    return found


def _overlap_start(text: str, *, before: Span, fresh: int, cut: int, overlap: int) -> int:
    """Return where the next chunk begins: the first word start within `overlap` before `cut`, but
    after the start of the chunk `before`, which is never repeated whole.

    Where a long word was cut, and nothing else can begin, that is in the middle of the word.
    """
    earliest = max(cut - overlap, before.start + 1)
    word = _WORD_START.search(text, earliest, cut)
    if word is not None:
        return word.start()
    inside_word = fresh == cut and cut < len(text) and not text[cut - 1].isspace()
    return earliest if inside_word else fresh


def _keep_next_block_whole(
    text: str, start: int, fresh: int, *, size: int, separators: Sequence[str]
) -> int:
    """Return `start`, moved forward as far as the block at `fresh` needs to fit whole."""
    for separator in separators:
        if not separator:
            break
        end = text.find(separator, fresh, fresh + size + len(separator))
        if end < 0 and len(text) - fresh <= size:
            end = len(text)
        if end < 0:
            continue
        if end - size <= start:
            return start
        word = _WORD_START.search(text, end - size, fresh)
        return word.start() if word is not None else fresh
    return start


def _skip_blank(text: str, position: int) -> int:
    found = _NOT_BLANK.search(text, position)
    return found.start() if found is not None else len(text)


def _trim_blank(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())
