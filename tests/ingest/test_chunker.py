"""Chunking: hand-made cases and the invariants over random text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.documents import Span
from clew.core.errors import IngestError
from clew.ingest.chunker import CHUNKING_PRESETS, chunk_spans


def pieces(text: str, *, size: int, overlap: int) -> list[str]:
    return [text[s.start : s.end] for s in chunk_spans(text, size=size, overlap=overlap)]


def test_presets_are_those_of_the_paper():
    assert (CHUNKING_PRESETS["default"].size, CHUNKING_PRESETS["default"].overlap) == (1350, 100)
    assert (CHUNKING_PRESETS["paper_v1"].size, CHUNKING_PRESETS["paper_v1"].overlap) == (1000, 100)


def test_short_text_is_one_chunk_without_blank_ends():
    assert chunk_spans("  one two \n", size=20, overlap=5) == [Span(2, 9)]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t"])
def test_blank_text_has_no_chunk(text):
    assert chunk_spans(text, size=10, overlap=2) == []


def test_paragraphs_are_cut_before_lines_and_words():
    text = "aaaa bbbb\ncccc\n\ndddd eeee\nffff"
    assert pieces(text, size=16, overlap=0) == ["aaaa bbbb\ncccc", "dddd eeee\nffff"]


def test_lines_are_cut_before_words():
    assert pieces("aaaa bbbb\ncccc dddd", size=12, overlap=0) == ["aaaa bbbb", "cccc dddd"]


def test_words_are_cut_before_characters():
    assert pieces("aaaa bbbb cccc", size=10, overlap=0) == ["aaaa bbbb", "cccc"]


def test_a_word_longer_than_a_chunk_is_cut_and_its_end_repeated():
    assert pieces("abcdefghij", size=4, overlap=1) == ["abcd", "defg", "ghij"]


def test_overlap_begins_with_a_word():
    # of the 7 characters before the cut, "three" is the only whole word; at the second cut the
    # rest, "five six seven", fits whole into 14 only without a repetition
    assert pieces("one two three four five six seven", size=14, overlap=7) == [
        "one two three",
        "three four",
        "five six seven",
    ]


def test_overlap_yields_to_a_paragraph_that_fits_whole():
    text = "aaaa bbbb\n\n" + "c" * 10
    assert pieces(text, size=10, overlap=4) == ["aaaa bbbb", "c" * 10]


def test_a_sentence_end_near_the_limit_is_preferred_to_a_later_space():
    text = "It rained all of the day. We went home early and slept."
    assert pieces(text, size=32, overlap=0)[0] == "It rained all of the day."


def test_a_short_heading_stays_with_a_paragraph_that_must_be_cut_anyway():
    text = "Title\n\n" + "word " * 60
    assert pieces(text, size=100, overlap=0)[0].startswith("Title\n\nword word")


def test_a_paragraph_that_fits_is_kept_whole_even_after_a_heading():
    paragraph = ("word " * 19).strip()
    assert pieces(f"Title\n\n{paragraph}", size=100, overlap=0) == ["Title", paragraph]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_impossible_settings_are_refused(size, overlap):
    with pytest.raises(IngestError, match="must"):
        chunk_spans("text", size=size, overlap=overlap)


@pytest.mark.parametrize("text", ["x" * 5_000_000, "\n" * 1_000_000 + "x", "ab. " * 500_000])
def test_megabytes_are_chunked(text):
    spans = chunk_spans(text, size=1350, overlap=100)
    assert spans[-1].end == len(text.rstrip())
    assert len(spans) <= len(text.strip()) / 900 + 2


def test_a_short_chunk_is_never_repeated_whole():
    assert pieces("a aaaa", size=3, overlap=1) == ["a", "aaa", "aa"]


def test_a_long_gap_between_words_does_not_stop_progress():
    assert pieces("aa" + " " * 50 + "bb", size=5, overlap=4) == ["aa", "bb"]


texts = st.text(alphabet=st.sampled_from("ab.é \n\t中"), max_size=400) | st.text(max_size=300)


@given(text=texts, size=st.integers(1, 60), data=st.data())
@settings(deadline=None, max_examples=250)
def test_invariants(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    spans = chunk_spans(text, size=size, overlap=overlap)
    covered = {i for span in spans for i in range(span.start, span.end)}
    assert {i for i, char in enumerate(text) if not char.isspace()} <= covered
    for span in spans:
        piece = text[span.start : span.end]
        assert 0 < len(piece) <= size
        assert piece == piece.strip()
    for before, after in pairwise(spans):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= overlap
        begins_a_word = text[after.start - 1].isspace()
        cuts_a_word = not text[before.end - 1 : before.end + 1].isspace() and not any(
            char.isspace() for char in text[max(0, before.end - overlap - 1) : before.end + 1]
        )
        repeats_nothing = after.start >= before.end
        assert begins_a_word or cuts_a_word or repeats_nothing
