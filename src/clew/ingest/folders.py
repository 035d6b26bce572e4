"""The files of a folder, sorted; what is not followed is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clew.core.errors import IngestError
from clew.core.jobs import FileOutcome
from clew.ingest.excludes import IGNORE_FILE, NO_PATTERNS, FolderExcludes, Patterns
from clew.ingest.reading import source_name

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
    follow_links: bool = False,
) -> Iterator[Path | SkippedPath]:
    """Return the files under `root`, sorted by path within each folder, each once.

    Hidden files, hidden folders and stores are skipped, and so is what `exclude` or a
    `.clewignore` leaves out; a folder that is left out is named alone. A link to a file inside
    `root` is followed; links to folders and links that leave `root` only with `follow_links`, and
    then each folder once, so that links in a circle end. What is skipped is returned with the
    reason; of files and folders that are not `wanted` nothing is said.
    """
    look = _Look(root, FolderExcludes(root, exclude), follow_links)
    seen: set[Path] = set()
    pending = [root]
    while pending:
        path = pending.pop()
        if path != root and (path.name == IGNORE_FILE or not wanted(path)):
            continue
        try:
            found = look.at(path)
        except IngestError as error:
            yield SkippedPath(path, "unreadable", str(error))
            continue
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


@dataclass(frozen=True, slots=True)
class _Look:
    """What decides whether a path is read."""

    root: Path
    excludes: FolderExcludes
    follow_links: bool

    def at(self, path: Path) -> _Found | SkippedPath:
        """Return what a path is.

        Raises:
            OSError: it cannot be looked at (permissions, too long a path).
            IngestError: its patterns cannot be read.
        """
        skipped = None if path == self.root else self._reason_to_skip(path)
        if skipped is not None:
            return skipped
        if not path.is_dir():
            return _Found(path.resolve(), None)
        self.excludes.enter(path)
        return _Found(path.resolve(), tuple(sorted(path.iterdir(), reverse=True)))

    def _reason_to_skip(self, path: Path) -> SkippedPath | None:
        name = source_name(path)
        excluded = self.excludes.reason(path, is_folder=path.is_dir())
        if excluded is not None:
            return SkippedPath(path, "excluded", f"{name}: this is {excluded}")
        if path.name.startswith("."):
            return SkippedPath(path, "hidden", f"{name}: hidden files and folders are not read")
        if path.is_symlink():
            skipped = self._link_to_skip(path, name)
            if skipped is not None:
                return skipped
        if is_store(path):
            return SkippedPath(path, "store", f"{name}: this is a store of Clew")
        if not path.is_dir() and not path.is_file():
            return SkippedPath(path, "not-a-file", f"{name}: this is not a regular file")
        return None

    def _link_to_skip(self, path: Path, name: str) -> SkippedPath | None:
        if not path.exists():
            return SkippedPath(path, "broken-link", f"{name}: the link leads nowhere")
        if path.is_dir() and not self.follow_links:
            return SkippedPath(path, "folder-link", f"{name}: links to folders are not followed")
        target = path.resolve()
        if not target.is_relative_to(self.root):
            if self.follow_links:
                return None
            return SkippedPath(path, "outside-link", f"{name}: the link leaves the folder")
        excluded = _target_excluded(target, self.root, self.excludes)
        if excluded is not None:
            return SkippedPath(path, "excluded", f"{name}: what it links to is {excluded}")
        return None


def _target_excluded(target: Path, root: Path, excludes: FolderExcludes) -> str | None:
    """Return which pattern leaves out the target of a link, or a folder above it within `root`."""
    above = [folder for folder in target.parents if folder != root and folder.is_relative_to(root)]
    reasons = (excludes.reason(folder, is_folder=True) for folder in reversed(above))
    found = next((reason for reason in reasons if reason is not None), None)
    return found or excludes.reason(target, is_folder=False)
