"""Backups of stores that can be backed up into a file."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from clew.core.errors import StoreError
from clew.core.health import BackupReport
from clew.core.ports import Store
from clew.engine.loading import load


@runtime_checkable
class BackedUp(Protocol):
    """A store that copies itself into a file while it is in use."""

    def backup(self, target: Path, *, overwrite: bool = False) -> BackupReport:
        """Write the copy, verified; it appears whole or not at all."""
        ...


def back_up(store: Store, target: Path, *, overwrite: bool) -> BackupReport:
    """Copy a store to a file.

    Raises:
        StoreError: the store has a backup of its own to be used, or the copy cannot be written.
    """
    if not isinstance(store, BackedUp):
        raise StoreError(
            f"{type(store).__name__} is not backed up by Clew; use the tools of its server"
        )
    return store.backup(target, overwrite=overwrite)


def restore(source: Path, path: Path, *, overwrite: bool) -> BackupReport:
    """Make the embedded store `path` from a backup."""
    report: BackupReport = load("clew.stores.embedded.backup:restore_backup")(
        source,
        path,
        overwrite=overwrite,
        open_store=load("clew.stores.embedded.store:EmbeddedStore"),
    )
    return report
