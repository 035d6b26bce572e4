"""Which password may open which file. Secrets are never shown: not by `repr`, not in an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from clew.core.errors import IngestError


@dataclass(frozen=True, slots=True)
class Passwords:
    """Secrets by path, file name or glob, such as `letters/*.pdf`."""

    secrets: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def of(self, name: str) -> tuple[str, ...]:
        """Return the secrets to try on a file, each once; those given for its path come first."""
        exact = [secret for key, secret in self.secrets.items() if _is_path_of(key, name)]
        globs = [secret for key, secret in self.secrets.items() if _matches(key, name)]
        return tuple(dict.fromkeys([*exact, *globs]))


NO_PASSWORDS = Passwords()


def read_passwords(given: Mapping[str, str] | None) -> Passwords:
    """Return what the caller gave, checked.

    Raises:
        IngestError: a key is empty, or a key or secret is not text; never shows the secret.
    """
    for key, secret in (given or {}).items():
        if not isinstance(key, str) or not key.strip():
            raise IngestError(f"passwords has the key {key!r}; give a path, file name or glob")
        if not isinstance(secret, str):
            raise IngestError(
                f"the password for {key!r} is a {type(secret).__name__}; it must be text"
            )
    return Passwords(dict(given or {}))


def _is_path_of(key: str, name: str) -> bool:
    return key == name or Path(key).absolute().as_posix() == name


def _matches(key: str, name: str) -> bool:
    """Return whether a glob covers a path: one with a separator the whole path or its end, one
    without the file's name."""
    if "/" not in key:
        return fnmatchcase(PurePath(name).name, key)
    return fnmatchcase(name, key) or fnmatchcase(name, f"*/{key.removeprefix('./')}")
