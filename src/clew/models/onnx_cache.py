"""Converted models in the user's cache folder: built once, whole or not at all, checked by hash."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from platformdirs import user_cache_path

from clew.core.errors import ModelError

_MANIFEST = "manifest.json"


def cached_model(name: str, *, cache_folder: Path | None, build: Callable[[Path], None]) -> Path:
    """Return the folder of the converted model `name`; `build` fills an empty folder if need be.

    `name` must change with the source and with the conversion. A folder whose files differ from
    its manifest is built again. Of several processes one builds, the others wait for it.

    Raises:
        ModelError: the cache folder cannot be written.
    """
    root = (cache_folder or user_cache_path("clew", appauthor=False)) / "models"
    folder = root / name
    if is_intact(folder):
        return folder
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _exclusive(root / f"{name}.lock"):
            if not is_intact(folder):
                _build(folder, build)
    except OSError as error:
        raise ModelError(
            f"cannot write the converted model to {folder} ({error}): free space there, or name "
            "another cache folder"
        ) from error
    return folder


def is_intact(folder: Path) -> bool:
    """Return whether every file of the folder's manifest is there with the hash it had."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return bool(manifest) and all(
            file_hash(folder / file) == digest for file, digest in manifest.items()
        )
    except (OSError, ValueError, AttributeError):
        return False


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _build(folder: Path, build: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory(
        dir=folder.parent, prefix=f".{folder.name}-", ignore_cleanup_errors=True
    ) as temporary:
        fresh = Path(temporary) / "fresh"
        fresh.mkdir()
        build(fresh)
        hashes = {file.name: file_hash(file) for file in sorted(fresh.iterdir())}
        (fresh / _MANIFEST).write_text(json.dumps(hashes, indent=1), encoding="utf-8")
        if folder.exists():
            # Moved away, not deleted in place: another process may still map the old files.
            folder.replace(Path(temporary) / "damaged")
        fresh.replace(folder)


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file `path`, waiting for other processes; a dead holder's lock is free."""
    with path.open("a+b") as file:
        _lock(file)
        yield


if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(file: IO[bytes]) -> None:
        while True:
            try:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.1)
            else:
                return

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)
