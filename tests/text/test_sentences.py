"""Sentence boundaries: hand-made cases and full cover of the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.text.sentences import ends_sentence, sentence_spans

CASES = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("Dr. Smith met J. R. R. Tolkien. They talked.", ["Dr. Smith met J. R. R. Tolkien.", "They talked."]),
    ("It cost $3.5 million. Cheap.", ["It cost $3.5 million.", "Cheap."]),
    ("Version 3.5 Python is old.", ["Version 3.5 Python is old."]),
    ("The U.S. Army won. He lives in the U.S. He is old.", ["The U.S. Army won.", "He lives in the U.S.", "He is old."]),
    ("Apple Inc. was founded in 1976. It grew.", ["Apple Inc. was founded in 1976.", "It grew."]),
    ('"Really?" he asked. "Yes." She left.', ['"Really?" he asked.', '"Yes."', "She left."]),
    ("See Fig. 3 there.[12] Next one.", ["See Fig. 3 there.[12]", "Next one."]),
    ("# Title\nFirst line\nsecond line. Third.", ["# Title", "First line\nsecond line.", "Third."]),
    ("- item one\n- item two\n\nAfter", ["- item one", "- item two", "After"]),
    ("1. First step. Second", ["1. First step.", "Second"]),
    ("| a | b |\n| c | d |\ntext", ["| a | b |", "| c | d |", "text"]),
    ("今日は良い。明日は雨。", ["今日は良い。", "明日は雨。"]),
    ("O Sr. Silva nasceu em 1950. Ele morreu.", ["O Sr. Silva nasceu em 1950.", "Ele morreu."]),
    ("Wait... what? He said e.g. this.", ["Wait... what?", "He said e.g. this."]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences(text, expected):
    assert [text[span.start : span.end] for span in sentence_spans(text)] == expected


def test_ends_sentence_needs_a_terminator():
    assert ends_sentence("It ends. Here", 8)
    assert not ends_sentence("It ends Here", 7)


@given(st.text(alphabet=st.sampled_from('aB.!?" \n-#|1)。'), max_size=200) | st.text(max_size=200))
@settings(deadline=None, max_examples=400)
def test_spans_are_ordered_and_cover_what_is_not_blank(text):
    spans = sentence_spans(text)
    position = 0
    for span in spans:
        assert span.start >= position
        assert not text[position : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        position = span.end
    assert not text[position:].strip()


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "\n " * 500_000, "." * 500_000, "a. B " * 200_000]
)
def test_long_texts_end(text):
    assert (
        sum(span.end - span.start for span in sentence_spans(text))
        >= len(text.replace(" ", "").strip()) * 0.5
    )
