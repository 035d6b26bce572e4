"""The port of catalogues: the collections of a store, their facts, counts and soundness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from clew.core.changes import Changes
from clew.core.health import Finding


class Catalogue(Protocol):
    """The collections of a store and the facts that belong to each (model fingerprint ...)."""

    def collections(self) -> list[str]:
        """Return the collections that were written, by name; removals create none."""
        ...

    def drop(self, collection: str) -> None:
        """Remove a collection with all that is in it; an unknown one is left as it is: absent."""
        ...

    def facts(self, collection: str) -> Mapping[str, str]:
        """Return all facts by name."""
        ...

    def set_fact(self, collection: str, name: str, value: str) -> None:
        """Set one fact."""
        ...

    def counts(self, collection: str) -> Mapping[str, int]:
        """Return rows by table: documents, chunks, nodes, edges, claims, mentions, merges.

        Nodes and edges are live ones, mentions those of live nodes.
        """
        ...

    def revision(self, collection: str) -> int:
        """Return a number that grows with every write of documents, chunks, knowledge or their
        vectors, and with nothing else (communities, facts, outcomes, compaction); asked outside
        of transactions."""
        ...

    def changes_since(self, collection: str, revision: int) -> Changes | None:
        """Return the rows that differ from what they were at `revision`, None where that is no
        longer known: what came after was folded into the indexes, or is too much to list."""
        ...

    def compact(self) -> None:
        """Fold fresh writes into the indexes, where the store keeps any apart."""
        ...

    def examine(self, *, full: bool = False) -> list[Finding]:
        """Return what is wrong with what the store holds, of all collections; [] if all is well.

        `full` looks at every row, and may take minutes; without it a sample of large tables does.
        """
        ...

    def mend(self) -> list[str]:
        """Compute again whatever follows from other rows; return what was done, a line each.

        Nothing that was written is changed or lost.
        """
        ...

    def close(self) -> None:
        """Release files and connections; closing twice is allowed."""
        ...
