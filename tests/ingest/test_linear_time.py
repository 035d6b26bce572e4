"""What runs on text in this process is linear: a hostile text costs what its length costs.

Nothing is timed. A quadratic pattern takes 30,000,000,000 steps on these texts, a linear one 250,000.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.ingest.chunker import CHUNKING_PRESETS
from clew.ingest.documents import build_chunks, build_document
from clew.ingest.language import detect_language
from clew.ingest.parsers.harmless import parse_harmless
from clew.ingest.sources import LoadedSource, read_sources
from clew.ingest.whitespace import tidy

LENGTH = 250_000
UNITS = [
    "a",
    " ",
    "\t",
    "\n",
    "\r",
    " \n",
    " x",
    "\u00a0",
    "#",
    "# ",
    "=",
    "-",
    "- ",
    "---\n",
    "--- ",
    "...",
    "```\n",
    "`",
    "<!--",
    "-->",
    "<!-- -->`",
    "[",
    "](",
    "|",
    "*",
    ".",
    ". ",
    "http://",
    "a@",
    "\ufeff",
    "漢",
    "。",
    "\u0301",
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("head", ["", "x", "---\ntitle: x", "---\ntitle: [x", "# "])
def test_a_long_file_comes_through(unit, head):
    text = head + unit * (LENGTH // len(unit.encode())) + "\n---\nend"
    for name in ("a.md", "a.txt"):
        parsed = parse_harmless(text.encode()[: 2**20], name=name)
        if name == "a.txt":
            assert parsed is not None
        if parsed is not None:
            detect_language(parsed.text)
            document = build_document(parsed, source=name)
            assert build_chunks(document, CHUNKING_PRESETS["default"])


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_file_that_ends_with_a_comment_comes_through(unit):
    text = "x " + unit * (LENGTH // len(unit.encode())) + " x -->"
    parsed = parse_harmless(text.encode()[: 2**20], name="a.md")
    assert parsed is None or parsed.text


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_record_comes_through(unit):
    text = "x" + unit * LENGTH + "y"
    (item,) = read_sources({"text": text})
    loaded = item.read()  # type: ignore[union-attr]
    assert isinstance(loaded, LoadedSource)
    assert loaded.parsed.text.startswith("x")


@given(st.text(st.sampled_from("ab \t\n\u00a0\r\x0c\x0b\u2028.")))
def test_tidy_cuts_the_ends_of_lines_as_the_pattern_says(text):
    lines = re.sub(r"\r\n?|[\x0b\x85\u2028]", "\n", text).replace("\x0c", "\n\n")
    without_ends = re.sub(r"[ \t\u00a0]+(?=\n)", "", lines + "\n")
    assert tidy(text) == re.sub(r"\n{3,}", "\n\n", without_ends).strip("\n").rstrip()
