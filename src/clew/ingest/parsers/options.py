"""What a caller decides about the reading of files."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """`passwords` are tried in order on a file that is protected by one. `ocr`: read pictures and
    pages without a text layer by text recognition. `depth`: how many files this one lies in (an
    attachment of an attachment: 2)."""

    passwords: tuple[str, ...] = field(default=(), repr=False)
    ocr: bool = False
    depth: int = 0


DEFAULT_OPTIONS = ParseOptions()
