"""What changed in a collection between two of its revisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Ids


@dataclass(frozen=True, slots=True)
class Changes:
    """Sorted ids of rows that may read otherwise than before.

    `chunks`: text, title, vector or mentions differ, or the chunk came or went. `documents`: any
    property. `nodes`: name, mentions or vectors differ, or an edge at the node does. `edges`:
    columns, evidence, or whether it is in force.
    """

    chunks: Ids
    documents: Ids
    nodes: Ids
    edges: Ids

    def __bool__(self) -> bool:
        """Return whether anything changed."""
        return any(map(len, (self.chunks, self.documents, self.nodes, self.edges)))


def no_changes() -> Changes:
    """Return that nothing changed."""
    none = np.empty(0, np.int64)
    return Changes(none, none, none, none)
