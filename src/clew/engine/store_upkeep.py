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
    """A store that knows when folding fresh writes into its indexes is worth the time."""

    def compact_if_needed(self, collection: str) -> bool:
        """Compact if it is worth it; return whether it was."""
        ...


@runtime_checkable
class Measured(Protocol):
    """A store that tells its health."""

    def status(self, collection: str) -> Health:
        """Return the health of a collection."""
        ...


def compact_if_needed(store: Store, collection: str) -> None:
    """Compact a store that says so itself; others look after themselves."""
    if isinstance(store, Compacting):
        store.compact_if_needed(collection)


def store_health(store: Store, collection: str) -> Health:
    """Return the health of a store's indexes."""
    return store.status(collection) if isinstance(store, Measured) else NoIndexes()
