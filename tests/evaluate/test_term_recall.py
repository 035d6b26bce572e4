"""Recall of answer words, by hand."""

import pytest

from clew.core.errors import EvaluationError
from clew.evaluate.term_recall import answer_terms, term_recall


def test_words_of_the_question_and_function_words_are_no_answer():
    wanted = answer_terms(
        "Surgery is the most common treatment for BCC.", question="How is BCC treated?"
    )
    assert term_recall(wanted, ["surgery", "common treatment"]) == 1.0
    assert len(wanted) == 3


def test_the_share_of_words_that_some_passage_holds():
    wanted = answer_terms("Red hair, blond hair and pale tumours", question="Who is at risk?")
    assert len(wanted) == 5
    assert term_recall(wanted, ["Blond people", "with a pale tumour"]) == pytest.approx(3 / 5)
    assert term_recall(wanted, []) == 0.0


def test_an_answer_without_words_of_its_own_has_no_recall():
    assert answer_terms("Yes, skin cancer.", question="Is it skin cancer, yes?") == frozenset()
    with pytest.raises(EvaluationError, match="not defined"):
        term_recall(frozenset(), ["x"])
