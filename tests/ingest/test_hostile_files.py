"""Damaged files of every kind: text or one ParseError, never anything else."""

from __future__ import annotations

import io
import zipfile

import docx
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
