"""Inverted lists of FAISS: vectors grouped by their nearest centroid, read a few groups at a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Floats, Ids, Matrix
from clew.stores.embedded.vectors import TRAINING_ROWS_A_LIST, list_count

_LEAST_PROBES = 32
_MOST_IMBALANCE = 4.0
"""Lists times the sum of squared shares: 1 for lists of one size, 1.5 to 2.5 when just trained."""


class InvertedLists:
    """The lists in a file, mapped and never changed: FAISS aborts when a mapped index is."""

    def __init__(self, path: Path) -> None:
        self._index = _opened(path)

    def search(self, query: Floats, limit: int, allowed: Booleans | None) -> NDArray[np.int64]:
        """Return up to `limit` of the nearest allowed rows (None: all), best first."""
        lists = self._index.nlist
        # One query is too little work for two threads; the number counts for this thread alone.
        faiss.omp_set_num_threads(1)
        parameters = faiss.SearchParametersIVF()
        parameters.nprobe = min(lists, max(_LEAST_PROBES, lists // 16))
        if allowed is not None:
            # FAISS holds a pointer to the bits, so they must live as long as the search.
            bits = np.packbits(allowed, bitorder="little")
            parameters.sel = faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))
        _, rows = self._index.search(query[np.newaxis], limit, params=parameters)
        found: NDArray[np.int64] = rows[0][rows[0] >= 0]
        return found


def _opened(path: Path) -> Any:  # noqa: ANN401
    index = _untyped(faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY))
    lists = _untyped(faiss.downcast_InvertedLists(index.invlists))
    # By default every search starts threads that read ahead, for lists that lie on a slow disk.
    lists.prefetch_nthread = 0
    return index


def _untyped(found: object) -> Any:  # noqa: ANN401 - FAISS declares base classes only
    return found


def write_inverted_lists(
    path: Path, matrix: Matrix, *, centroids: Matrix | None
) -> NDArray[np.float32]:
    """Write the inverted lists of `matrix` and return their centroids.

    `centroids` of an earlier generation spare the training, which is most of the work; None where
    there are none or the data has outgrown them. They are trained again where the data has moved
    away from them, so that a few lists hold most of it. Rows of zeros are in no list: they are near
    nothing.
    """
    faiss.omp_set_num_threads(os.cpu_count() or 1)
    rows = np.flatnonzero(matrix.any(axis=1))
    index = None if centroids is None else _filled(centroids, matrix, rows)
    if index is None or index.invlists.imbalance_factor() > _MOST_IMBALANCE:
        centroids = _trained_centroids(matrix, rows)
        index = _filled(centroids, matrix, rows)
    temporary = path.with_suffix(".writing")
    faiss.write_index(index, str(temporary))
    temporary.replace(path)
    return np.asarray(centroids, np.float32)


def _filled(centroids: Matrix, matrix: Matrix, rows: Ids) -> Any:  # noqa: ANN401 - FAISS is untyped
    dimensions = matrix.shape[1]
    quantizer = faiss.IndexFlatIP(dimensions)
    quantizer.add(np.ascontiguousarray(centroids))
    index = faiss.IndexIVFFlat(quantizer, dimensions, len(centroids), faiss.METRIC_INNER_PRODUCT)
    index.is_trained = True
    for start in range(0, len(rows), 16_384):
        block = rows[start : start + 16_384]
        index.add_with_ids(np.ascontiguousarray(matrix[block]), block)
    return index


def _trained_centroids(matrix: Matrix, rows: Ids) -> Matrix:
    """Return the centroids of a sample of `rows`; one of zeros where there are none."""
    dimensions = matrix.shape[1]
    if not len(rows):
        return np.zeros((1, dimensions), np.float32)
    lists = list_count(len(rows))
    sample = min(len(rows), lists * TRAINING_ROWS_A_LIST)
    chosen = np.sort(np.random.default_rng(0).choice(rows, sample, replace=False))
    training = faiss.Kmeans(dimensions, lists, niter=8, spherical=True, seed=1)
    training.train(np.ascontiguousarray(matrix[chosen]))
    return np.asarray(training.centroids, np.float32)
