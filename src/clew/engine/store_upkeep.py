"""What stores with derived files offer beside the ports: compaction when due, and their health."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from clew.core.ports import Store


class Health(Protocol):
    """State of a collection's indexes."""

    @property
    def generation(self) -> int:
        """Number of the indexes in force."""
        ...

    @property
    def overlay_rows(self) -> int:
        """Rows written since."""
        ...

    @property
    def disk_bytes(self) -> int:
        """Bytes of all files."""
        ...


@dataclass(frozen=True, slots=True)
class NoIndexes:
    """The health of a store that keeps no files."""

    generation: int = 0
    overlay_rows: int = 0
    disk_bytes: int = 0


@runtime_checkable
class Compacting(Protocol):
    """A store that folds fresh writes into its indexes beside other work, when it is worth it."""

    def compact_in_background(self, collection: str) -> None:
        """Compact soon, if it is worth it; `close` waits for it."""
        ...


@runtime_checkable
class Measured(Protocol):
    """A store that tells its health."""

    def status(self, collection: str) -> Health:
        """Return the health of a collection."""
        ...


def compact_soon(store: Store, collection: str) -> None:
    """Ask a store that compacts to do so; others look after themselves."""
    if isinstance(store, Compacting):
        store.compact_in_background(collection)


def store_health(store: Store, collection: str) -> Health:
    """Return the health of a store's indexes."""
    return store.status(collection) if isinstance(store, Measured) else NoIndexes()
