"""Passages read from a store, their candidate sentences, and bridges between these."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.documents import Chunk, Document, Span
from clew.core.query import Principal
from clew.reason.bridges import bridge_strengths
from clew.reason.candidates import candidate_sentences
from clew.reason.evidence import Passage, gather_passages
from clew.text.tokens import words

ACME = "Acme was founded by Jane Roe. It makes anvils. Is it old? Yes."
JANE = "Jane Roe was born in Oslo. She keeps bees."


def gather(world, retrieval, *, paths=(), limit=10):
    return gather_passages(
        retrieval, paths=paths, chunks=world.store, graph=world.store, limit=limit
    )


def texts(sentences):
    return [sentence.text for sentence in sentences]


def test_passages_keep_the_ranking(world):
    world.page("Acme", ACME, names=["Jane Roe"])
    world.page("Jane Roe", JANE)
    passages = gather(world, world.ask("Who founded Acme?"))
    assert [passage.document.title for passage in passages] == ["Acme", "Jane Roe"]
    assert [passage.relevance for passage in passages] == [1.0, 0.8]
    assert passages[0].signals == ("vector", "keyword")
    assert {mention.surface for mention in passages[0].mentions} == {"Acme", "Jane Roe"}


def test_removed_and_hidden_passages_are_not_evidence(world):
    world.page("Secret", "Acme is sold.", acl=["board"])
    gone = world.page("Gone", "Acme is bankrupt.")
    world.page("Open", "Acme is old.")
    retrieval = world.ask("What about Acme?", principal=Principal(frozenset({"staff"})))
    world.store.remove_document("main", gone.document.id)
    assert [passage.document.title for passage in gather(world, retrieval)] == ["Open"]


def test_only_the_first_results_are_read(world):
    world.page("One", "Acme is old.")
    world.page("Two", "Acme is new.")
    assert len(gather(world, world.ask("Acme?"), limit=1)) == 1


def test_questions_stubs_and_copies_are_no_candidates(world):
    world.page("Acme", ACME)
    world.page("Copy", "It makes  ANVILS. It also makes ropes.")
    passages = gather(world, world.ask("What does Acme make?"))
    sentences, _ = candidate_sentences("What does Acme make?", passages, limit=40)
    assert texts(sentences) == [
        "Acme was founded by Jane Roe.",
        "It makes anvils.",
        "It also makes ropes.",
    ]


def test_the_title_belongs_to_each_sentence(world):
    world.page("Acme", ACME)
    passages = gather(world, world.ask("What does Acme make?"))
    sentences, terms = candidate_sentences("What does Acme make?", passages, limit=40)
    assert terms.keys == ("acme", "make*")
    assert {"acme", "make*"} <= sentences[1].keys


def test_where_there_are_too_many_the_promising_ones_are_kept(world):
    world.page("Acme", "The sky is blue. The sea is green. Acme makes fine anvils. All is well now.")  # fmt: skip
    passages = gather(world, world.ask("Who makes anvils?"))
    sentences, _ = candidate_sentences("Who makes anvils?", passages, limit=2)
    # The third shares both terms; the first alone opens the passage.
    assert texts(sentences) == ["The sky is blue.", "Acme makes fine anvils."]


@pytest.mark.parametrize("text", ["word " * 400, "word" * 400])
def test_what_has_no_full_stop_is_cut(world, text):
    world.page("Table", f"first and second {text}".strip())
    passages = gather(world, world.ask("Which word?"))
    sentences, _ = candidate_sentences("Which word?", passages, limit=40)
    assert sentences
    assert all(len(sentence.text) <= 500 for sentence in sentences)


@given(text=st.text(alphabet="aB. ?\n-", min_size=1, max_size=120), limit=st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_spans_reproduce_the_text(text, limit):
    document = Document(1, "a", "1", "", text)
    passage = Passage(Chunk(1, 1, 0, text, Span(0, len(text))), document, 1.0)
    sentences, _ = candidate_sentences("What is aB?", [passage], limit=limit)
    assert len(sentences) <= limit
    for sentence in sentences:
        assert text[sentence.span.start : sentence.span.end] == sentence.text
        assert len(words(sentence.text)) >= 3


def bridges(world, question):
    passages = gather(world, world.ask(question))
    sentences, _ = candidate_sentences(question, passages, limit=40)
    return texts(sentences), bridge_strengths(sentences, passages, question=question)


def test_a_sentence_leads_to_the_page_of_what_it_names(world):
    world.page("Acme", ACME, names=["Jane Roe"])
    world.page("Jane Roe", JANE, names=["Oslo"])
    rows, strengths = bridges(world, "Where was the founder of Acme born?")
    assert rows == ["Acme was founded by Jane Roe.", "It makes anvils.", "Jane Roe was born in Oslo.", "She keeps bees."]  # fmt: skip
    expected = np.zeros((4, 4))
    expected[0, 2:] = expected[2:, 0] = 1.0
    np.testing.assert_array_equal(strengths, expected)


def test_naming_the_same_thing_is_a_weaker_bridge(world):
    world.page("Acme", "Acme sells to Beta Corp abroad.", names=["Beta Corp"])
    world.page("Gamma", "Gamma buys from Beta Corp now.", names=["Beta Corp"])
    _, strengths = bridges(world, "How are Acme and Gamma connected?")
    np.testing.assert_allclose(strengths, [[0, 0.4], [0.4, 0]], rtol=1e-6)


def test_what_the_question_names_is_no_bridge(world):
    world.page("Acme", "Acme sells to Beta Corp abroad.", names=["Beta Corp"])
    world.page("Gamma", "Gamma buys from Beta Corp now.", names=["Beta Corp"])
    _, strengths = bridges(world, "Who deals with Beta Corp?")
    assert not strengths.any()
