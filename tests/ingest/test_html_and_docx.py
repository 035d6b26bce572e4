"""HTML and Word: structure kept, navigation dropped, properties read, damage reported."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import docx
import pytest

from clew.core.errors import ParseError
from clew.ingest.parsers import docx as docx_parser
from clew.ingest.parsers import html
from clew.ingest.parsers.html_markdown import markdown_of, parse_tree

PAGE = """<!doctype html><html lang="en-GB"><head><title>Acme report | Acme Ltd</title>
<meta name="author" content="Ann Lee"><meta property="article:published_time" content="2021-03-04T05:00:00Z">
<script>var hidden = 1;</script></head><body><h1>Acme report</h1>
<p>Acme was founded by   <b>Ann</b> Lee
in 1984.</p><ul><li>It makes tubes.<li>It is in Oslo.</ul><ol><li>one</li><li>two</li></ol>
<table><tr><th>Year</th><th>Sales</th></tr><tr><td>1984</td><td>12</td></tr></table>
<pre>x = 1
y  = 2</pre></body></html>"""


def test_a_page_without_navigation_is_taken_whole():
    parsed = html.parse(PAGE.encode(), name="a.html")
    assert parsed.text == (
        "# Acme report\n\nAcme was founded by Ann Lee in 1984.\n\n- It makes tubes.\n"
        "- It is in Oslo.\n\n1. one\n2. two\n\n| Year | Sales |\n| --- | --- |\n| 1984 | 12 |\n\n"
        "```\nx = 1\ny  = 2\n```"
    )
    assert parsed.title == "Acme report"
    assert parsed.authors == ("Ann Lee",)
    assert parsed.language == "en"
    assert parsed.published_at == datetime(2021, 3, 4, 5, tzinfo=UTC)


def test_navigation_is_left_out_of_a_long_page():
    paragraphs = "".join(
        f"<p>Sentence number {n} says that Acme bought the {n}th factory in the north.</p>"
        for n in range(12)
    )
    page = f"<html><body><nav><a href=x>Home</a><a href=y>Shop</a></nav><main><h1>News</h1>{paragraphs}</main><footer>Imprint</footer></body></html>"
    text = html.parse(page.encode(), name="a.html").text
    assert "the 11th factory" in text
    assert "Home" not in text
    assert "Imprint" not in text
    assert text.count("\n\n") >= 11


def test_a_short_page_with_navigation_keeps_its_structure():
    page = "<body><nav>Home</nav><h1>Short</h1><p>Only this.</p><ul><li>a</li></ul></body>"
    assert html.parse(page.encode(), name="a.html").text == "# Short\n\nOnly this.\n\n- a"


def test_declared_charset():
    page = '<html><head><meta charset="windows-1251"></head><body><p>Привет, мир</p></body></html>'
    assert html.parse(page.encode("cp1251"), name="a.html").text == "Привет, мир"


@pytest.mark.parametrize(
    "page", [b"<html><body></body></html>", b"<!-- x -->", b"<script>x</script>", b""]
)
def test_a_page_without_text_is_refused(page):
    with pytest.raises(ParseError) as caught:
        html.parse(page, name="a.html")
    assert caught.value.reason == "empty"


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 20_000 + "x",
        "<" * 100_000,
        "<a " * 100_000,
        "<table><tr><td>" * 3_000 + "x",
        "&#x0;&#xD800;x",
    ],
)
def test_hostile_markup_ends(page):
    tree = parse_tree(page)
    assert tree is None or isinstance(markdown_of(tree), str)


def test_nested_tables_become_cells():
    tree = parse_tree(
        "<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d|e</td></tr></table>"
    )
    assert markdown_of(tree) == "| a b c | d\\|e |\n| --- | --- |"


def word_file(*, body: bool = True) -> bytes:
    document = docx.Document()
    document.core_properties.title = "Annual report"
    document.core_properties.author = "Ann Lee; Bo Berg"
    document.core_properties.created = datetime(2022, 5, 6)  # noqa: DTZ001 - python-docx wants it
    if body:
        document.add_heading("Results", level=1)
        document.add_paragraph("Acme sold 12 tubes.")
        document.add_heading("Details", level=2)
        document.add_paragraph("first", style="List Bullet")
        document.add_paragraph("second", style="List Bullet")
        table = document.add_table(rows=2, cols=2)
        for row, cells in zip(table.rows, (("Year", "Sales"), ("1984", "12")), strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_word_document_becomes_markdown_with_properties():
    parsed = docx_parser.parse(word_file(), name="a.docx")
    assert parsed.text == (
        "# Results\n\nAcme sold 12 tubes.\n\n## Details\n\n- first\n- second\n\n"
        "| Year | Sales |\n| --- | --- |\n| 1984 | 12 |"
    )
    assert parsed.title == "Annual report"
    assert parsed.authors == ("Ann Lee", "Bo Berg")
    assert parsed.published_at == datetime(2022, 5, 6, tzinfo=UTC)


def repacked(data: bytes, changed: dict[str, bytes | None]) -> bytes:
    """Return the package with parts replaced or, where None, left out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = changed.get(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return buffer.getvalue()


DAMAGED = {
    "empty": (b"", "empty"),
    "no zip": (b"PK\x03\x04 nothing", "damaged"),
    "cut": (word_file()[:4000], "damaged"),
    "no body": (repacked(word_file(), {"word/document.xml": None}), "damaged"),
    "bad xml": (repacked(word_file(), {"word/document.xml": b"<w:document"}), "damaged"),
    "no text": (word_file(body=False), "empty"),
    "old format": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "unsupported"),
    "password": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"),
        "password",
    ),
}


@pytest.mark.parametrize("case", sorted(DAMAGED))
def test_damaged_word_files_fail_with_a_reason(case):
    data, reason = DAMAGED[case]
    with pytest.raises(ParseError) as caught:
        docx_parser.parse(data, name="a.docx")
    assert caught.value.reason == reason


def test_broken_core_properties_do_not_stop_the_text():
    for core in (b"<broken", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"):
        parsed = docx_parser.parse(
            repacked(word_file(), {"docProps/core.xml": core}), name="a.docx"
        )
        assert "Acme sold 12 tubes." in parsed.text
        assert parsed.title == "Results"


def test_a_package_that_unpacks_too_far_is_refused(monkeypatch):
    monkeypatch.setattr("clew.ingest.parsers.zip_members._LARGEST_PART", 100)
    with pytest.raises(ParseError) as caught:
        docx_parser.parse(word_file(), name="a.docx")
    assert caught.value.reason == "too-large"
