"""Late interaction (MaxSim) over the token vectors of an embedder.

score(q, p) = mean over the question's tokens of the highest cosine to any token of the passage.
Source: Khattab, Zaharia, "ColBERT", SIGIR 2020; the sum is a mean here, so that the scale does not
depend on the question's length.

Token vectors are kept small: a fixed orthogonal projection to fewer dimensions (Johnson and
Lindenstrauss), then one int8 a value with one scale a token. They are computed when a passage is
first reranked and kept in a cache, least recently used out first: stored for every passage they
would take several times the space of everything else in a store.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Floats, Matrix
from clew.core.errors import ModelError
from clew.core.ports import TokenEmbedder

DIMENSIONS = 128
CACHED_PASSAGES = 4096
_SEED = 20240101
_LARGEST = 127.0


@dataclass(frozen=True, slots=True)
class SmallTokens:
    """Token vectors of a passage: `codes` (tokens, dimensions) int8 and `scales` (tokens,); a row of
    codes times its scale is a unit vector, but for rounding."""

    codes: NDArray[np.int8]
    scales: Floats

    @property
    def nbytes(self) -> int:
        """Return the bytes that both take."""
        return self.codes.nbytes + self.scales.nbytes


class LateInteractionReranker:
    """Implements `Reranker`. Safe to use from several threads.

    Raises:
        ModelError: `dimensions` or `cached_passages` is below 1.
    """

    def __init__(
        self,
        embedder: TokenEmbedder,
        *,
        dimensions: int = DIMENSIONS,
        cached_passages: int = CACHED_PASSAGES,
    ) -> None:
        if dimensions < 1 or cached_passages < 1:
            raise ModelError(
                f"late interaction with {dimensions} dimensions and {cached_passages} cached "
                "passages: both must be at least 1"
            )
        self._embedder = embedder
        self._dimensions = dimensions
        self._room = cached_passages
        self._cache: OrderedDict[str, SmallTokens] = OrderedDict()
        self._lock = threading.Lock()

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        """Return MaxSim of each passage, in -1..1, shape (len(passages),)."""
        if not passages:
            return np.empty(0, np.float32)
        asked = reduced(self._embedder.embed_question_tokens(question), self._dimensions)
        held = self._tokens(passages)
        return np.array([max_similarity(asked, held[text]) for text in passages], np.float32)

    def _tokens(self, passages: Sequence[str]) -> dict[str, SmallTokens]:
        wanted = list(dict.fromkeys(passages))
        with self._lock:
            held = {text: self._cache[text] for text in wanted if text in self._cache}
        missing = [text for text in wanted if text not in held]
        if missing:
            embedded = self._embedder.embed_passage_tokens(missing)
            for text, vectors in zip(missing, embedded, strict=True):
                held[text] = small(reduced(vectors, self._dimensions))
        with self._lock:
            for text in wanted:
                self._cache[text] = held[text]
                self._cache.move_to_end(text)
            while len(self._cache) > self._room:
                self._cache.popitem(last=False)
        return held


def reduced(vectors: Matrix, dimensions: int) -> Matrix:
    """Return unit vectors in fewer dimensions; the same ones where there are no more anyway."""
    if vectors.shape[1] <= dimensions:
        return vectors
    shorter = vectors @ _projection(vectors.shape[1], dimensions)
    norms = np.linalg.norm(shorter, axis=1, keepdims=True)
    return np.asarray(shorter / np.maximum(norms, 1e-12), np.float32)


def small(vectors: Matrix) -> SmallTokens:
    """Return vectors as int8 with a scale each; the largest value of a row becomes 127."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.maximum(largest, 1e-12) / _LARGEST
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    return SmallTokens(codes, scales.astype(np.float32))


def max_similarity(question: Matrix, passage: SmallTokens) -> float:
    """Return the mean over question tokens of the highest cosine; -1 if either has no token."""
    if not len(question) or not len(passage.codes):
        return -1.0
    cosine = (question @ passage.codes.T.astype(np.float32)) * passage.scales
    return float(cosine.max(axis=1).mean())


@lru_cache(maxsize=4)
def _projection(wide: int, narrow: int) -> Matrix:
    """Return a fixed matrix (wide, narrow) with orthonormal columns."""
    random = np.random.default_rng(_SEED).normal(size=(wide, narrow))
    return np.asarray(np.linalg.qr(random)[0], np.float32)
