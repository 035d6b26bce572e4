"""A cross-encoder from a sentence-transformers folder; needs the extra of that name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clew.core.arrays import Floats
from clew.core.errors import ModelError
from clew.models.lazy import load

_BATCH = 16


class SentenceTransformersReranker:
    """Implements `Reranker`; nothing is downloaded: the folder must hold the whole model.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelError: the folder is no model; says why.
    """

    def __init__(self, folder: Path, *, max_tokens: int = 512) -> None:
        if not (folder / "config.json").is_file():
            raise ModelError(f"{folder} holds no config.json; give the folder of a saved model")
        library = load("sentence_transformers", "sentence-transformers", "sentence-transformers")
        try:
            self._model = library.CrossEncoder(
                str(folder), max_length=max_tokens, device="cpu", local_files_only=True
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelError(f"{folder} cannot be loaded as a cross-encoder: {error}") from error
        self._folder = folder

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        """Return the model's score of each passage, shape (len(passages),).

        Raises:
            ModelError: the model gives something else than one finite number a pair.
        """
        if not passages:
            return np.empty(0, np.float32)
        scores = np.asarray(
            self._model.predict(
                [(question, passage) for passage in passages],
                batch_size=_BATCH,
                show_progress_bar=False,
            ),
            np.float32,
        )
        if scores.shape != (len(passages),) or not np.isfinite(scores).all():
            raise ModelError(
                f"{self._folder} gave an output of shape {scores.shape} for {len(passages)} pairs; "
                "a reranker gives one finite number a pair"
            )
        return scores
