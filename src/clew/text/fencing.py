"""Text of documents made fit to stand in a prompt as data, inside a fence that it cannot close."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence

_HARMLESS = str.maketrans({"<": "‹", ">": "›", "[": "(", "]": ")"})  # noqa: RUF001
"""Models' own control marks are written in these (<|im_end|>, [INST]); so are our numbers."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def harmless_line(text: str) -> str:
    """Return `text` as one line without invisible characters and brackets of machines.

    Words stay as they are written, so that what a model copies can be found again (`locate`).
    """
    shown = "".join(
        char if char.isspace() or unicodedata.category(char) not in _INVISIBLE else ""
        for char in text
    )
    return " ".join(shown.translate(_HARMLESS).split())


def fence_name(word: str, lines: Sequence[str]) -> str:
    """Return the name of a fence around `lines`: a hash of what it holds, which no line can know."""
    seal = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{word}-{seal}"
