"""Bytes of a file that may change, vanish or be none: what is read is one state of a regular file."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from clew.core.documents import ParsedText
from clew.core.errors import ParseError

_ATTEMPTS = 2
_MEGABYTE = 2**20
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


class FileReader(Protocol):
    """Reads files of every known format."""

    @property
    def suffixes(self) -> frozenset[str]:
        """Return the lower-case suffixes of the files that are read of a folder."""
        ...

    def read(self, path: Path, *, name: str) -> ParsedText:
        """Return the text of a regular file; `name` stands in messages.

        Raises:
            ParseError: there is none; carries the reason.
        """
        ...

    def parse(self, data: bytes, *, name: str) -> ParsedText:
        """Return the text of a file called `name` that holds `data`.

        Raises:
            ParseError: there is none; carries the reason.
        """
        ...


class ClosableReader(FileReader, AbstractContextManager["ClosableReader"], Protocol):
    """A reader that holds something (a process) until it is closed, as a `with` block does."""

    def close(self) -> None:
        """Give up what it holds; closing twice is allowed."""
        ...


def read_file(path: Path, *, name: str, limit: int) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes.

    Pipes, sockets and devices are never opened, nor is a link that has taken the file's place. A
    file that is written to while it is read is read once more. `name` stands in messages.

    Raises:
        ParseError: reason "not-a-file", "too-large", "vanished", "unreadable" or "changed".
    """
    for _ in range(_ATTEMPTS):
        try:
            data = _read_once(path, name=name, limit=limit)
        except FileNotFoundError as error:
            raise ParseError(
                f"{name}: the file was removed before it could be read", reason="vanished"
            ) from error
        except OSError as error:
            if error.errno == errno.ELOOP:
                break
            raise ParseError(
                f"{name}: the file cannot be read ({error.strerror}); check its permissions",
                reason="unreadable",
            ) from error
        if data is not None:
            return data
    raise ParseError(
        f"{name}: the file changed while it was read; add it again when it is complete",
        reason="changed",
    )


def source_name(path: Path) -> str:
    """Return a path as text that can be stored and shown; bytes that are not UTF-8 as escapes."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _read_once(path: Path, *, name: str, limit: int) -> bytes | None:
    """Return the bytes, None where the file changed meanwhile."""
    listed = path.lstat()
    if not stat.S_ISREG(listed.st_mode):
        raise ParseError(f"{name}: this is not a regular file", reason="not-a-file")
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        before = os.fstat(file.fileno())
        if not os.path.samestat(listed, before):
            return None
        if before.st_size > limit:
            raise ParseError(
                f"{name}: the file has {before.st_size // _MEGABYTE} MiB, more than the "
                f"{limit // _MEGABYTE} MiB of ingest.file_megabytes; split it or raise the setting",
                reason="too-large",
            )
        data = file.read(before.st_size + 1)
        after = os.fstat(file.fileno())
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    return data if same and len(data) == before.st_size else None
