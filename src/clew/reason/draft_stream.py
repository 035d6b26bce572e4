"""A model's draft as it is written, made fit to be shown: without its markers and hidden marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from clew.reason.prompt import NOT_ANSWERED

_OPENING = "[【"
_MARKER = re.compile(r"[\[【]\s*\d[\d\s,;]*[\]】]")
_MAYBE_MARKER = re.compile(r"[\[【]\s*[\d\s,;]*")
_LONGEST_MARKER = 24
_SEPARATORS = " \t"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


class DraftStream:
    """Hands on pieces of a draft. What may be a marker, or the words of an abstention, is held back
    until it is clear; blanks before a marker go with it.

    Args:
        on_text: is given the text.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._held = ""
        self._begun = False

    def feed(self, piece: str) -> None:
        """Take a piece."""
        self._held += "".join(char for char in piece if char == "\n" or _is_visible(char))
        if not self._begun and _may_abstain(self._held):
            return
        self._begun = True
        ready, self._held = _split(self._held)
        self._tell(ready)

    def end(self) -> None:
        """Hand on what is held, unless the model abstains."""
        rest, self._held = _MARKER.sub("", self._held), ""
        if self._begun or not _abstains(rest):
            self._tell(rest.rstrip(_SEPARATORS))

    def _tell(self, text: str) -> None:
        if text:
            self._on_text(text)


def _split(text: str) -> tuple[str, str]:
    """Return what is clear, without markers, and what may still become one."""
    clear = re.sub(rf"[{_SEPARATORS}]*{_MARKER.pattern}", "", text)
    blank = len(clear) - len(clear.rstrip(_SEPARATORS))
    opened = max(clear.rfind(mark) for mark in _OPENING)
    short = opened >= 0 and len(clear) - opened <= _LONGEST_MARKER
    if short and _MAYBE_MARKER.fullmatch(clear, opened):
        start = len(clear[:opened].rstrip(_SEPARATORS))
        return clear[:start], clear[start:]
    return clear[: len(clear) - blank], clear[len(clear) - blank :]


def _may_abstain(text: str) -> bool:
    words = _bare(text)
    return any(said.startswith(words) or words.startswith(said) for said in NOT_ANSWERED)


def _abstains(text: str) -> bool:
    return _bare(text).startswith(NOT_ANSWERED)


def _bare(text: str) -> str:
    return text.strip(" \n\t*_\"'`.:").casefold()


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in _INVISIBLE
