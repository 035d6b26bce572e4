"""EPUB: spine order, metadata, encodings, damaged and protected books."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from clew.core.errors import ParseError
from clew.ingest.parsers.registry import parse_bytes

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
PACKAGE = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><metadata>
<dc:title>The Book</dc:title><dc:language>en-GB</dc:language>
<dc:creator id="c1">Ann Lee</dc:creator><dc:creator opf:role="ill">Bo Berg</dc:creator>
<meta refines="#c1" property="role">aut</meta>
<dc:date opf:event="modification">2022-01-01</dc:date>
<dc:date opf:event="publication">2020-01-02</dc:date></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="b" href="text/b%20two.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml#start" media-type="application/xhtml+xml"/>
<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>
<item id="pic" href="pic.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="nav"/><itemref idref="a"/><itemref idref="b"/>SPINE</spine></package>"""
CHAPTERS = {
    "OPS/nav.xhtml": b"<html><body><nav>Contents</nav></body></html>",
    "OPS/a.xhtml": b"<html><head><title>x</title></head><body><h1>One</h1><p>First.</p></body></html>",
    "OPS/text/b two.xhtml": (
        '<?xml version="1.0" encoding="windows-1251"?><html><body><h1>Два</h1><table><tr>'
        "<th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
    ).encode("cp1251"),
}


def book(spine: str = "", changed: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    buffer = io.BytesIO()
    files = {
        "META-INF/container.xml": CONTAINER.encode(),
        "OPS/book.opf": PACKAGE.replace("SPINE", spine).encode(),
        **CHAPTERS,
        **changed,
    }
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        for name, content in files.items():
            package.writestr(name, content)
    return buffer.getvalue()


def test_chapters_in_the_order_of_the_spine():
    parsed = parse_bytes(book(), name="a.epub")
    assert parsed.text == ("# One\n\nFirst.\n\n# Два\n\n| a | b |\n| --- | --- |\n| 1 | 2 |")
    assert (parsed.title, parsed.authors, parsed.language) == ("The Book", ("Ann Lee",), "en")
    assert parsed.published_at == datetime(2020, 1, 2, tzinfo=UTC)
    assert parsed.warnings == ()


def test_what_is_missing_is_named():
    parsed = parse_bytes(book('<itemref idref="gone"/><itemref idref="pic"/>'), name="a.epub")
    assert parsed.text.startswith("# One")
    assert ["OPS/gone.xhtml" in each for each in parsed.warnings] == [True, False]
    assert "OPS/pic.svg" in parsed.warnings[1]


def test_a_protected_book_is_refused_and_scrambled_fonts_are_not():
    method = '<e xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptionMethod Algorithm="{}"/></e>'
    fonts = method.format("http://www.idpf.org/2008/embedding").encode()
    assert parse_bytes(book(changed={"META-INF/encryption.xml": fonts}), name="a.epub").text
    protected = method.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc").encode()
    with pytest.raises(ParseError, match="DRM") as caught:
        parse_bytes(book(changed={"META-INF/encryption.xml": protected}), name="a.epub")
    assert caught.value.reason == "password"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 nothing", "damaged"),
        (book(changed={"META-INF/container.xml": b"<container/>"}), "damaged"),
        (book(changed={"OPS/book.opf": b"nothing"}), "damaged"),
        (book(changed={"OPS/book.opf": b"<package/>"}), "empty"),
    ],
)
def test_unreadable_books_fail_with_a_reason(data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.epub")
    assert caught.value.reason == reason
