"""Words, folding, index terms and stop words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.folding import without_accents
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import fold, terms, words


def test_words_keep_their_place():
    text = "Don't stop, São Paulo's 3rd café!"
    found = words(text)
    assert [word.text for word in found] == ["Don't", "stop", "São", "Paulo's", "3rd", "café"]
    assert all(text[word.start : word.end] == word.text for word in found)


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("Straße", "strasse"),
        ("SÃO", "sao"),
        ("Paulo’s", "paulo"),  # noqa: RUF001
        ("James'", "james"),
        ("DON’T", "don't"),  # noqa: RUF001
        ("ﬁnal", "final"),
        ("Ⅳ", "iv"),
        ("Ὀδυσσεύς", "οδυσσευσ"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_fold(word, folded):
    assert fold(word) == folded


@pytest.mark.parametrize(("one", "other"), [("バス", "ハス"), ("कि", "की"), ("학교", "학고")])
def test_signs_that_make_other_letters_are_kept(one, other):
    assert fold(one) != fold(other)


def test_terms_leave_stop_words_out_in_any_spelling():
    assert terms("It’s the café that WE don’t know; we'll see") == ["cafe", "know", "see"]  # noqa: RUF001
    assert terms("Não há pão em São Paulo") == ["pao", "paulo"]
    assert terms("") == []


def test_every_stop_word_can_match():
    assert {word for word in STOP_WORDS if fold(word) != word} == set()


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(text):
    once = without_accents(text)
    assert without_accents(once) == once
