"""Embedders that do not come with Clew, from settings."""

from __future__ import annotations

from clew.core.calibration import Calibration
from clew.core.ports import Embedder
from clew.engine.loading import load
from clew.settings.model import EmbeddingProvider, EmbeddingSettings


def other_embedder(settings: EmbeddingSettings) -> Embedder:
    """Return the embedder of an endpoint or of sentence-transformers.

    Raises:
        MissingExtraError: its library is not installed.
        ModelError: the model cannot be loaded.
    """
    if settings.provider is EmbeddingProvider.OPENAI:
        key = settings.api_key
        served: Embedder = load("clew.models.openai_embedder:OpenAIEmbedder")(
            settings.model,
            base_url=settings.base_url,
            api_key=None if key is None else key.get_secret_value(),
            dimensions=settings.dimensions,
            question_prefix=settings.question_prefix or "",
            passage_prefix=settings.passage_prefix or "",
            batch_size=settings.batch_size,
            timeout=settings.timeout,
            retries=settings.retries,
            calibration=_calibration(settings),
        )
        return served
    local: Embedder = load(
        "clew.models.sentence_transformers_embedder:SentenceTransformersEmbedder"
    )(
        settings.model,
        question_prefix=settings.question_prefix,
        passage_prefix=settings.passage_prefix,
        dimensions=settings.dimensions,
        batch_size=settings.batch_size,
        device=settings.device,
        allow_download=settings.allow_download,
        calibration=_calibration(settings),
    )
    return local


def _calibration(settings: EmbeddingSettings) -> Calibration | None:
    given = settings.calibration
    if given is None:
        return None
    return Calibration(given.question_passage, given.question_node, given.name_name)
