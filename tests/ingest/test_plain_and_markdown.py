"""Plain text and Markdown: encodings, byte order marks, zero bytes and front matter."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clew.core.errors import ParseError
from clew.ingest.headings import first_heading
from clew.ingest.parsers import markdown, plain
from clew.ingest.parsers.decoding import decode
from clew.ingest.whitespace import tidy

GREETING = "Grüße aus Köln, São Paulo und Kraków. Přátelé se sešli."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"]
)
def test_unicode_encodings_with_and_without_mark(encoding):
    parsed = plain.parse(GREETING.encode(encoding), name="a.txt")
    assert parsed.text == GREETING
    assert parsed.warnings == ()


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "L'été dernier, la forêt était déjà brûlée; où êtes-vous allés après Noël?"),
        ("cp1252", "A ação não foi concluída. O coração da nação é São Paulo."),
        ("cp1252", "He said \u201chello\u201d \u2013 it\u2019s fine, and the others agreed with it."),
        ("cp1250", "Łódź jest miastem w Polsce, które się zmienia; żyją w nim różni ludzie."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy a nikdo ho neslyšel."),
        ("cp1254", "Şimdi İstanbul'da güneş doğdu, çocuklar öğrendi."),
        ("cp1251", "Привет, мир. Это проверка кодировки текста."),
        ("koi8-r", "Привет, мир. Это проверка кодировки текста."),
        ("shift_jis", "今日は良い天気です。明日は雨です。"),
        ("gb18030", "今天天气很好。明天会下雨。我们去北京。"),
    ],
)  # fmt: skip
def test_legacy_encoding_is_detected(encoding, text):
    assert plain.parse(f"{text} {text}".encode(encoding), name="a.txt").text == f"{text} {text}"


def test_declared_encoding_is_taken_where_utf8_fails():
    assert decode("Приве́т мир".encode(), name="x", declared="koi8-r").encoding == "utf-8"
    assert decode("Привет".encode("koi8-r"), name="x", declared="koi8-r").text == "Привет"
    assert decode("é".encode("cp1252"), name="x", declared="no-such-code").text


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "empty"), (b" \n\t ", "empty"), (bytes(range(256)) * 4 + b"\0" * 400, "binary")],
)
def test_what_is_no_text_is_refused(data, reason):
    with pytest.raises(ParseError) as caught:
        plain.parse(data, name="dir/a.txt")
    assert caught.value.reason == reason
    assert "dir/a.txt" in str(caught.value)


def test_stray_zeros_and_broken_bytes_are_named():
    parsed = plain.parse(b"one\0 two" + b" and more text" * 50, name="a.txt")
    assert parsed.text.startswith("one two and")
    assert parsed.warnings == ("1 zero characters were left out",)


def test_tidy_keeps_paragraphs_and_removes_what_no_store_takes():
    assert tidy("a  \r\nb\r\r\r\nc\x0cd\x07\ud800") == "a\nb\n\nc\n\nd\ufffd"
    assert tidy("\n\n  indented\n") == "  indented"


FRONT = """---
title: "The Great Fire"
authors:
  - Ann Lee
  - Bo Berg
date: 2021-03-04
lang: en
---

# Heading

Text.
"""


def test_front_matter_becomes_fields_and_leaves_the_text():
    parsed = markdown.parse(FRONT.encode(), name="a.md")
    assert parsed.text == "# Heading\n\nText."
    assert parsed.title == "The Great Fire"
    assert parsed.authors == ("Ann Lee", "Bo Berg")
    assert parsed.published_at == datetime(2021, 3, 4, tzinfo=UTC)
    assert parsed.language == "en"


def test_toml_front_matter_and_inline_lists():
    toml = markdown.parse(
        b'+++\ntitle = "T"\nauthors = ["A", "B"]\ndate = 2020-01-02\n+++\nx', name="a.md"
    )
    assert (toml.title, toml.authors, toml.text) == ("T", ("A", "B"), "x")
    assert toml.published_at == datetime(2020, 1, 2, tzinfo=UTC)
    yaml = markdown.parse(b"---\nauthor: [A, 'B C']\n---\nx", name="a.md")
    assert yaml.authors == ("A", "B C")


def test_the_rest_of_the_front_matter_is_metadata_in_its_types():
    parsed = markdown.parse(
        b"---\nTitle: 1984\nauthority: 0.8\nYear: 2024\nshare: 1.5\nversion: 1.10\n"
        b"code: '007'\nzip: 0123\ndraft: false\nsigned: 2024-05-31\ntags: [a, 1]\n"
        b"summary: >\n  folded\nowner: Ann # ours\n---\nx",
        name="a.md",
    )
    assert (parsed.title, parsed.authority) == ("1984", 0.8)
    assert parsed.metadata == {
        "Year": 2024,
        "share": 1.5,
        "version": "1.10",
        "code": "007",
        "zip": "0123",
        "draft": False,
        "signed": "2024-05-31",
        "tags": ["a", "1"],
        "owner": "Ann",
    }
    toml = markdown.parse(
        b"+++\nyear = 2024\nsigned = 2024-05-31\ntags = [1]\n[nested]\na = 1\n+++\nx", name="a.md"
    )
    assert toml.metadata == {"year": 2024, "signed": "2024-05-31", "tags": ["1"]}


def test_fields_of_the_front_matter_that_make_no_sense_are_named():
    parsed = markdown.parse(b"---\ndate: last spring\nauthority: high\n---\nx", name="a.md")
    assert (parsed.published_at, parsed.authority, parsed.metadata) == (None, None, {})
    date, authority = parsed.warnings
    assert "'last spring' is not a date" in date
    assert "authority is 'high'" in authority


@pytest.mark.parametrize(
    "text", ["---\n\nA rule above.\n\n---\n\nMore.", "---\ntitle: open", "+++\n= bad\n+++\nx"]
)
def test_what_is_no_front_matter_stays_in_the_text(text):
    assert markdown.parse(text.encode(), name="a.md").text == text


def test_only_front_matter_is_empty():
    with pytest.raises(ParseError) as caught:
        markdown.parse(b"---\ntitle: x\n---\n", name="a.md")
    assert caught.value.reason == "empty"


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("intro\n\n## The *big* [link](http://x) ##\ntext", "The big link"),
        ("Title\n=====\n\n# Later", "Title"),
        ("```\n# comment\n```\n# Real", "Real"),
        ("#hashtag\nno heading", None),
        ("", None),
    ],
)
def test_first_heading(text, heading):
    assert first_heading(text) == heading


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("one <!-- two\nthree --> four", "one  four"),
        ("`<!-- code -->`", "`<!-- code -->`"),
        ("```\n<!-- code -->\n```\n<!-- gone -->", "```\n<!-- code -->\n```"),
        ("one <!-- never ends", "one <!-- never ends"),
        ("one --> two <!-- three", "one --> two <!-- three"),
    ],
)
def test_comments_of_markdown_are_left_out_unless_they_are_code(written, read):
    assert markdown.parse(written.encode(), name="a.md").text == read
