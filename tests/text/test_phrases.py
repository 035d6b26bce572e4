"""Rows of tokens, with stop words and whatever Unicode makes of a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.phrases import joined_tokens, phrase_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Who's café!", ("the", "who", "cafe")),
        ("A-ha & U2", ("a", "ha", "u2")),
        ("...", ()),
        ("", ()),
    ],
)
def test_tokens_are_folded_words(text: str, tokens: tuple[str, ...]) -> None:
    assert phrase_tokens(text) == tokens


@given(
    st.lists(st.sampled_from(["a", "b", "ab", "a b"]), max_size=8),
    st.lists(st.sampled_from(["a", "b", "ab", "a b"]), min_size=1, max_size=3),
)
def test_substrings_are_rows(text: list[str], phrase: list[str]) -> None:
    rows = [text[start : start + len(phrase)] for start in range(len(text))]
    assert (joined_tokens(phrase) in joined_tokens(text)) == (phrase in rows)
