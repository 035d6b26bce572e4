"""Which embedder the settings lead to."""

import sys

import pytest

from clew.core.calibration import Calibration
from clew.core.errors import MissingExtraError
from clew.engine.components import Components
from clew.models.openai_embedder import OpenAIEmbedder
from clew.settings.load import load_settings
from clew.stores.memory import MemoryStore


def _components(**embedding: object) -> Components:
    return Components(
        MemoryStore(),
        "default",
        settings=load_settings({"embedding": embedding}),
        embedder=None,
        extractor=None,
        owns_store=True,
    )


def test_an_endpoint_is_configured_by_settings():
    made = _components(
        provider="openai",
        model="tiny",
        base_url="http://127.0.0.1:9/v1",
        api_key="sk-secret",
        dimensions=12,
        question_prefix="query: ",
        retries=0,
        timeout=2.5,
        calibration={"question_passage": 0.1, "question_node": 0.2, "name_name": 0.3},
    ).embedder()
    assert isinstance(made, OpenAIEmbedder)
    assert made.fingerprint == 'openai:tiny:12:["query: ", ""]'
    assert made.calibration == Calibration(0.1, 0.2, 0.3)
    assert made._client.api_key == "sk-secret"
    assert (made._client.max_retries, made._client.timeout) == (0, 2.5)


def test_sentence_transformers_is_configured_by_settings(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    components = _components(provider="sentence_transformers", model="tiny")
    with pytest.raises(MissingExtraError, match=r"clew\[sentence-transformers\]"):
        components.embedder()
