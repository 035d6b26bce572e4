"""Text recognition: only when asked for, pages kept, columns in order, the missing extra named."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from clew.core.errors import MissingExtraError, ParseError
from clew.ingest.parsers import text_recognition
from clew.ingest.parsers.ocr_layout import Box, in_reading_order
from clew.ingest.parsers.options import ParseOptions
from clew.ingest.parsers.registry import FileParser, parse_bytes
from clew.ingest.sources import LoadedSource, SourceFailure, SourceItem, read_sources

WITH_OCR = ParseOptions(ocr=True)
LINES = ("The company Acme was founded", "in Oslo in the year 1984.")


def drawn(lines=LINES) -> Image.Image:
    picture = Image.new("RGB", (900, 740), "white")
    pen = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        pen.text((30, 30 + 60 * row), line, fill="black", font=ImageFont.load_default(36))
    return picture


def encoded(picture: Image.Image, kind: str, **options) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def scanned(*, with_text: bool) -> bytes:
    """Return a PDF whose first page is typed, if `with_text`, and whose last page is a picture."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(450, 300))
    if with_text:
        canvas.drawString(72, 200, "A typed page.")
        canvas.showPage()
    canvas.drawImage(ImageReader(drawn()), 0, -70, width=450, height=370)
    canvas.save()
    return buffer.getvalue()


def test_a_scanned_page_is_named_when_ocr_is_off():
    parsed = parse_bytes(scanned(with_text=True), name="a.pdf")
    assert parsed.text == "A typed page."
    assert parsed.warnings == ("page 2 is an image without a text layer",)
    with pytest.raises(ParseError, match="--ocr") as caught:
        parse_bytes(scanned(with_text=False), name="a.pdf")
    assert caught.value.reason == "no-text-layer"


def test_a_scanned_page_is_read_when_ocr_is_on():
    parsed = parse_bytes(scanned(with_text=True), name="a.pdf", options=WITH_OCR)
    texts = {page.number: parsed.text[page.span.start : page.span.end] for page in parsed.pages}
    assert texts == {1: "A typed page.", 2: " ".join(LINES)}
    assert parsed.warnings == ("page 2 is an image and was read by OCR",)


def test_every_frame_of_a_picture_is_a_page():
    frames = [drawn(), Image.new("L", (200, 100), "white"), drawn(("Second page",))]
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    parsed = parse_bytes(data, name="a.tif", options=WITH_OCR)
    texts = {page.number: parsed.text[page.span.start : page.span.end] for page in parsed.pages}
    assert texts == {1: " ".join(LINES), 3: "Second page"}
    assert parsed.warnings[1] == "no text was found on page 2"


def test_a_transparent_picture_is_read_on_white():
    picture = drawn().convert("RGBA")
    picture.putalpha(picture.convert("L").point(lambda value: 255 - value))
    assert parse_bytes(encoded(picture, "PNG"), name="a.png", options=WITH_OCR).text == " ".join(
        LINES
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\x89PNG nothing", "damaged"),
        (encoded(drawn(), "PNG")[:500], "damaged"),
        (encoded(Image.new("RGB", (200, 100), "white"), "PNG"), "no-text-layer"),
        (encoded(Image.new("1", (20_000, 20_000)), "PNG"), "too-large"),
    ],
)
def test_pictures_that_cannot_be_read(data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.png", options=WITH_OCR)
    assert caught.value.reason == reason


def test_pictures_of_a_folder_are_skipped_unless_ocr_is_on(tmp_path):
    (tmp_path / "a.png").write_bytes(encoded(drawn(), "PNG"))
    (skipped,) = read_sources(tmp_path)
    assert isinstance(skipped, SourceFailure)
    assert skipped.outcome.value == "skipped"
    assert "--ocr" in skipped.message
    (item,) = read_sources(tmp_path, reader=FileParser(WITH_OCR))
    assert isinstance(item, SourceItem)
    loaded = item.read()
    assert isinstance(loaded, LoadedSource)
    assert loaded.parsed.text == " ".join(LINES)


def test_a_picture_that_is_named_says_how_it_could_be_read():
    with pytest.raises(ParseError, match="--ocr") as caught:
        parse_bytes(b"x", name="a.png")
    assert caught.value.reason == "unsupported"


def test_the_missing_extra_is_named(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name=name)

    text_recognition._engine.cache_clear()
    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'clew\[ocr\]'"):
        text_recognition.recognise(np.zeros((10, 10, 3), np.uint8))
    text_recognition._engine.cache_clear()


def box(text, left, top, width, height=10):
    return Box(text, left, top, left + width, top + height)


def order(boxes) -> str:
    return " ".join(each.text for each in in_reading_order(boxes))


def test_columns_are_read_one_after_the_other():
    left = [box(f"L{row}", 0, 40 + 15 * row, 200) for row in range(4)]
    right = [box(f"R{row}", 230, 40 + 15 * row, 200) for row in range(4)]
    mixed = [each for pair in zip(right, left, strict=True) for each in pair]
    title, foot = box("Title", 50, 0, 330, 20), box("Foot", 0, 130, 430)
    assert order([foot, *mixed, title]) == "Title L0 L1 L2 L3 R0 R1 R2 R3 Foot"


def test_a_table_is_read_row_by_row():
    cells = [
        box(f"{row}{column}", 100 * "abc".index(column), 20 * row + shift, 40)
        for row in range(4)
        for column, shift in (("c", 1), ("a", 2), ("b", 0))
    ]
    assert order(cells) == "0a 0b 0c 1a 1b 1c 2a 2b 2c 3a 3b 3c"


@pytest.mark.parametrize("turned", ["upwards", "downwards"])
def test_a_page_on_its_side_is_read_as_if_it_stood(turned):
    lengths = (("one", 200), ("two", 200), ("three", 80))
    boxes = [
        Box(text, 20.0 * row, 300 - length, 20.0 * row + 10, 300.0)
        if turned == "upwards"
        else Box(text, 100 - 20.0 * row, 0.0, 110 - 20.0 * row, float(length))
        for row, (text, length) in enumerate(lengths)
    ]
    assert order(boxes[::-1]) == "one two three"


def test_nothing_is_in_order_already():
    assert in_reading_order([]) == []


@pytest.mark.data("documents")
@pytest.mark.parametrize("name", ["ocr_test_rotated_90.pdf", "ocr_test_rotated_270.pdf"])
def test_a_scanned_page_on_its_side(data_folder, name):
    data = (data_folder / "documents" / "files" / name).read_bytes()
    assert parse_bytes(data, name=name, options=WITH_OCR).text == (
        "Docling bundles PDF document conversion to JSON and Markdown in an easy self contained "
        "package"
    )
