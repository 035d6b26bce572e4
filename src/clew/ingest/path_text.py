"""Whether a text that a caller passes means a path, and which format a name stands for."""

from __future__ import annotations

from pathlib import Path

from clew.ingest.json_lines import JSON_LINE_SUFFIXES
from clew.ingest.parsers.registry import PARSER_MODULES, PICTURE_SUFFIXES

_LONGEST_PATH = 1024
_KNOWN_SUFFIXES = (*JSON_LINE_SUFFIXES, *PARSER_MODULES, *sorted(PICTURE_SUFFIXES))


def names_existing_path(text: str) -> bool:
    """Return whether `text` names a file or folder that exists."""
    if not text.strip() or len(text) > _LONGEST_PATH or "\n" in text or "\x00" in text:
        return False
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def looks_like_path(text: str) -> bool:
    """Return whether `text` is written as a path or a glob pattern: a known suffix, or a
    separator or `*` and no blank."""
    if len(text) > _LONGEST_PATH or "\n" in text:
        return False
    has_blank = any(character.isspace() for character in text.strip())
    if not has_blank and ("/" in text or "\\" in text or "*" in text):
        return True
    return text.casefold().endswith(_KNOWN_SUFFIXES)


def known_suffix(source: str) -> str | None:
    """Return the known suffix that a name ends with, if it does."""
    name = source.casefold()
    return next((each for each in _KNOWN_SUFFIXES if name.endswith(each)), None)


def is_json_lines(name: str) -> bool:
    """Return whether a file of this name holds a record a line."""
    return name.casefold().endswith(JSON_LINE_SUFFIXES)
