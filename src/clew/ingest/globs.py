"""Glob patterns with `*`, `?`, `[...]` and `**`: which paths below a folder they mean."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

_MAGIC = frozenset("*?[")
_ANY_FOLDERS = "**"


def has_magic(text: str) -> bool:
    """Return whether `text` holds a character that a glob pattern gives a meaning."""
    return not _MAGIC.isdisjoint(text)


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern: the folder that it starts from, and its parts below that."""

    folder: Path
    parts: tuple[str, ...]

    def wants(self, path: Path) -> bool:
        """Return whether `path` is meant: it or a folder above it matches, or it is a folder in
        which something may. A wild card never stands for a leading dot."""
        names = path.relative_to(self.folder).parts
        if any(_matches(names[:count], self.parts) for count in range(1, len(names) + 1)):
            return True
        return _may_lead(names, self.parts) and path.is_dir()


def read_glob(pattern: str) -> Glob:
    """Return a pattern, split where its first wild card stands; `**` at its end is all below."""
    parts = Path(pattern).parts
    first = next(index for index, part in enumerate(parts) if has_magic(part))
    below: list[str] = []
    for part in parts[first:]:
        if part != _ANY_FOLDERS or below[-1:] != [_ANY_FOLDERS]:
            below.append(part)
    if below[-1] == _ANY_FOLDERS:
        below.append("*")
    return Glob(Path(*parts[:first]).resolve(), tuple(below))


def _matches(names: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if not pattern:
        return not names
    if pattern[0] == _ANY_FOLDERS:
        if _matches(names, pattern[1:]):
            return True
        return bool(names) and _part_matches(names[0], "*") and _matches(names[1:], pattern)
    return bool(names) and _part_matches(names[0], pattern[0]) and _matches(names[1:], pattern[1:])


def _may_lead(names: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Return whether something below the folder `names` can match."""
    if not names:
        return True
    if not pattern:
        return False
    if pattern[0] == _ANY_FOLDERS:
        return all(_part_matches(name, "*") for name in names) or _may_lead(names, pattern[1:])
    return _part_matches(names[0], pattern[0]) and _may_lead(names[1:], pattern[1:])


def _part_matches(name: str, part: str) -> bool:
    if name.startswith(".") and not part.startswith("."):
        return False
    return fnmatch(name, part)
