"""Letters that a PDF's fonts misname: ligatures without a Unicode name, and reversed ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeAlias

Place: TypeAlias = tuple[float, ...]

_FF = "\u21b5"
_LATIN = re.compile(r"[A-Za-z]")
_LOWER = re.compile(r"[a-z]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


def mend_ligatures(characters: Sequence[str]) -> list[str]:
    """Return the characters of a page with the ligatures of TeX's own encoding (OT1) spelt out.

    Where a font has no Unicode table PDFium reads its ff as U+21B5 and its ffi and ffl as zero. A
    zero counts only on a page where such an ff occurs too; before a vowel it is ffl (baffle), else
    ffi (office).
    """
    mended = list(characters)
    if _FF not in mended:
        return mended
    for index in range(1, len(mended) - 1):
        before, written, after = characters[index - 1 : index + 2]
        in_word = bool(_LATIN.fullmatch(before)) and bool(_LOWER.fullmatch(after))
        if written == _FF and (_LATIN.fullmatch(before) or _LOWER.fullmatch(after)):
            mended[index] = "ff"
        elif written == "\0" and in_word:
            mended[index] = "ffl" if after in "aeiou" else "ffi"
    return mended


def restore_order(characters: Sequence[str], place_of: Callable[[int], Place]) -> list[str]:
    """Return characters with the letters of each right-to-left ligature in their own order.

    PDFium turns a right-to-left line around letter by letter, and with it the letters of a glyph
    that stands for several (lam-alef). Such letters share one place, `place_of(index)`.
    """
    mended = list(characters)
    numbered = enumerate(characters)
    for is_run, run in groupby(numbered, key=lambda pair: bool(_RIGHT_TO_LEFT.match(pair[1]))):
        if not is_run:
            continue
        indices = [index for index, _ in run]
        for _, group in groupby(indices, key=place_of):
            glyph = list(group)
            for index, character in zip(
                glyph, reversed([characters[i] for i in glyph]), strict=True
            ):
                mended[index] = character
    return mended
