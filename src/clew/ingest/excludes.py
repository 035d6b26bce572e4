"""What a folder leaves out: patterns as in `.gitignore`, of the caller and of `.clewignore` files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from clew.core.errors import IngestError

IGNORE_FILE = ".clewignore"
CompileLine: TypeAlias = Callable[[str], list[tuple[bool, re.Pattern[str]]]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A line as it is written, whether it leaves out or takes back, and its expression."""

    line: str
    leaves_out: bool
    expression: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns in the order in which they are written."""

    patterns: tuple[Pattern, ...] = ()

    def verdict(self, path: str) -> tuple[bool, str] | None:
        """Return whether `path` is left out and the last pattern that says so; None: no pattern.

        `path` is relative, with slashes, and a folder's ends with one. Only what a pattern says
        of the path itself counts: the folders above it were decided about before.
        """
        for pattern in reversed(self.patterns):
            if _matches_itself(pattern.expression, path):
                return pattern.leaves_out, pattern.line
        return None


def _matches_itself(regex: re.Pattern[str], path: str) -> bool:
    """Return whether a compiled pattern matches a path and not merely a folder above it.

    The one group of the expression, where it has one, is the slash at which a folder matched;
    an expression without one matches all below a folder, and not the folder.
    """
    if not regex.groups:
        return regex.search(path.removesuffix("/")) is not None
    return any(
        match.group(1) is None or match.end(1) == len(path) for match in regex.finditer(path)
    )


NO_PATTERNS = Patterns()


def read_patterns(lines: Iterable[str], *, where: str) -> Patterns:
    """Return the patterns of `lines`; `where` names their origin in errors.

    Raises:
        IngestError: a pattern is malformed.
    """
    patterns: list[Pattern] = []
    for line in lines:
        try:
            patterns += _compiled(line)
        except ValueError:
            raise IngestError(
                f"{where}: {line!r} is no pattern; write it as in .gitignore, such as drafts/ or "
                "*.tmp"
            ) from None
    return Patterns(tuple(patterns))


def _compiled(line: str) -> list[Pattern]:
    """Return the pattern of a line, none for a comment; pathspec is loaded by the first one, so
    that what reads no patterns does not pay for it."""
    compile_line: CompileLine = import_module("clew.ingest.pattern_lines").compile_line
    return [Pattern(line, *compiled) for compiled in compile_line(line)]


@dataclass(frozen=True, slots=True)
class FolderExcludes:
    """The patterns in force below `root`: the caller's, then those of the nearest `.clewignore`.

    As with git, the caller's go before a file's, a deeper file before a higher one, a later line
    before an earlier one, and what stands in a folder that is left out cannot be taken back.
    """

    root: Path
    given: Patterns = NO_PATTERNS
    _by_folder: dict[Path, Patterns] = field(default_factory=dict[Path, Patterns])

    def enter(self, folder: Path) -> None:
        """Read the `.clewignore` of a folder, if it has one.

        Raises:
            IngestError: it cannot be read, or a pattern in it is malformed.
        """
        file = folder / IGNORE_FILE
        if not file.is_file():
            return
        try:
            lines = file.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeError) as error:
            raise IngestError(
                f"{file}: this cannot be read ({error}), so nothing of its folder is read either"
            ) from error
        self._by_folder[folder] = read_patterns(lines, where=str(file))

    def reason(self, path: Path, *, is_folder: bool) -> str | None:
        """Return which pattern leaves `path` out, in words; None where none does."""
        end = "/" if is_folder else ""
        verdict = self.given.verdict(path.relative_to(self.root).as_posix() + end)
        if verdict is not None:
            return f"left out by the pattern {verdict[1]!r}" if verdict[0] else None
        for folder in path.parents:
            patterns = self._by_folder.get(folder, NO_PATTERNS)
            verdict = patterns.verdict(path.relative_to(folder).as_posix() + end)
            if verdict is not None:
                place = folder / IGNORE_FILE
                return f"left out by {verdict[1]!r} in {place}" if verdict[0] else None
            if folder == self.root:
                break
        return None
