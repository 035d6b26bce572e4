"""The stand-in embedder is deterministic, unit length, and nearer where terms are shared."""

import numpy as np
import pytest

from clew.core.calibration import Calibration
from clew.core.ports import Embedder
from clew.testing.fakes import HashingEmbedder


def test_vectors_are_units_and_repeatable() -> None:
    embedder: Embedder = HashingEmbedder(64)
    texts = ["river and stone", "", "the of", "Ada Lovelace wrote notes"]
    first = embedder.embed_passages(texts)
    assert first.shape == (4, embedder.dimensions) == (4, 64)
    assert first.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1.0, rtol=1e-6)
    np.testing.assert_array_equal(HashingEmbedder(64).embed_questions(texts), first)
    assert embedder.embed_passages([]).shape == (0, 64)


def test_shared_terms_are_near_and_case_does_not_count() -> None:
    embedder = HashingEmbedder()
    passages = embedder.embed_passages(
        ["The Amazon is a long river", "Paris hosts the museum", "RIVER, long: Amazon!"]
    )
    question = embedder.embed_questions(["a long river, the Amazon"])[0]
    near, far, same = (passages @ question).tolist()
    assert near == pytest.approx(1.0, abs=1e-6)
    assert same == pytest.approx(1.0, abs=1e-6)
    assert abs(far) < 0.5


def test_says_what_it_is() -> None:
    embedder = HashingEmbedder(32)
    assert embedder.fingerprint == "hashing-32"
    assert embedder.fingerprint != HashingEmbedder(64).fingerprint
    assert embedder.calibration == Calibration(0.0, 0.0, 0.0)
