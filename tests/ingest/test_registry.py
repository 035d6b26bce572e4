"""Choosing the parser: by suffix, by content where the suffix lies, loaded only when needed."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import pytest
from reportlab.pdfgen.canvas import Canvas

from clew.core.errors import ParseError
from clew.ingest.parsers.registry import PARSER_MODULES, FileParser, is_known, parse_bytes


def pdf_saying(text: str) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 700, text)
    canvas.save()
    return buffer.getvalue()


def test_suffix_decides_in_any_case():
    assert parse_bytes(b"# Head\n\ntext", name="A.MD").title == "Head"
    assert parse_bytes(b"# Head\n\ntext", name="a.txt").title is None


def test_content_decides_where_the_suffix_lies():
    assert parse_bytes(pdf_saying("I am a PDF"), name="a.txt").text == "I am a PDF"
    assert parse_bytes(b"<!DOCTYPE html><p>A page</p>", name="a.pdf").text == "A page"
    assert parse_bytes(b"A text on %PDF-1.4 files", name="a.txt").text == "A text on %PDF-1.4 files"


def test_unknown_suffix_names_the_known_ones():
    for name in ("a.xyz", "README"):
        with pytest.raises(ParseError, match=r"\.docx.*\.pdf") as caught:
            parse_bytes(b"x", name=name)
        assert caught.value.reason == "unsupported"


def test_another_zip_is_not_a_word_file():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("a.txt", "x")
    with pytest.raises(ParseError) as caught:
        parse_bytes(buffer.getvalue(), name="a.docx")
    assert caught.value.reason == "damaged"


def test_the_port():
    parser = FileParser()
    assert parser.suffixes == frozenset(PARSER_MODULES)
    assert parser.parse(b"x", name="a.txt").text == "x"
    assert is_known("dir/A.Pdf")
    assert not is_known("dir/pdf")


def test_heavy_libraries_load_only_with_their_format():
    code = (
        "import sys, clew.ingest.sources, clew.ingest.parsers.registry\n"
        "heavy = {'trafilatura', 'mammoth', 'pypdfium2', 'lxml', 'py3langid', 'charset_normalizer'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
