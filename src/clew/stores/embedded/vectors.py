"""Nearest rows of a matrix of unit vectors: exact below a size, inverted lists of FAISS above it.

The lists hold vectors as they are, so what is found is scored exactly; only which lists are read is
an approximation. Sparse scopes are searched exactly.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clew.core.arrays import Booleans, Floats, Hits, Ids, Matrix, dots, empty_hits, top_hits

if TYPE_CHECKING:
    from clew.stores.embedded.inverted_lists import InvertedLists

INVERTED_LISTS_FROM = 20_000
_EXACT_FRACTION = 64
TRAINING_ROWS_A_LIST = 39
_MARGIN = 16
_BLOCK_ROWS = 16_384


class VectorIndex:
    """Searches the rows of `matrix`, named by sorted `ids`; `lists` may hold their FAISS index."""

    def __init__(self, ids: Ids, matrix: Matrix, *, lists: Path | None = None) -> None:
        self.ids = ids
        self.matrix = matrix
        self._lists = lists

    @property
    def dimensions(self) -> int:
        """Length of the vectors, 0 while there are none."""
        return int(self.matrix.shape[1]) if len(self.ids) else 0

    def search(self, vector: Floats, *, limit: int, allowed: Booleans | None) -> Hits:
        """Return the nearest of the allowed rows (None: all), exact cosines."""
        if limit <= 0 or not len(self.ids):
            return empty_hits()
        query = np.ascontiguousarray(vector, np.float32)
        if self._lists is None:
            return self._exact(query, limit, allowed)
        count = len(self.ids) if allowed is None else int(np.count_nonzero(allowed))
        if count < max(len(self.ids) // _EXACT_FRACTION, 4 * limit):
            return self._exact(query, limit, allowed)
        return self._approximate(query, min(limit, count), allowed)

    def above(self, queries: Matrix, least: float, *, allowed: Booleans | None) -> list[Hits]:
        """Return, for each query, the allowed rows of at least that cosine; exact."""
        found: list[list[Hits]] = [[] for _ in range(len(queries))]
        for start in range(0, len(self.ids), _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            cosines = self.matrix[block] @ queries.T
            if allowed is not None:
                cosines[~allowed[block]] = -np.inf
            rows, columns = np.nonzero(cosines >= least)
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
                at = slice(start + row, start + row + 1)
                found[column].append(Hits(self.ids[at], cosines[row : row + 1, column]))
        return [joined_hits(parts) for parts in found]

    def _exact(self, query: Floats, limit: int, allowed: Booleans | None) -> Hits:
        if allowed is None or allowed.all():
            return top_hits(self.ids, dots(self.matrix, query), limit)
        rows = np.flatnonzero(allowed)
        if not len(rows):
            return empty_hits()
        if 4 * len(rows) > len(self.ids):
            return top_hits(self.ids[rows], dots(self.matrix, query)[rows], limit)
        return top_hits(self.ids[rows], dots(self.matrix[rows], query), limit)

    def _approximate(self, query: Floats, limit: int, allowed: Booleans | None) -> Hits:
        rows = self._inverted.search(query, limit + _MARGIN, allowed)
        if len(rows) < limit:
            return self._exact(query, limit, allowed)
        return top_hits(self.ids[rows], dots(self.matrix[rows], query), limit)

    @cached_property
    def _inverted(self) -> InvertedLists:
        # FAISS takes longer to load than a small collection to search; most stores never need it.
        from clew.stores.embedded.inverted_lists import InvertedLists

        if self._lists is None or not self._lists.is_file():
            raise FileNotFoundError(self._lists)
        return InvertedLists(self._lists)


def joined_hits(parts: list[Hits]) -> Hits:
    """Return all hits of the parts, best first."""
    if not parts:
        return empty_hits()
    ids = np.concatenate([part.ids for part in parts])
    return top_hits(ids, np.concatenate([part.scores for part in parts]), len(ids))


def list_count(rows: int) -> int:
    """Return how many inverted lists serve so many rows."""
    return max(1, min(int(4 * rows**0.5), rows // TRAINING_ROWS_A_LIST))
