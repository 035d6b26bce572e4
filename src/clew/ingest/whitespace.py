"""Line ends, blank lines and characters that no store or model can take."""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n?|[\x0b\x85\u2028]")
_PARAGRAPH_END = re.compile(r"[\x0c\u2029]")
_UNWANTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufeff\ufffe\uffff\u00ad\u200b]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_TAIL = " \t\u00a0"
_BLANK_LINES = re.compile(r"\n{3,}")


def tidy(text: str) -> str:
    """Return `text` with single newlines, no blanks before them, at most one blank line in a row,
    and no control characters; a form feed becomes a paragraph break and a lone surrogate U+FFFD.
    Linear in the text.
    """
    text = _LINE_END.sub("\n", text)
    text = _PARAGRAPH_END.sub("\n\n", text)
    text = _UNWANTED.sub("", text)
    text = _SURROGATE.sub("\ufffd", text)
    text = "\n".join(line.rstrip(_LINE_TAIL) for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n").rstrip()
