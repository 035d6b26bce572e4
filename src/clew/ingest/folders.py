"""The files of a folder, sorted; what is not followed is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clew.core.errors import IngestError
from clew.core.jobs import FileOutcome
from clew.ingest.excludes import IGNORE_FILE, NO_PATTERNS, FolderExcludes, Patterns

_TRUTH = "clew.db"


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A path that is not read, with the reason in a word and a sentence."""

    path: Path
    reason: str
    message: str

    @property
    def outcome(self) -> FileOutcome:
        """Return how the report counts it: what ought to be read and cannot be has failed."""
        outcomes = {"excluded": FileOutcome.EXCLUDED, "unreadable": FileOutcome.FAILED}
        return outcomes.get(self.reason, FileOutcome.SKIPPED)


def is_store(folder: Path) -> bool:
    """Return whether a folder is a store of Clew: its own files are no documents."""
    return (folder / _TRUTH).is_file()


def walk_folder(
    root: Path,
    *,
    exclude: Patterns = NO_PATTERNS,
    wanted: Callable[[Path], bool] = lambda _: True,
) -> Iterator[Path | SkippedPath]:
    """Return the files under `root`, sorted by path within each folder, each once.

    Hidden files, hidden folders and stores are skipped, and so is what `exclude` or a `.clewignore` leaves out;
    a folder that is left out is named alone. A link to a file inside `root` is followed; links to
    folders (which may turn in circles) and links that leave `root` are not. Of files and folders
    that are not `wanted` nothing is said.
    """
    excludes = FolderExcludes(root, exclude)
    seen: set[Path] = set()
    pending = [root]
    while pending:
        path = pending.pop()
        if path != root and (path.name == IGNORE_FILE or not wanted(path)):
            continue
        skipped = _reason_to_skip(path, root, excludes)
        if skipped is not None:
            yield skipped
        elif path.is_dir():
            try:
                excludes.enter(path)
                pending.extend(sorted(path.iterdir(), reverse=True))
            except IngestError as error:
                yield SkippedPath(path, "unreadable", str(error))
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


def _reason_to_skip(path: Path, root: Path, excludes: FolderExcludes) -> SkippedPath | None:
    if path == root:
        return None
    excluded = excludes.reason(path, is_folder=path.is_dir())
    if excluded is not None:
        return SkippedPath(path, "excluded", f"{path}: this is {excluded}")
    if path.name.startswith("."):
        return SkippedPath(path, "hidden", f"{path}: hidden files and folders are not read")
    if path.is_symlink():
        if not path.exists():
            return SkippedPath(path, "broken-link", f"{path}: the link leads nowhere")
        if path.is_dir():
            return SkippedPath(path, "folder-link", f"{path}: links to folders are not followed")
        if not path.resolve().is_relative_to(root):
            return SkippedPath(path, "outside-link", f"{path}: the link leaves the folder")
        excluded = _target_excluded(path.resolve(), root, excludes)
        if excluded is not None:
            return SkippedPath(path, "excluded", f"{path}: what it links to is {excluded}")
    if is_store(path):
        return SkippedPath(path, "store", f"{path}: this is a store of Clew")
    if not path.is_dir() and not path.is_file():
        return SkippedPath(path, "not-a-file", f"{path}: this is not a regular file")
    return None


def _target_excluded(target: Path, root: Path, excludes: FolderExcludes) -> str | None:
    """Return which pattern leaves out the target of a link, or a folder above it within `root`."""
    above = [folder for folder in target.parents if folder != root and folder.is_relative_to(root)]
    reasons = (excludes.reason(folder, is_folder=True) for folder in reversed(above))
    found = next((reason for reason in reasons if reason is not None), None)
    return found or excludes.reason(target, is_folder=False)
