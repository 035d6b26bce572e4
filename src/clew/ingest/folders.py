"""The files of a folder, sorted; what is not followed is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clew.ingest.reading import source_name


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A path that is not read, with the reason in a word and a sentence."""

    path: Path
    reason: str
    message: str


def walk_folder(root: Path, *, follow_links: bool = False) -> Iterator[Path | SkippedPath]:
    """Return the files under `root`, sorted by path within each folder, each once.

    Hidden files and folders are skipped. A link to a file inside `root` is followed; links to
    folders and links that leave `root` only with `follow_links`, and then each folder once, so
    that links in a circle end. What is skipped is returned with the reason.
    """
    seen: set[Path] = set()
    pending = [root]
    while pending:
        path = pending.pop()
        try:
            found = _look_at(path, root, follow_links=follow_links)
        except OSError as error:
            message = f"{source_name(path)}: this cannot be read ({error.strerror})"
            yield SkippedPath(path, "unreadable", message)
            continue
        if isinstance(found, SkippedPath):
            yield found
        elif found.target in seen:
            message = (
                f"{source_name(path)}: links to {source_name(found.target)}, which was read already"
            )
            yield SkippedPath(path, "duplicate", message)
        else:
            seen.add(found.target)
            if found.entries is None:
                yield found.target
            else:
                pending.extend(found.entries)


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a path leads; `entries` are those of a folder, last first, None for a file."""

    target: Path
    entries: tuple[Path, ...] | None


def _look_at(path: Path, root: Path, *, follow_links: bool) -> _Found | SkippedPath:
    """Return what a path is.

    Raises:
        OSError: it cannot be looked at (permissions, too long a path).
    """
    skipped = _reason_to_skip(path, root, follow_links=follow_links)
    if skipped is not None:
        return skipped
    entries = tuple(sorted(path.iterdir(), reverse=True)) if path.is_dir() else None
    return _Found(path.resolve(), entries)


def _reason_to_skip(path: Path, root: Path, *, follow_links: bool) -> SkippedPath | None:
    if path == root:
        return None
    name = source_name(path)
    if path.name.startswith("."):
        return SkippedPath(path, "hidden", f"{name}: hidden files and folders are not read")
    if path.is_symlink():
        if not path.exists():
            return SkippedPath(path, "broken-link", f"{name}: the link leads nowhere")
        if path.is_dir() and not follow_links:
            return SkippedPath(path, "folder-link", f"{name}: links to folders are not followed")
        if not follow_links and not path.resolve().is_relative_to(root):
            return SkippedPath(path, "outside-link", f"{name}: the link leaves the folder")
    if not path.is_dir() and not path.is_file():
        return SkippedPath(path, "not-a-file", f"{name}: this is not a regular file")
    return None
