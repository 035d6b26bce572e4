"""An embedder that remembers names: resolution, node vectors and windows ask for them again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.core.arrays import Floats, Matrix
from clew.core.calibration import Calibration
from clew.core.ports import Embedder

CAPACITY = 100_000
"""Names kept: about 150 MB of 384 dimensions. Beyond it everything is forgotten and begun anew."""


class NameMemory:
    """Implements `Embedder`; what `embed_questions` returned before is not computed again."""

    def __init__(self, embedder: Embedder, *, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._known: dict[str, Floats] = {}

    @property
    def fingerprint(self) -> str:
        """That of the embedder."""
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        """That of the embedder."""
        return self._embedder.dimensions

    @property
    def calibration(self) -> Calibration:
        """That of the embedder."""
        return self._embedder.calibration

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return what the embedder returns."""
        return self._embedder.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return what the embedder returns, computed once a text."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if len(self._known) + len(unknown) > self._capacity:
            self._known.clear()
            unknown = list(dict.fromkeys(texts))
        if unknown:
            vectors = self._embedder.embed_questions(unknown)
            self._known.update(zip(unknown, vectors, strict=True))
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._known[text] for text in texts])
