"""Files that appear whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.core.errors import StoreError


@contextmanager
def placed(target: Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a path to write a file or folder to, which takes the place of `target` at the end.

    An error that leaves the block removes what was written and leaves what was there.

    Raises:
        StoreError: `target` is there already and `overwrite` is False, or the disk refuses.
    """
    if target.exists() and not overwrite:
        raise StoreError(f"{target} is there already; choose another place, or allow to replace it")
    beside = target.with_name(f".{target.name}.writing-{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove(beside)
        yield beside
        _swap(beside, target)
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror or error}; nothing was written") from error
    finally:
        _remove(beside)


def _swap(beside: Path, target: Path) -> None:
    """Put `beside` in the place of `target`; a folder cannot replace a full one in one step."""
    older = target.with_name(f".{target.name}.older-{os.getpid()}")
    if target.is_dir():
        target.replace(older)
    beside.replace(target)
    _remove(older)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
