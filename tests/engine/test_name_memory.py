import numpy as np

from clew.engine.indexing.name_memory import NameMemory
from tests.engine.stand_ins import CountingEmbedder


def test_a_name_is_embedded_once():
    embedder = CountingEmbedder()
    memory = NameMemory(embedder)
    first = memory.embed_questions(["Acme", "Beta", "Acme"])
    assert embedder.questions == ["Acme", "Beta"]
    second = memory.embed_questions(["Beta", "Gamma"])
    assert embedder.questions == ["Acme", "Beta", "Gamma"]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[1], second[0])


def test_it_forgets_rather_than_grow_beyond_its_capacity():
    embedder = CountingEmbedder()
    memory = NameMemory(embedder, capacity=2)
    memory.embed_questions(["a", "b"])
    memory.embed_questions(["b", "c"])
    assert embedder.questions == ["a", "b", "b", "c"]


def test_nothing_gives_no_rows_of_the_right_width():
    memory = NameMemory(CountingEmbedder())
    assert memory.embed_questions([]).shape == (0, 256)
    assert (memory.fingerprint, memory.dimensions) == ("hashing-256", 256)
