"""Inverted lists of FAISS: vectors grouped by their nearest centroid, read a few groups at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Floats, Matrix
from clew.stores.embedded.vectors import TRAINING_ROWS_A_LIST, list_count

_LEAST_PROBES = 32


class InvertedLists:
    """The lists in a file, mapped and never changed: FAISS aborts when a mapped index is."""

    def __init__(self, path: Path) -> None:
        flags = faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY
        # What FAISS declares is the base class, which knows nothing of lists.
        self._index: Any = faiss.read_index(str(path), flags)

    def search(self, query: Floats, limit: int, allowed: Booleans | None) -> NDArray[np.int64]:
        """Return up to `limit` of the nearest allowed rows (None: all), best first."""
        lists = self._index.nlist
        parameters = faiss.SearchParametersIVF()
        parameters.nprobe = min(lists, max(_LEAST_PROBES, lists // 16))
        if allowed is not None:
            # FAISS holds a pointer to the bits, so they must live as long as the search.
            bits = np.packbits(allowed, bitorder="little")
            parameters.sel = faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))
        _, rows = self._index.search(query[np.newaxis], limit, params=parameters)
        found: NDArray[np.int64] = rows[0][rows[0] >= 0]
        return found


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


def _trained_centroids(matrix: Matrix) -> Matrix:
    rows, dimensions = matrix.shape
    lists = list_count(rows)
    sample = min(rows, lists * TRAINING_ROWS_A_LIST)
    chosen = np.sort(np.random.default_rng(0).choice(rows, sample, replace=False))
    training = faiss.Kmeans(dimensions, lists, niter=8, spherical=True, seed=1)
    training.train(np.ascontiguousarray(matrix[chosen]))
    return np.asarray(training.centroids, np.float32)
