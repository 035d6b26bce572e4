"""Files that are parsed without a worker process: short text that is UTF-8 already.

Such a file meets only code that can neither crash nor run long: the codec of UTF-8, `tidy`, and
the lines of YAML front matter, all linear in its length (tests/ingest/test_linear_time.py). No
library parses it, no encoding is guessed. Everything else goes to the worker.
"""

from __future__ import annotations

from pathlib import Path, PurePath

from clew.core.documents import ParsedText
from clew.ingest.parsers.registry import parser_of

_MOST_BYTES = 2**20
_SUFFIXES = frozenset({".txt", ".text", ".log", ".rst", ".md", ".markdown"})
_OTHER_MARKS = (b"PK", b"%PDF-")
_MARKS_WITHIN = 1024
_TOML = b"+++"


def may_be_harmless(path: Path) -> bool:
    """Return whether a file's name and size allow that it is; its content decides."""
    try:
        return path.suffix.casefold() in _SUFFIXES and path.stat().st_size <= _MOST_BYTES
    except OSError:
        return False


def parse_harmless(data: bytes, *, name: str) -> ParsedText | None:
    """Return the text of a harmless file, None where the file is not known to be harmless.

    Raises:
        ParseError: reason "empty".
    """
    suffix = PurePath(name).suffix.casefold()
    if suffix not in _SUFFIXES or len(data) > _MOST_BYTES or not _is_plain(data):
        return None
    return parser_of(suffix).parse(data, name=name)


def _is_plain(data: bytes) -> bool:
    """Return whether `data` is UTF-8 that no mark shows to be of another format."""
    head = data[:_MARKS_WITHIN]
    if b"\x00" in data or any(mark in head for mark in _OTHER_MARKS):
        return False
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_TOML):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
