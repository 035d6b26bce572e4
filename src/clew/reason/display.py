"""Retrieved text made fit to be shown: data, never markup, and never a citation of its own."""

from __future__ import annotations

import re
import unicodedata

_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|`+)(?=\S)(.+?)(?<=\S)\1(?!\w)", re.DOTALL)
_BLOCK_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s+|[-*+•]\s+|\|\s*)+")
_MARKER = re.compile(r"[\[【⟦［]\s*(\d[\d\s,;.–-]*)\s*[\]】⟧］]")  # noqa: RUF001
_HALF_MARKER = re.compile(r"[\[【⟦［](?=\s*\d)")  # noqa: RUF001
_SPACES = re.compile(r"\s+")
_KEPT_CONTROLS = frozenset("\t\n\r")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def display_text(text: str) -> str:
    """Return one line of plain text that `text`, a piece of a document, says.

    Control and invisible characters (bidirectional overrides, zero-width marks), HTML tags and
    Markdown marks are dropped, links keep their words, and blanks become single spaces. What looks
    like a citation marker is put in round brackets, "[1]" becomes "(1)", so that only the markers
    which code attaches stand in square ones. Applying it twice changes nothing.
    """
    shown = "".join(char for char in text if _is_visible(char))
    while True:
        before = shown
        shown = _LINK.sub(r"\1", _TAG.sub("", shown))
        shown = _EMPHASIS.sub(r"\2", _BLOCK_MARK.sub("", shown))
        shown = _HALF_MARKER.sub("(", _MARKER.sub(_in_round_brackets, shown))
        shown = _SPACES.sub(" ", shown).strip()
        if shown == before:
            return shown


def _is_visible(char: str) -> bool:
    return char in _KEPT_CONTROLS or unicodedata.category(char) not in _INVISIBLE


def _in_round_brackets(marker: re.Match[str]) -> str:
    return f"({marker[1].rstrip()})"
