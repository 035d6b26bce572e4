"""The embedder of sentence-transformers, on a stand-in module with the same interface.

The library is no dependency of the tests (it brings torch); docs/models.md says how the embedder
was tried on the real one.
"""

import sys
from types import ModuleType

import numpy as np
import pytest

from clew.core.calibration import Calibration
from clew.core.errors import MissingExtraError, ModelError
from clew.core.ids import stable_id
from clew.models.sentence_transformers_embedder import SentenceTransformersEmbedder


class Tensor:
    """As much of torch.Tensor as is used."""

    def __init__(self, values):
        self.values = np.array(values, np.float64)

    def detach(self):
        return self

    cpu = detach

    def float(self):
        return Tensor(self.values.astype(np.float32))

    def numpy(self):
        return self.values


class SentenceTransformer:
    """As much of sentence_transformers.SentenceTransformer as is used."""

    weights = (1.0, 2.0)
    prompts: dict[str, str] | None = None

    def __init__(self, name, *, device=None, truncate_dim=None, local_files_only=False):
        if name == "missing":
            raise OSError("not in the cache")
        self.name, self.device, self.size = name, device, truncate_dim or 5
        self.local_files_only = local_files_only
        self.calls = []

    def state_dict(self):
        return {"b": Tensor(self.weights), "a": Tensor([3.0])}

    def encode(self, texts, *, prompt, batch_size, show_progress_bar, convert_to_numpy):
        assert not show_progress_bar
        assert convert_to_numpy
        self.calls.append((list(texts), prompt, batch_size))
        return np.array([raw(prompt + text)[: self.size] for text in texts])


def raw(text):
    if "void" in text:
        return [0.0] * 5
    return [((stable_id(text, place) % 2001) - 1000) / 250 for place in range(5)]


def unit(text, size=5):
    vector = np.array(raw(text)[:size])
    return vector / np.linalg.norm(vector)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    module = ModuleType("sentence_transformers")
    model = type("SentenceTransformer", (SentenceTransformer,), {})
    module.__dict__["SentenceTransformer"] = model
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return model


def test_texts_become_unit_vectors():
    model = SentenceTransformersEmbedder("tiny", batch_size=7, device="cpu")
    found = model.embed_passages(["a", "b"])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [unit("a"), unit("b")], atol=1e-6)
    assert model._model.calls == [(["a", "b"], "", 7)]
    assert model._model.device == "cpu"
    assert model.dimensions == 5
    assert model.embed_questions([]).shape == (0, 5)


def test_nothing_is_fetched_unless_it_is_allowed():
    assert SentenceTransformersEmbedder("tiny")._model.local_files_only
    assert not SentenceTransformersEmbedder("tiny", allow_download=True)._model.local_files_only
    with pytest.raises(ModelError, match=r"'missing' cannot be loaded.*allow_download = true"):
        SentenceTransformersEmbedder("missing")


def test_prefixes_are_given_or_those_of_the_model(library):
    library.prompts = {"query": "q: ", "document": "d: ", "passage": "p: "}
    own = SentenceTransformersEmbedder("tiny")
    np.testing.assert_allclose(own.embed_questions(["a"]), [unit("q: a")], atol=1e-6)
    np.testing.assert_allclose(own.embed_passages(["a"]), [unit("d: a")], atol=1e-6)
    given = SentenceTransformersEmbedder("tiny", question_prefix="", passage_prefix="x ")
    np.testing.assert_allclose(given.embed_questions(["a"]), [unit("a")], atol=1e-6)
    np.testing.assert_allclose(given.embed_passages(["a"]), [unit("x a")], atol=1e-6)


def test_the_fingerprint_changes_with_all_that_vectors_depend_on(library, tmp_path):
    plain = SentenceTransformersEmbedder("tiny").fingerprint
    assert SentenceTransformersEmbedder("tiny").fingerprint == plain
    assert SentenceTransformersEmbedder("tiny", batch_size=1, device="cpu").fingerprint == plain
    others = [
        SentenceTransformersEmbedder("other").fingerprint,
        SentenceTransformersEmbedder("tiny", dimensions=3).fingerprint,
        SentenceTransformersEmbedder("tiny", question_prefix="q").fingerprint,
    ]
    library.weights = (1.0, 2.5)
    others.append(SentenceTransformersEmbedder("tiny").fingerprint)
    assert len({plain, *others}) == 5
    folder = tmp_path / "tiny"
    folder.mkdir()
    assert str(tmp_path) not in SentenceTransformersEmbedder(str(folder)).fingerprint


def test_vectors_can_be_cut():
    model = SentenceTransformersEmbedder("tiny", dimensions=3)
    assert model.dimensions == 3
    np.testing.assert_allclose(model.embed_passages(["a"]), [unit("a", 3)], atol=1e-6)


def test_a_vector_of_zeros_is_an_error():
    with pytest.raises(ModelError, match="zero or not finite"):
        SentenceTransformersEmbedder("tiny").embed_passages(["void"])


def test_calibration_is_given_or_measured_once():
    given = Calibration(0.1, 0.2, 0.3)
    assert SentenceTransformersEmbedder("tiny", calibration=given).calibration == given
    model = SentenceTransformersEmbedder("tiny")
    assert model.calibration is model.calibration
    assert model.calibration != given


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"clew\[sentence-transformers\]"):
        SentenceTransformersEmbedder("tiny")
