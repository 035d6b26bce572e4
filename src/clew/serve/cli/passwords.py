"""Passwords of files from the command line. No message shows one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from clew.core.errors import QueryError


def passwords_of(given: Sequence[str] | None, file: Path | None) -> dict[str, str]:
    """Return secrets by path, name or glob; those of `given` (FILE=SECRET) win over the file's.

    Raises:
        QueryError: an option has no `=`, or the file is not a JSON object of texts.
    """
    secrets = {} if file is None else _read(file)
    for position, text in enumerate(given or (), start=1):
        name, sign, secret = text.partition("=")
        if not sign or not name.strip():
            raise QueryError(f"--password number {position} is not written FILE=SECRET")
        secrets[name] = secret
    return secrets


def _read(file: Path) -> dict[str, str]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise QueryError(f"the passwords file {file} cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        # the error would quote what is near the fault
        raise QueryError(f"the passwords file {file} is not JSON in UTF-8") from None
    if not isinstance(held, dict) or not all(isinstance(each, str) for each in held.values()):
        raise QueryError(f'the passwords file {file} must be written {{"file or glob": "secret"}}')
    return held
