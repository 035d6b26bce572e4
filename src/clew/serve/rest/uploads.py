"""Uploaded files: checked for type, and named by the server."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import PurePosixPath

from clew.core.inputs import FileBytes
from clew.serve.rest.problems import Problem

_SHOWN = 200


def suffix_of(filename: str, allowed: Collection[str]) -> str:
    """Return the type of a file by its name.

    Raises:
        Problem: it has none, or one that is not allowed.
    """
    suffix = PurePosixPath(filename.replace("\\", "/")).suffix.removeprefix(".").casefold()
    if suffix not in allowed:
        raise Problem(415, f"Files of this type are not taken; known are: {', '.join(allowed)}")
    return suffix


def server_named(data: bytes, suffix: str, acl: Collection[str]) -> FileBytes:
    """Return the file under a name that the server makes, of its content and who may see it.

    The same file for the same groups is the same source, and no upload takes another's place.
    """
    digest = hashlib.sha256(data)
    digest.update("\x1f".join(["", *sorted(acl)]).encode("utf-8", "surrogatepass"))
    return FileBytes(f"upload-{digest.hexdigest()[:32]}.{suffix}", data, suffix)


def shown_name(filename: str) -> str:
    """Return the client's name of a file as metadata: no folders, no control characters."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    return "".join(letter for letter in name if letter.isprintable())[:_SHOWN]
