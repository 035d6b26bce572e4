"""Vectors perturbed per copy: each copy lies a little to one side, and each row a little elsewhere."""

from __future__ import annotations

import numpy as np

from clew.core.arrays import Matrix

DRIFT = 0.25
NOISE = 0.1


def perturbed(matrix: Matrix, *, copy: int, stream: int) -> Matrix:
    """Return unit vectors moved by DRIFT along the copy's own direction and by NOISE at random.

    Passages, nodes and questions of a copy share the direction; `stream` gives each its own noise.
    Copy 0 is the corpus as it is.
    """
    if copy == 0 or not len(matrix):
        return matrix
    dimensions = matrix.shape[1]
    direction = np.random.default_rng([copy, 1]).standard_normal(dimensions, np.float32)
    direction *= DRIFT / float(np.linalg.norm(direction))
    noise = np.random.default_rng([copy, 2, stream]).standard_normal(matrix.shape, np.float32)
    moved = matrix + direction + noise * (NOISE / dimensions**0.5)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved, np.float32)
