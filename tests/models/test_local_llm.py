"""A GGUF file run in this process. The model is not part of the repository: `make llm` brings it."""

import pytest

from clew.core.errors import ModelError
from clew.models.local_llm import LocalLLM
from tests.models.local_model import MODEL, needs_model


@pytest.mark.parametrize("content", [b"", b"<html>", b"PK\x03\x04"])
def test_a_file_that_is_no_gguf_is_refused_before_anything_is_loaded(tmp_path, content):
    file = tmp_path / "model.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelError, match="is no GGUF file"):
        LocalLLM(file)


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        LocalLLM(tmp_path / "absent.gguf")


def test_a_damaged_model_is_an_error(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes(64))
    model = LocalLLM(file)
    with pytest.raises(ModelError, match="cannot load"):
        model.complete("?", max_tokens=1)
    model.close()


def test_a_closed_model_says_so(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    model = LocalLLM(file)
    model.close()
    model.close()
    with pytest.raises(ModelError, match="was closed"):
        model.complete("?", max_tokens=1)


@needs_model
def test_a_model_completes_streams_and_keeps_to_a_schema():
    model = LocalLLM(MODEL, context_window=1024)
    try:
        whole = model.complete("Answer with one word: the capital of France?", max_tokens=8)
        assert "Paris" in whole
        pieces = model.stream("Count from one to five in words.", max_tokens=24)
        assert len(list(pieces)) > 3
        schema = {
            "type": "object",
            "properties": {"capital": {"enum": ["Paris", "Rome"]}},
            "required": ["capital"],
            "additionalProperties": False,
        }
        asked = "Which is the capital of Italy?"
        assert model.complete_json(asked, schema=schema, max_tokens=24) == {"capital": "Rome"}
        assert model.usage.calls == 3
        assert model.usage.estimated == 0
    finally:
        model.close()
