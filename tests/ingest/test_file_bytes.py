"""Bytes without a path: standard input and pages."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from clew.core.errors import IngestError
from clew.core.inputs import FileBytes
from clew.ingest.sources import LoadedSource, SourceFailure, SourceItem, read_sources

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"


def read(name: str, data: bytes, format: str | None = None) -> list[LoadedSource | SourceFailure]:
    items = read_sources(FileBytes(name, data, format))
    return [item.read() if isinstance(item, SourceItem) else item for item in items]


def one(name: str, data: bytes, format: str | None = None) -> LoadedSource:
    (loaded,) = read(name, data, format)
    assert isinstance(loaded, LoadedSource), loaded
    return loaded


@pytest.mark.parametrize("format", ["md", ".md", "MD"])
def test_a_format_is_a_suffix(format):
    loaded = one("notes", b"---\ntitle: T\n---\nText.", format)
    assert (loaded.source, loaded.parsed.title, loaded.parsed.text) == ("notes", "T", "Text.")


def test_the_format_goes_before_the_name_and_that_before_the_content():
    page = b"<html><head><title>T</title></head><body><p>Text.</p></body></html>"
    assert one("x.txt", page, "html").parsed.text == "Text."
    assert one("x.txt", page).parsed.text == page.decode()
    assert one("x", page).parsed.text == "Text."


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("castellan-holdings.pdf", "Castellan"),
        ("dorrance-shipyard.docx", "Dorrance"),
        ("hollis-institute.html", "Hollis"),
    ],
)
def test_binary_formats_show_in_the_content(file, words):
    loaded = one("stdin:1", (EXAMPLES / file).read_bytes())
    assert words in loaded.parsed.text
    assert "<" not in loaded.parsed.text[:50]


def test_text_without_a_heading_is_called_by_its_first_words():
    assert one("key", b"Some words.").fields.title == "Some words."
    assert one("key", b"# Head\n\nWords.", "md").fields.title is None
    assert one("http://x/page", b"Some words.").fields.title is None


@pytest.mark.parametrize("format", ["jsonl", "jsonl.gz", None])
def test_records_are_read_one_by_one_plain_or_packed(format):
    data = b'{"id": 1, "text": "one"}\n{broken\n'
    packed = gzip.compress(data) if format == "jsonl.gz" else data
    name = "r.ndjson" if format is None else "r"
    good, bad = read(name, packed, format)
    assert isinstance(good, LoadedSource)
    assert isinstance(bad, SourceFailure)
    assert (good.source, good.parsed.text) == (f"{name}#1", "one")
    assert (bad.source, bad.reason) == (f"{name}:2", "bad-json")


def failure(name: str, data: bytes, format: str | None = None) -> SourceFailure:
    (failed,) = read(name, data, format)
    assert isinstance(failed, SourceFailure)
    return failed


def test_what_cannot_be_read_fails_with_its_reason():
    unknown = failure("x", b"a", "xyz")
    assert (unknown.source, unknown.reason) == ("x", "unsupported")
    assert ".md" in unknown.message
    assert failure("x", b"").reason == "empty"
    with pytest.raises(IngestError, match="name"):
        read(" ", b"a")


@pytest.mark.parametrize(
    "name", ["http://x.org/", "http://x.org", "http://x.org/a.b/", "x.txt", "."]
)
def test_the_format_holds_whatever_the_name_looks_like(name):
    page = b"<html><body><p>Text.</p></body></html>"
    assert one(name, page, "html").parsed.text == "Text."
