"""What the arguments of `clew add` name: standard input, web addresses, paths and glob patterns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from clew.core.errors import QueryError
from clew.core.inputs import FileBytes

STANDARD_INPUT = "-"


def inputs_of(
    names: Sequence[str], *, name: str | None, format: str | None, read: Callable[[], bytes]
) -> list[str | Path | FileBytes]:
    """Return what `Clew.add` takes: an argument is never a text.

    `name` and `format` are of standard input, which `read` reads; without a name its source is
    `stdin:` and a hash of what it holds, so that two of them never take each other's place.

    Raises:
        QueryError: standard input is named twice, or has a name or format and is not named.
    """
    count = sum(each == STANDARD_INPUT for each in names)
    if count > 1:
        raise QueryError("- (standard input) is named twice; it can be read once")
    if not count and (name is not None or format is not None):
        raise QueryError("--name and --format are of standard input; name it too: clew add -")
    return [
        _standard_input(read(), name=name, format=format)
        if each == STANDARD_INPUT
        else _named(each)
        for each in names
    ]


def _named(argument: str) -> str | Path:
    return argument if "://" in argument else Path(argument)


def _standard_input(data: bytes, *, name: str | None, format: str | None) -> FileBytes:
    chosen = name or f"stdin:{hashlib.blake2b(data, digest_size=8).hexdigest()}"
    return FileBytes(chosen, data, format)
