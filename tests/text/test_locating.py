"""What a model copied from a text is found again in it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.fencing import fence_name, harmless_line
from clew.text.locating import locate


def found(text, wanted):
    return [text[span.start : span.end] for span in locate(text, wanted)]


@pytest.mark.parametrize(
    ("text", "wanted", "places"),
    [
        ("Ana met Ana.", "ana", ["Ana", "Ana"]),
        ("Anabel met Susana.", "Ana", []),
        ("A\u00a0Torre \n do  Vale caiu", "torre do vale", ["Torre \n do  Vale"]),
        ("São João d’Água", "Sao Joao d'Agua", ["São João d’Água"]),  # noqa: RUF001
        ("the Zero\u200bWidth firm", "ZeroWidth", ["Zero\u200bWidth"]),
        ("He read [Dune] twice", "(Dune)", ["[Dune]"]),
        ("A–B ratio", "a-b RATIO", ["A–B ratio"]),  # noqa: RUF001
        ('The "Vale Tower", built', '"Vale Tower",', ["Vale Tower"]),
        ("C++ and C", "C++", ["C++"]),
        ("ab", "abc", []),
        ("any text", "", []),
        ("any text", "...", []),
        ("", "a", []),
    ],
)
def test_it_is_found_whatever_became_of_case_accents_quotes_and_blanks(text, wanted, places):
    assert found(text, wanted) == places


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 20))
def test_every_run_of_words_is_found_where_it_was_cut_out(text, start, length):
    words = text.split()
    piece = " ".join(words[start % (len(words) or 1) :][:length])
    spans = locate(text, piece)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    plain = piece.strip(" \t\n.,;:!?\"'*_")
    if any(char.isalnum() for char in plain) and piece.isascii() and text.isprintable():
        assert spans


@given(st.text())
def test_a_harmless_line_opens_no_message_and_no_number(text):
    line = harmless_line(text)
    assert not set(line) & set("<>[]\n\r\u200b\u202e\x00")
    assert harmless_line(line) == line


def test_a_fence_is_named_by_what_it_holds():
    assert fence_name("DATA", ["a", "b"]) == fence_name("DATA", ["a", "b"])
    assert fence_name("DATA", ["a", "b"]) != fence_name("DATA", ["a", "c"])
    assert fence_name("DATA", ["a"]).startswith("DATA-")
