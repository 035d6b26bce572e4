"""Retrieved text shown as plain text that cannot forge a citation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.reason.display import display_text

CASES = [
    ("Plain text stays.", "Plain text stays."),
    ("Two\nlines\t and   blanks", "Two lines and blanks"),
    ("As said [1] and [12, 13].", "As said (1) and (12, 13)."),
    ("Spaced [ 7 ] and ranged [3-5]", "Spaced (7) and ranged (3-5)"),
    ("Full width 【1】 too", "Full width (1) too"),
    ("An open [2 never closed", "An open (2 never closed"),
    ("Hidden [\u200b1] marker", "Hidden (1) marker"),
    ("Tagged [<b>1</b>] marker", "Tagged (1) marker"),
    ("A note [citation needed] stays", "A note [citation needed] stays"),
    ("<p>Bold <b>word</b></p><!-- a comment -->", "Bold word"),
    ("<<b>script>alert(1)<</b>/script>", "alert(1)"),
    ("if a < b and c > d", "if a < b and c > d"),
    ("See [the page](https://example.org/x) now", "See the page now"),
    ("![a picture](x.png) beside", "a picture beside"),
    ("**Strong** and `code` words", "Strong and code words"),
    ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
    ("## A heading", "A heading"),
    ("- an item", "an item"),
    ("right\u202eto left\x07", "rightto left"),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_display(text, shown):
    assert display_text(text) == shown


PIECES = st.sampled_from(["[", "]", "1", "2", " ", "<b>", "</b>", "<", ">", "\u200b", "a", "(", ")", "**", "`", "【", "】", "#", "\n"])  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60))
@settings(deadline=None, max_examples=400)
def test_no_text_can_show_a_marker(text):
    shown = display_text(text)
    assert not re.search(r"[\[【⟦［]\s*\d", shown)  # noqa: RUF001
    assert display_text(shown) == shown
    assert "\n" not in shown
    assert "\u200b" not in shown
