"""Inverted lists against the plain product over all rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clew.core.arrays import Matrix
from clew.stores.embedded.inverted_lists import write_inverted_lists
from clew.stores.embedded.vectors import VectorIndex, list_count

ROWS, DIMENSIONS = 4000, 24


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    """Give unit vectors in fifty loose groups."""
    random = np.random.default_rng(3)
    centres = random.normal(size=(50, DIMENSIONS))
    rows = centres[random.integers(0, 50, ROWS)] + 0.5 * random.normal(size=(ROWS, DIMENSIONS))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)


@pytest.fixture(scope="module")
def index(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> VectorIndex:
    """Give the index of the vectors; ids are odd numbers."""
    path = tmp_path_factory.mktemp("lists") / "vectors.lists"
    write_inverted_lists(path, matrix, centroids=None)
    return VectorIndex(np.arange(ROWS) * 2 + 1, matrix, lists=path)


def _best(matrix: Matrix, query: np.ndarray, allowed: np.ndarray, limit: int) -> list[int]:
    cosines = matrix @ query
    rows = [row for row in range(len(matrix)) if allowed[row]]
    return [2 * row + 1 for row in sorted(rows, key=lambda row: -cosines[row])[:limit]]


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 0.01, 0.002])
def test_what_is_found_is_in_scope_exact_and_nearly_all(
    index: VectorIndex, matrix: Matrix, share: float
) -> None:
    random = np.random.default_rng(4)
    allowed = random.random(ROWS) < share
    found_share = []
    for query in matrix[random.integers(0, ROWS, 20)]:
        hits = index.search(query, limit=10, allowed=None if share == 1.0 else allowed)
        expected = _best(matrix, query, np.ones(ROWS) if share == 1.0 else allowed, 10)
        assert len(hits.ids) == len(expected)
        rows = (hits.ids - 1) // 2
        assert share == 1.0 or allowed[rows].all()
        np.testing.assert_allclose(hits.scores, matrix[rows] @ query, atol=1e-5)
        assert (np.diff(hits.scores) <= 0).all()
        found_share.append(len(set(hits.ids.tolist()) & set(expected)) / len(expected))
    assert np.mean(found_share) >= 0.97


def test_a_scope_that_the_lists_hardly_reach_is_searched_whole(
    index: VectorIndex, matrix: Matrix
) -> None:
    query = matrix[0]
    allowed = np.zeros(ROWS, np.bool_)
    allowed[np.argsort(matrix @ query)[:100]] = True
    hits = index.search(query, limit=20, allowed=allowed)
    assert hits.ids.tolist() == _best(matrix, query, allowed, 20)


def test_centroids_of_an_earlier_generation_serve_again(matrix: Matrix, tmp_path: Path) -> None:
    first = write_inverted_lists(tmp_path / "first.lists", matrix[:3000], centroids=None)
    assert first.shape == (list_count(3000), DIMENSIONS)
    again = write_inverted_lists(tmp_path / "again.lists", matrix, centroids=first)
    np.testing.assert_array_equal(again, first)
    index = VectorIndex(np.arange(ROWS) * 2 + 1, matrix, lists=tmp_path / "again.lists")
    everything = np.ones(ROWS)
    for query in matrix[-20:]:
        found = index.search(query, limit=5, allowed=None).ids.tolist()
        assert found[0] == _best(matrix, query, everything, 1)[0]


@pytest.mark.parametrize("stale", [0.0, 1.0])
def test_centroids_that_the_data_has_left_are_trained_again(
    matrix: Matrix, tmp_path: Path, stale: float
) -> None:
    """All zeros, or all alike: every row would fall into the first list."""
    old = np.full((list_count(ROWS), DIMENSIONS), stale, np.float32)
    new = write_inverted_lists(tmp_path / "new.lists", matrix, centroids=old)
    nearest = (matrix @ new.T).argmax(axis=1)
    assert np.bincount(nearest).max() < ROWS / 10


def test_rows_without_a_vector_are_found_by_no_list(matrix: Matrix, tmp_path: Path) -> None:
    empty = matrix.copy()
    empty[::2] = 0.0
    write_inverted_lists(tmp_path / "half.lists", empty, centroids=None)
    index = VectorIndex(np.arange(ROWS) * 2 + 1, empty, lists=tmp_path / "half.lists")
    hits = index.search(matrix[1], limit=10, allowed=None)
    assert hits.ids.tolist() == _best(empty, matrix[1], np.ones(ROWS), 10)


def test_all_rows_without_a_vector(tmp_path: Path) -> None:
    nothing = np.zeros((ROWS, DIMENSIONS), np.float32)
    write_inverted_lists(tmp_path / "none.lists", nothing, centroids=None)
    index = VectorIndex(np.arange(ROWS), nothing, lists=tmp_path / "none.lists")
    query = np.eye(DIMENSIONS, dtype=np.float32)[0]
    assert index.search(query, limit=3, allowed=None).scores.tolist() == [0.0, 0.0, 0.0]
