"""What a question asks for: its language, the kind of answer, its weighted terms."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from clew.reason.answer_type import AnswerType, expected_answer, names_answer
from clew.reason.language import AnswerLanguage, question_language
from clew.reason.question_terms import covered, text_keys, weighted_terms


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Who founded Acme?", "en"),
        ("Quem fundou a Acme?", "pt"),
        ("Onde nasceu João?", "pt"),
        ("In which city was Maria da Silva born?", "en"),
        ("Qual é a capital do Brasil?", "pt"),
        ("Acme Beta", "en"),
        ("population São Paulo", "pt"),
    ],
)
def test_language(question, language):
    assert question_language(question) is AnswerLanguage(language)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who founded Acme?", AnswerType.PERSON),
        ("Quem fundou a Acme?", AnswerType.PERSON),
        ("When was Acme founded?", AnswerType.DATE),
        ("In what year did it open?", AnswerType.DATE),
        ("Em que ano nasceu Ana?", AnswerType.DATE),
        ("How many people work there?", AnswerType.NUMBER),
        ("Quantas pessoas moram lá?", AnswerType.NUMBER),
        ("Where was she born?", AnswerType.PLACE),
        ("Which city hosts the fair?", AnswerType.PLACE),
        ("Onde fica o museu?", AnswerType.PLACE),
        ("What does Acme make?", AnswerType.OTHER),
    ],
)
def test_expected_answer(question, kind):
    assert expected_answer(question) is kind


@pytest.mark.parametrize(
    ("sentence", "question", "named"),
    [
        ("Acme was founded by Jane Roe.", "Who founded Acme?", True),
        ("Acme Works makes anvils.", "Who founded Acme Works?", False),
        ("It opened in 1984.", "When did it open?", True),
        ("It opened in 1984.", "When, after 1984, did it close? It opened in 1984.", False),
        ("It opened early.", "When did it open?", False),
        ("It employs 120 people.", "How many people work there?", True),
        ("It employs twelve people.", "How many people work there?", True),
        ("It opened in 1984.", "How many people work there?", False),
        ("She was born in Oslo.", "Where was she born?", True),
        ("The Oslo fair is held in Oslo.", "Where is the Oslo fair held?", False),
        ("She was born in May 1950.", "Where was she born?", False),
        ("Acme was founded by Jane Roe.", "What does Acme make?", False),
    ],
)
def test_names_answer(sentence, question, named):
    assert names_answer(sentence, expected_answer(question), question=question) is named


def test_terms_are_weighted_by_rarity_among_passages():
    passages = [text_keys("Acme makes anvils."), text_keys("Beta makes rockets.")]
    terms = weighted_terms("Who makes anvils for Acme?", passages)
    assert terms.keys == ("make*", "anvil*", "acme")
    # ln(1 + (N - df + .5) / (df + .5)) with N = 2 and df = 2, 1, 1
    rarity = np.array([log(1 + 0.5 / 2.5), log(1 + 1.5 / 1.5), log(1 + 1.5 / 1.5)])
    np.testing.assert_allclose(terms.weights, rarity / rarity.sum(), rtol=1e-6)


def test_inflected_words_match_and_names_must_be_equal():
    terms = weighted_terms("Which companies did Johnson invest in?", [])
    held = covered(terms, [text_keys("A company in which Johnston invested."), frozenset()])
    assert terms.keys == ("compa*", "johnson", "inves*")
    assert held.tolist() == [[True, False, True], [False, False, False]]


def test_numbers_are_compared_whole():
    terms = weighted_terms("What happened in 123456?", [])
    assert covered(terms, [text_keys("happening 123457")]).tolist() == [[True, False]]


def test_a_question_of_function_words_has_no_terms():
    terms = weighted_terms("Who is it?", [text_keys("anything")])
    assert terms.keys == ()
    assert covered(terms, [text_keys("anything")]).shape == (1, 0)
