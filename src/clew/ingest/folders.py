"""The files of a folder, sorted; what is not followed is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A path that is not read, with the reason in a word and a sentence."""

    path: Path
    reason: str
    message: str


def walk_folder(root: Path) -> Iterator[Path | SkippedPath]:
    """Return the files under `root`, sorted by path within each folder, each once.

    Hidden files and folders are skipped. A link to a file inside `root` is followed; links to
    folders (which may turn in circles) and links that leave `root` are not.
    """
    seen: set[Path] = set()
    pending = [root]
    while pending:
        path = pending.pop()
        skipped = _reason_to_skip(path, root)
        if skipped is not None:
            yield skipped
        elif path.is_dir():
            try:
                pending.extend(sorted(path.iterdir(), reverse=True))
            except OSError as error:
                message = f"{path}: the folder cannot be read ({error.strerror})"
                yield SkippedPath(path, "unreadable", message)
        else:
            target = path.resolve()
            if target in seen:
                yield SkippedPath(path, "duplicate", f"{path}: links to {target}, which was read")
                continue
            seen.add(target)
            yield target


def _reason_to_skip(path: Path, root: Path) -> SkippedPath | None:
    if path == root:
        return None
    if path.name.startswith("."):
        return SkippedPath(path, "hidden", f"{path}: hidden files and folders are not read")
    if path.is_symlink():
        if not path.exists():
            return SkippedPath(path, "broken-link", f"{path}: the link leads nowhere")
        if path.is_dir():
            return SkippedPath(path, "folder-link", f"{path}: links to folders are not followed")
        if not path.resolve().is_relative_to(root):
            return SkippedPath(path, "outside-link", f"{path}: the link leaves the folder")
    if not path.is_dir() and not path.is_file():
        return SkippedPath(path, "not-a-file", f"{path}: this is not a regular file")
    return None
