"""Nearest rows of a matrix of unit vectors: exact below a size, inverted lists of FAISS above it.

The lists hold vectors as they are, so what is found is scored exactly; only which lists are read is
an approximation. Sparse scopes are searched exactly.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Floats, Hits, Ids, Matrix, empty_hits, top_hits

INVERTED_LISTS_FROM = 20_000
_EXACT_FRACTION = 64
_LEAST_PROBES = 32
_TRAINING_ROWS_A_LIST = 39
_MARGIN = 16


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

    def _exact(self, query: Floats, limit: int, allowed: Booleans | None) -> Hits:
        if allowed is None or allowed.all():
            return top_hits(self.ids, self.matrix @ query, limit)
        rows = np.flatnonzero(allowed)
        if not len(rows):
            return empty_hits()
        if 4 * len(rows) > len(self.ids):
            return top_hits(self.ids[rows], (self.matrix @ query)[rows], limit)
        return top_hits(self.ids[rows], self.matrix[rows] @ query, limit)

    def _approximate(self, query: Floats, limit: int, allowed: Booleans | None) -> Hits:
        index = self._inverted
        parameters = faiss.SearchParametersIVF()
        parameters.nprobe = min(index.nlist, max(_LEAST_PROBES, index.nlist // 16))
        if allowed is not None:
            # FAISS holds a pointer to the bits, so they must live as long as the search.
            bits = np.packbits(allowed, bitorder="little")
            parameters.sel = faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))
        _, rows = index.search(query[np.newaxis], limit + _MARGIN, params=parameters)
        found = rows[0][rows[0] >= 0]
        if len(found) < limit:
            return self._exact(query, limit, allowed)
        return top_hits(self.ids[found], self.matrix[found] @ query, limit)

    @cached_property
    def _inverted(self) -> Any:  # noqa: ANN401 - FAISS has no types
        if self._lists is None or not self._lists.is_file():
            raise FileNotFoundError(self._lists)
        return faiss.read_index(str(self._lists), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)


def write_inverted_lists(
    path: Path, matrix: Matrix, *, centroids: Matrix | None
) -> NDArray[np.float32]:
    """Write the inverted lists of `matrix` and return their centroids.

    `centroids` of an earlier generation spare the training, which is most of the work; None where
    there are none or the data has outgrown them.
    """
    rows, dimensions = matrix.shape
    if centroids is None:
        centroids = _trained_centroids(matrix)
    quantizer = faiss.IndexFlatIP(dimensions)
    quantizer.add(np.ascontiguousarray(centroids))
    index = faiss.IndexIVFFlat(quantizer, dimensions, len(centroids), faiss.METRIC_INNER_PRODUCT)
    index.is_trained = True
    for start in range(0, rows, 16_384):
        index.add(np.ascontiguousarray(matrix[start : start + 16_384]))
    temporary = path.with_suffix(".writing")
    faiss.write_index(index, str(temporary))
    temporary.replace(path)
    return np.asarray(centroids, np.float32)


def list_count(rows: int) -> int:
    """Return how many inverted lists serve so many rows."""
    return max(1, min(int(4 * rows**0.5), rows // _TRAINING_ROWS_A_LIST))


def _trained_centroids(matrix: Matrix) -> Matrix:
    rows, dimensions = matrix.shape
    lists = list_count(rows)
    sample = min(rows, lists * _TRAINING_ROWS_A_LIST)
    chosen = np.sort(np.random.default_rng(0).choice(rows, sample, replace=False))
    training = faiss.Kmeans(dimensions, lists, niter=8, spherical=True, seed=1)
    training.train(np.ascontiguousarray(matrix[chosen]))
    return np.asarray(training.centroids, np.float32)
