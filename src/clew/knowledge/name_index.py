"""Canonical names that this run has created, with their vectors: what new names are matched to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats, Matrix

_FIRST_ROWS = 256


@dataclass(frozen=True, slots=True)
class CanonicalName:
    """The first surface of a node and whether it is known to be a person's."""

    node: int
    surface: str
    person: bool


class NameIndex:
    """Name vectors of nodes that the store does not hold yet; exact search by one product."""

    def __init__(self) -> None:
        self._names: list[CanonicalName] = []
        self._rows: dict[int, int] = {}
        self._matrix: Matrix = np.empty((0, 0), np.float32)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, node: int) -> bool:
        return node in self._rows

    def add(self, name: CanonicalName, vector: Floats) -> None:
        """Add a node's canonical name; a node that is known keeps its first."""
        if name.node in self._rows:
            return
        row = len(self._names)
        if row >= len(self._matrix):
            grown = np.zeros((max(_FIRST_ROWS, 2 * row), len(vector)), np.float32)
            if row:
                grown[:row] = self._matrix
            self._matrix = grown
        self._matrix[row] = vector
        self._rows[name.node] = row
        self._names.append(name)

    def scores(self, vectors: Matrix) -> Matrix:
        """Return cosines, shape (len(vectors), len(self))."""
        if not self._names:
            return np.empty((len(vectors), 0), np.float32)
        return vectors @ self._matrix[: len(self._names)].T

    def name(self, row: int) -> CanonicalName:
        """Return the name of a column of `scores`."""
        return self._names[row]

    def vector(self, node: int) -> Floats | None:
        """Return a node's name vector, None where it is not here."""
        row = self._rows.get(node)
        return None if row is None else self._matrix[row]

    def clear(self) -> None:
        """Forget everything, once the store holds the vectors."""
        self._names, self._rows = [], {}
        self._matrix = np.empty((0, 0), np.float32)
