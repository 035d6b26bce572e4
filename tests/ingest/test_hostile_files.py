"""Damaged files of every kind: text or one ParseError, never anything else."""

from __future__ import annotations

import io
import zipfile

import docx
import openpyxl
import pptx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.registry import parse_bytes

REASONS = {"empty", "binary", "password", "damaged", "no-text-layer", "too-large", "unsupported"}
MARKDOWN = b"---\ntitle: T\nauthors: [A, B]\n---\n# Head\n\nText with **bold**.\n"
USED = {
    "[Content_Types].xml",
    "_rels/.rels",
    "word/document.xml",
    "word/_rels/document.xml.rels",
    "docProps/core.xml",
}
HTML = b"<html><head><title>T</title></head><body><nav>N</nav><h1>H</h1><p>Text.</p></body></html>"


def pdf_file() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=0)
    canvas.setTitle("T")
    canvas.drawString(72, 700, "Some text")
    canvas.save()
    return buffer.getvalue()


def word_parts() -> dict[str, bytes]:
    document = docx.Document()
    document.add_heading("Head", level=1)
    document.add_table(rows=1, cols=2).cell(0, 0).text = "cell"
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer) as package:
        return {name: package.read(name) for name in package.namelist() if name in USED}


PDF = pdf_file()
WORD = word_parts()
edits = st.lists(
    st.tuples(st.floats(0, 0.999), st.binary(max_size=6), st.integers(0, 12)),
    min_size=1,
    max_size=8,
)


def damaged(data: bytes, changes: list[tuple[float, bytes, int]]) -> bytes:
    """Return `data` with stretches replaced at relative places."""
    for place, inserted, removed in changes:
        at = int(place * len(data))
        data = data[:at] + inserted + data[at + removed :]
    return data


def outcome(data: bytes, name: str) -> ParsedText | ParseError:
    try:
        return parse_bytes(data, name=name)
    except ParseError as error:
        return error


def check(data: bytes, name: str) -> None:
    found = outcome(data, name)
    if isinstance(found, ParseError):
        assert found.reason in REASONS
        assert name in str(found)
    else:
        assert found.text.strip()


@pytest.mark.parametrize(
    ("name", "data"), [("a.pdf", PDF), ("a.html", HTML), ("a.md", MARKDOWN), ("a.txt", MARKDOWN)]
)
@given(changes=edits)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_files(name, data, changes):
    check(damaged(data, changes), name)


@given(part=st.sampled_from(sorted(WORD)), changes=edits)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_word_parts(part, changes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, content in WORD.items():
            package.writestr(name, damaged(content, changes) if name == part else content)
    check(buffer.getvalue(), "a.docx")


@pytest.mark.parametrize("encoding", ["U2F-8", "utf-7"])
def test_a_word_part_in_an_unknown_encoding_is_damage(encoding):
    body = WORD["word/document.xml"].replace(b"UTF-8", encoding.encode(), 1)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, content in WORD.items():
            package.writestr(name, body if name == "word/document.xml" else content)
    check(buffer.getvalue(), "a.docx")


EMAIL = (
    b"From: =?utf-8?q?A?= <a@b>\nSubject: =?iso-8859-1?b?YWI=?= x\nDate: Mon, 1 Jan 2024 10:00:00\n"
    b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; charset=utf-8\n"
    b"Content-Transfer-Encoding: quoted-printable\n\nHi=20there\n--x\nContent-Type: text/html\n"
    b"Content-Disposition: attachment; filename*=utf-8''f%20x.txt\n"
    b"Content-Transfer-Encoding: base64\n\nYWJj\n--x\nContent-Type: message/rfc822\n\nSubject: in\n"
    b"\ninner\n--x--\n"
)
JSON = b'{"a":[{"name":"x","v":[1,2,{"q":null}]}],"b":{"c":"d\\u00e9"},"m":[[1,2],["a","b"]]}'
XML = (
    b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE a [<!ENTITY x "y">]><a k="v"><b>t &x; <i>u</i>'
    b'</b><table><tr><td colspan="2">q</td></tr></table><c><d>1</d></c><c><d>2</d></c></a>'
)


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.eml", EMAIL), ("a.json", JSON), ("a.xml", XML), ("a.csv", b'a;"b\nc";d\n1;2,5;3\n')],
)
@given(changes=edits)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_texts_of_other_formats(name, data, changes):
    check(damaged(data, changes), name)


def parts_of(save) -> dict[str, bytes]:
    buffer = io.BytesIO()
    save(buffer)
    with zipfile.ZipFile(buffer) as package:
        return {name: package.read(name) for name in package.namelist()}


def sheet_parts() -> dict[str, bytes]:
    workbook = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2.5], ["x|y", True]):
        workbook.active.append(row)
    workbook.active.merge_cells("A2:A3")
    return parts_of(workbook.save)


def slide_parts() -> dict[str, bytes]:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "T", "a\nb"
    slide.shapes.add_table(2, 2, 0, 0, 9, 9).table.cell(0, 0).text = "c"
    slide.notes_slide.notes_text_frame.text = "note"
    return parts_of(presentation.save)


BOOK = {
    "META-INF/container.xml": b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    b'<rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>',
    "o/p.opf": b'<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a" '
    b'href="a.xhtml" media-type="text/html"/></manifest><spine><itemref idref="a"/></spine></package>',
    "o/a.xhtml": b"<html><body><h1>C</h1><p>text</p></body></html>",
}
PACKAGES = {"a.xlsx": sheet_parts(), "a.pptx": slide_parts(), "a.epub": BOOK}
READ_ENDS = (
    ".opf",
    ".xhtml",
    "container.xml",
    "notesSlide1.xml",
    "presentation.xml",
    "sheet1.xml",
    "slide1.xml",
    "styles.xml",
    "workbook.xml",
    "workbook.xml.rels",
)
READ_PARTS = [
    (name, part)
    for name, parts in PACKAGES.items()
    for part in sorted(parts)
    if part.endswith(READ_ENDS)
]


@given(chosen=st.sampled_from(READ_PARTS), changes=edits)
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_parts_of_packages(chosen, changes):
    name, damaged_part = chosen
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for part, content in PACKAGES[name].items():
            package.writestr(part, damaged(content, changes) if part == damaged_part else content)
    check(buffer.getvalue(), name)
