"""MaxSim by hand and against loops; int8 rows; the cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from clew.core.arrays import Matrix
from clew.core.errors import ModelError
from clew.models.late_interaction import LateInteractionReranker, max_similarity, reduced, small


class WordVectors:
    """Gives each word an axis of its own, "near" a vector between those of "a" and "b"."""

    def __init__(self, dimensions: int = 8) -> None:
        self.dimensions = dimensions
        self.embedded: list[str] = []

    def _rows(self, text: str) -> Matrix:
        rows = np.zeros((len(text.split()), self.dimensions), np.float32)
        for row, word in enumerate(text.split()):
            if word == "near":
                rows[row, :2] = 0.6, 0.8
            else:
                rows[row, "abcdefgh".index(word)] = 1.0
        return rows

    def embed_question_tokens(self, text: str) -> Matrix:
        return self._rows(text)

    def embed_passage_tokens(self, texts: Sequence[str]) -> list[Matrix]:
        self.embedded += texts
        return [self._rows(text) for text in texts]


def test_scores_by_hand() -> None:
    reranker = LateInteractionReranker(WordVectors())
    scores = reranker.score("a b", ["a c", "b a", "near", "c d", "near a"])
    # a: 1 and 0; both 1; .6 and .8; none; 1 and .8
    assert scores.tolist() == pytest.approx([0.5, 1.0, 0.7, 0.0, 0.9], abs=0.005)


def test_texts_without_tokens() -> None:
    reranker = LateInteractionReranker(WordVectors())
    assert reranker.score("a", ["", "a"]).tolist() == pytest.approx([-1.0, 1.0])
    assert reranker.score("", ["a"]).tolist() == [-1.0]
    assert reranker.score("a", []).shape == (0,)


def test_passages_are_embedded_once_and_the_oldest_are_forgotten() -> None:
    words = WordVectors()
    reranker = LateInteractionReranker(words, cached_passages=2)
    reranker.score("a", ["a", "b", "a"])
    reranker.score("b", ["a"])
    assert words.embedded == ["a", "b"]
    reranker.score("b", ["c"])  # "b" was used least recently
    reranker.score("b", ["a", "c"])
    assert words.embedded == ["a", "b", "c"]
    reranker.score("b", ["b"])
    assert words.embedded == ["a", "b", "c", "b"]


@pytest.mark.parametrize("wrong", [{"dimensions": 0}, {"cached_passages": 0}])
def test_unusable_sizes_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ModelError, match="at least 1"):
        LateInteractionReranker(WordVectors(), **wrong)


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 6), st.integers(1, 12)),
        elements=st.floats(-1, 1, width=32),
    )
)
@settings(deadline=None, max_examples=60)
def test_int8_is_off_by_half_a_step_at_most(vectors: Matrix) -> None:
    kept = small(vectors)
    assert kept.codes.dtype == np.int8
    back = kept.codes * kept.scales[:, None]
    step = np.abs(vectors).max(axis=1) / 127
    assert np.all(np.abs(back - vectors) <= 0.5 * step[:, None] + 1e-6)
    assert kept.nbytes == vectors.size + 4 * len(vectors)


@given(st.integers(1, 5), st.integers(1, 7), st.integers(0, 1000))
@settings(deadline=None, max_examples=40)
def test_loops_give_the_same(asked: int, held: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    question = random.normal(size=(asked, 16)).astype(np.float32)
    passage = random.normal(size=(held, 16)).astype(np.float32)
    question /= np.linalg.norm(question, axis=1, keepdims=True)
    passage /= np.linalg.norm(passage, axis=1, keepdims=True)
    expected = np.mean([max(float(one @ other) for other in passage) for one in question])
    assert max_similarity(question, small(passage)) == pytest.approx(expected, abs=0.02)


def test_fewer_dimensions_keep_cosines_and_are_always_the_same() -> None:
    random = np.random.default_rng(5)
    vectors = random.normal(size=(40, 384)).astype(np.float32)
    vectors[20:] = vectors[:20] + 0.5 * vectors[20:]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    shorter = reduced(vectors, 128)
    assert shorter.shape == (40, 128)
    assert np.linalg.norm(shorter, axis=1) == pytest.approx(np.ones(40), abs=1e-5)
    # Johnson and Lindenstrauss: the error of a cosine has a deviation of about 1 / sqrt(128).
    error = shorter @ shorter.T - vectors @ vectors.T
    assert np.abs(error).max() < 5 / np.sqrt(128)
    assert np.sqrt((error**2).mean()) < 1 / np.sqrt(128)
    assert np.array_equal(shorter, reduced(vectors, 128))
    assert reduced(vectors, 384) is vectors
