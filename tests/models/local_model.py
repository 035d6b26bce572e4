"""The language model that `make llm` puts into the user's cache, for tests that need a true one."""

import platformdirs
import pytest

MODEL = (
    platformdirs.user_cache_path("clew", appauthor=False)
    / "models"
    / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
)


def needs_model(test):
    """Mark a test that is skipped, on CI too, where the model is not there."""
    skipped = pytest.mark.skipif(not MODEL.is_file(), reason="no language model here: make llm")
    return pytest.mark.skip_allowed(pytest.mark.slow(skipped(test)))
