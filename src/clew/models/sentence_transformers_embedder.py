"""An embedder of the library sentence-transformers (Reimers and Gurevych 2019, arXiv:1908.10084).

The library brings torch; it is an extra, imported when the embedder is made.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from clew.core.arrays import Matrix
from clew.core.calibration import Calibration
from clew.core.errors import ModelError
from clew.core.lazy import load
from clew.models.calibrating import measured

EXTRA = "sentence-transformers"
_QUESTION_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformersEmbedder:
    """Implements `Embedder` on a local model; nothing is downloaded unless that is allowed.

    Args:
        model: a folder, or a name on the Hugging Face hub.
        question_prefix: put before questions and names; None takes the prompt that the model
            brings for queries, if it brings one.
        passage_prefix: the same for passages.
        dimensions: length to cut vectors to, for models trained for that; None keeps all.
        batch_size: texts that are embedded at once.
        device: such as cpu or cuda; None lets the library choose.
        allow_download: whether a model that is not on this machine may be fetched.
        calibration: background cosines; None measures them with the first use.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelError: the model is not on this machine, or cannot be loaded.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        question_prefix: str | None = None,
        passage_prefix: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 32,
        device: str | None = None,
        allow_download: bool = False,
        calibration: Calibration | None = None,
    ) -> None:
        library = load("sentence_transformers", EXTRA, EXTRA)
        self._name = Path(model).name if Path(model).is_dir() else str(model)
        self._model = _loaded(
            library, str(model), device=device, dimensions=dimensions, download=allow_download
        )
        self._question_prefix = _prompt(self._model, question_prefix, _QUESTION_PROMPTS)
        self._passage_prefix = _prompt(self._model, passage_prefix, _PASSAGE_PROMPTS)
        self._batch_size = batch_size
        self._given_calibration = calibration

    @cached_property
    def fingerprint(self) -> str:
        """Name, dimensions, prefixes, and a hash of the weights."""
        weights = sha256()
        for name, tensor in sorted(self._model.state_dict().items()):
            weights.update(name.encode())
            weights.update(np.ascontiguousarray(tensor.detach().cpu().float().numpy()).tobytes())
        prefixes = json.dumps([self._question_prefix, self._passage_prefix])
        return (
            f"sentence-transformers:{self._name}:{self.dimensions}:{prefixes}:"
            f"{weights.hexdigest()[:32]}"
        )

    @cached_property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return int(self._encode(["dimensions"], "").shape[1])

    @property
    def calibration(self) -> Calibration:
        """Background cosines, given or measured."""
        return self._given_calibration or self._measured

    @cached_property
    def _measured(self) -> Calibration:
        return measured(self.embed_questions, self.embed_passages)

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions).

        Raises:
            ModelError: the model gives vectors that are zero or not finite.
        """
        return self._embed(texts, self._passage_prefix)

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions).

        Raises:
            ModelError: as `embed_passages`.
        """
        return self._embed(texts, self._question_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        matrix = self._encode(texts, prefix)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise ModelError(f"embedding model {self._name!r}: a vector is zero or not finite")
        return np.asarray(matrix / lengths, np.float32)

    def _encode(self, texts: Sequence[str], prefix: str) -> Matrix:
        vectors = self._model.encode(
            list(texts),
            # Always given, since the model's default prompt would take the place of none.
            prompt=prefix,
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, np.float32)


def _loaded(
    library: Any,  # noqa: ANN401 - a module that may not be installed
    model: str,
    *,
    device: str | None,
    dimensions: int | None,
    download: bool,
) -> Any:  # noqa: ANN401
    try:
        return library.SentenceTransformer(
            model, device=device, truncate_dim=dimensions, local_files_only=not download
        )
    except (OSError, ValueError, RuntimeError) as error:
        hint = (
            "check its name and the connection"
            if download
            else "name a folder, or let it be fetched once with embedding.allow_download = true"
        )
        raise ModelError(f"embedding model {model!r} cannot be loaded ({error}); {hint}") from error


def _prompt(model: Any, given: str | None, names: Sequence[str]) -> str:  # noqa: ANN401
    """Return the prefix that is given, else the prompt that the model brings under one of names."""
    if given is not None:
        return given
    prompts = getattr(model, "prompts", None) or {}
    return next((prompts[name] for name in names if prompts.get(name)), "")
