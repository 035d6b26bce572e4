"""An embedder behind any endpoint that speaks the OpenAI API: OpenAI, Ollama, vLLM, llama.cpp."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from clew.core.arrays import Matrix
from clew.core.calibration import Calibration
from clew.models.calibrating import measured
from clew.models.openai_endpoint import OpenAIEndpoint


class OpenAIEmbedder:
    """Implements `Embedder` over HTTP.

    Requests that meet a full or failing server (408, 409, 429, 5xx, no connection, time-out) are
    repeated up to `retries` times, after the seconds that `Retry-After` names (up to a minute) or
    with growing pauses.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint, up to and with `/v1`; None is OpenAI's own.
        api_key: the key; None takes OPENAI_API_KEY for OpenAI's own endpoint, and none elsewhere,
            so that the key is never sent to a server that it is not for.
        dimensions: length of the vectors to ask for; None takes what the model gives.
        question_prefix: put before questions and names, as the model was trained with.
        passage_prefix: put before passages.
        batch_size: texts a request.
        timeout: seconds that a request may take.
        retries: how often a request is repeated.
        calibration: background cosines; None measures them with the first use.

    Raises:
        MissingExtraError: the package openai is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        question_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 64,
        timeout: float = 60.0,
        retries: int = 5,
        calibration: Calibration | None = None,
    ) -> None:
        self._model = model
        self._wanted = dimensions
        self._seen: int | None = dimensions
        self._prefixes = (question_prefix, passage_prefix)
        self._batch_size = batch_size
        self._given_calibration = calibration
        self._endpoint = OpenAIEndpoint(
            f"embedding model {model!r}",
            section="embedding",
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            retries=retries,
        )
        self._client: Any = self._endpoint.client

    @property
    def fingerprint(self) -> str:
        """Model, dimensions that are asked for, and prefixes; the place of the server is left out,
        since one model may be served in several."""
        dimensions = "full" if self._wanted is None else str(self._wanted)
        return f"openai:{self._model}:{dimensions}:{json.dumps(self._prefixes)}"

    @property
    def dimensions(self) -> int:
        """Length of the vectors; asked of the model where it is not given."""
        if self._seen is None:
            self.embed_passages(["dimensions"])
        return self._seen or 0

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
            ModelError: the endpoint does not answer, refuses, or gives what are no vectors.
        """
        return self._embed(texts, self._prefixes[1])

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions).

        Raises:
            ModelError: as `embed_passages`.
        """
        return self._embed(texts, self._prefixes[0])

    def _embed(self, texts: Sequence[str], prefix: str) -> Matrix:
        if not texts:
            return np.empty((0, self._seen or 0), np.float32)
        # Servers refuse an empty text; a blank is the nearest thing that they take.
        inputs = [f"{prefix}{text}" or " " for text in texts]
        parts = [
            self._request(inputs[start : start + self._batch_size])
            for start in range(0, len(inputs), self._batch_size)
        ]
        return np.concatenate(parts)

    def _request(self, inputs: list[str]) -> Matrix:
        asked = {} if self._wanted is None else {"dimensions": self._wanted}
        try:
            answer = self._client.embeddings.create(
                model=self._model, input=inputs, encoding_format="float", **asked
            )
            rows = sorted(answer.data, key=lambda row: row.index)
            matrix = np.array([row.embedding for row in rows], np.float32)
        except self._endpoint.openai.OpenAIError as error:
            raise self._endpoint.failure(error) from None
        except (ValueError, TypeError, AttributeError) as error:
            raise self._endpoint.error(f"the answer holds no vectors: {error}") from None
        return self._checked(matrix, len(inputs))

    def _checked(self, matrix: Matrix, wanted: int) -> Matrix:
        if matrix.ndim != 2 or len(matrix) != wanted:
            raise self._endpoint.error(
                f"{wanted} texts were sent and {len(matrix)} vectors came back"
            )
        if self._seen is not None and matrix.shape[1] != self._seen:
            raise self._endpoint.error(
                f"a vector has {matrix.shape[1]} dimensions in place of {self._seen}; correct "
                "embedding.dimensions, or leave it out if the model has one size only"
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise self._endpoint.error("a vector is zero or not finite")
        self._seen = matrix.shape[1]
        return np.asarray(matrix / lengths, np.float32)
