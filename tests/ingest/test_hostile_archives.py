"""Files made to exhaust memory, time or trust, read as `clew add` reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.isolation.limits import ParseLimits
from clew.ingest.isolation.reader import IsolatedReader
from tests.ingest.hostile_archives import (
    body_of,
    bomb,
    laughs,
    lies_about_its_size,
    page_of,
    paragraph,
    reads_a_file,
    word_with,
)

CIRCLE = b"""%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[2 0 R]/Count 1>> endobj
trailer <</Root 1 0 R>>
"""
CELL = f"<w:tc>{paragraph('1')}</w:tc>"


@pytest.fixture(scope="module")
def reader() -> Iterator[IsolatedReader]:
    with IsolatedReader(ParseLimits(seconds=120.0, megabytes=1024)) as opened:
        yield opened


def read(reader: IsolatedReader, name: str, data: bytes) -> ParsedText | ParseError:
    try:
        return reader.parse(data, name=name)
    except ParseError as error:
        return error


@pytest.mark.parametrize(
    ("name", "make", "reasons"),
    [
        ("laughs.docx", laughs, {"damaged"}),
        ("lies.docx", lies_about_its_size, {"damaged"}),
        ("bomb.docx", bomb, {"too-large"}),
        (
            "deep.docx",
            lambda: word_with(body_of("<w:p>" * 20_000 + "</w:p>" * 20_000)),
            {"damaged"},
        ),
        (
            "tables.docx",
            lambda: word_with(
                body_of("<w:tbl><w:tr><w:tc>" * 3_000 + "</w:tc></w:tr></w:tbl>" * 3_000)
            ),
            {"damaged"},
        ),
        ("open.pdf", lambda: b"%PDF-1.4\n1 0 obj\n" + b"[" * 200_000, {"damaged"}),
        ("loop.pdf", lambda: CIRCLE, {"damaged", "no-text-layer"}),
        ("zeros.txt", lambda: bytes(2**20), {"binary"}),
        ("deep.html", lambda: b"<div>" * 100_000 + b"text", {"empty"}),
    ],
)
def test_what_does_harm_fails_with_one_reason(reader, name, make, reasons):
    found = read(reader, name, make())
    assert isinstance(found, ParseError)
    assert found.reason in reasons
    assert str(found).startswith(f"{name}: ")


def test_a_balloon_of_memory_fails_its_file():
    """A hundred million characters of Latin-1, on 256 MiB."""
    with IsolatedReader(ParseLimits(megabytes=256)) as small:
        found = read(small, "long.txt", "Olá, um texto. ".encode("latin-1") * 7_000_000)
        assert isinstance(found, ParseError)
        assert found.reason == "memory"
        assert small.parse(b"<p>short</p>", name="short.html").text == "short"


@pytest.mark.parametrize(("unit", "times"), [(b" ", 600_000_000), (b"q ", 5_000_000)])
def test_a_page_that_unpacks_to_more_than_fits_fails_its_file(unit, times):
    """The library aborts where it gets no memory, and takes its process along."""
    content = unit * times
    assert len(page_of(content)) < 20_000
    with IsolatedReader(ParseLimits(megabytes=256)) as small:
        found = read(small, "swollen.pdf", page_of(content))
        assert isinstance(found, ParseError)
        assert found.reason in {"crashed", "memory"}
        page = page_of(b"BT /F 12 Tf 72 300 Td (short) Tj ET")
        assert small.parse(page, name="short.pdf").text == "short"


@pytest.mark.parametrize("name", ["noise.txt", "noise.pdf", "noise.docx", "noise.html", "noise.md"])
def test_200_mb_of_noise_are_no_document(tmp_path, name):
    path = tmp_path / name
    block = os.urandom(2**20)
    with path.open("wb") as file:
        for _ in range(200):
            file.write(block)
    with IsolatedReader() as reader, pytest.raises(ParseError) as caught:
        reader.read(path, name=path.as_posix())
    assert caught.value.reason in {"binary", "damaged"}


def test_an_external_entity_is_not_read(reader, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("top secret", encoding="utf-8")
    word = read(reader, "out.docx", reads_a_file(secret.as_posix()))
    page = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY out SYSTEM "file://{secret}">]>'
        "<html><body><p>before &out; after</p></body></html>"
    )
    html = read(reader, "out.xhtml", page.encode())
    for found in (word, html):
        assert isinstance(found, ParsedText)
        assert "before" in found.text
        assert "secret" not in found.text.replace(secret.as_posix(), "")


def test_a_huge_table_stays_a_table(reader):
    row = "<tr>" + "<td>7</td>" * 10 + "</tr>"
    found = read(reader, "table.html", f"<table>{row * 5_000}</table>".encode())
    assert isinstance(found, ParsedText)
    assert found.text.splitlines()[-1] == "|" + " 7 |" * 10
    assert found.text.count("7") == 50_000
    word = read(
        reader, "t.docx", word_with(body_of(f"<w:tbl>{f'<w:tr>{CELL * 5}</w:tr>' * 200}</w:tbl>"))
    )
    assert isinstance(word, ParsedText)
    assert word.text.count("1") == 1_000


def test_what_is_nested_too_deeply_is_said(reader):
    page = "<p>before</p>" + "<b>" * 5_000 + "lost" + "</b>" * 5_000 + "<p>after</p>"
    found = read(reader, "deep.html", page.encode())
    assert isinstance(found, ParsedText)
    assert "before" in found.text
    assert any("nested too deeply" in warning for warning in found.warnings)


def test_a_short_text_of_odd_bytes_is_still_text(reader):
    colours = "\x1b[31mred\x1b[0m text\n" * 10
    assert read(reader, "a.log", colours.encode()).text.startswith("[31mred")  # type: ignore[union-attr]
