"""Reading order and letters of PDFs that are written against the grain, on files made here."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from clew.ingest.parsers import pdf
from clew.ingest.parsers.ligatures import mend_ligatures, restore_order
from clew.ingest.parsers.page_lists import page_list

WIDTH, HEIGHT = A4
LONG = "at the long end of the row"
ROWS = [("one", "red", "left"), ("two", "green", "right"), ("three", "blue", LONG)]


def list_of(edges: Sequence[float], *, row_rules: bool = False, tall: bool = True) -> str:
    """Return the text of a page of cells, written row by row, between rules at inner edges."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.drawString(edges[0] + 4, HEIGHT - 60, "Heading over all")
    for edge in edges[1:-1]:
        canvas.line(edge, HEIGHT - 80 if tall else 600, edge, 100 if tall else 700)
    for number, row in enumerate(ROWS):
        y = HEIGHT - 100 - 40 * number
        for edge, cell in zip(edges, row, strict=False):
            canvas.drawString(edge + 4, y, f"{cell} {number}")
        if row_rules:
            canvas.line(edges[0], y - 20, edges[-1], y - 20)
    canvas.drawString(edges[0] + 4, 60, "Foot under all")
    canvas.save()
    return " ".join(pdf.parse(buffer.getvalue(), name="a.pdf").text.replace("#", "").split())


THIRDS = [0.0, WIDTH / 3, 2 * WIDTH / 3, WIDTH]
BY_ROW = f"one 0 red 0 left 0 two 1 green 1 right 1 three 2 blue 2 {LONG} 2"
BY_COLUMN = f"one 0 two 1 three 2 red 0 green 1 blue 2 left 0 right 1 {LONG} 2"


def test_a_list_in_ruled_columns_is_read_column_by_column():
    assert list_of(THIRDS) == f"Heading over all {BY_COLUMN} Foot under all"


@pytest.mark.parametrize(
    ("edges", "options"),
    [
        ([0.0, 150.0, 450.0, WIDTH], {}),
        (THIRDS, {"row_rules": True}),
        (THIRDS, {"tall": False}),
    ],
)
def test_the_rows_of_a_table_stay_whole(edges, options):
    assert list_of(edges, **options) == f"Heading over all {BY_ROW} Foot under all"


def test_a_page_of_many_strokes_is_a_drawing_and_read_as_written():
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for number in range(2_500):
        canvas.line(WIDTH / 2, 50, WIDTH / 2, HEIGHT - 50 - number / 100)
    canvas.drawString(50, 500, "left")
    canvas.drawString(350, 500, "right")
    canvas.save()
    assert pdf.parse(buffer.getvalue(), name="a.pdf").text == "left right"


def test_ligatures_without_a_name_are_spelt_out():
    """Written by TeX: effort, difficult, baffled, off; a key and a zero elsewhere stay."""
    text = "e\u21b5ort di\0cult ba\0ed o\u21b5. press \u21b5 x\0 \0y"
    assert "".join(mend_ligatures(list(text))) == (
        "effort difficult baffled off. press \u21b5 x\0 \0y"
    )
    alone = list("e\0cient")
    assert mend_ligatures(alone) == alone


def test_the_letters_of_a_turned_ligature_are_turned_back():
    """Kala: kaf, alef, then lam-alef as one glyph, which PDFium gives as alef, lam; then yeh."""
    turned = list("\u06a9\u0627\u0627\u0644\u06cc ab")
    places = [(1.0,), (2.0,), (3.0,), (3.0,), (4.0,), (5.0,), (6.0,), (6.0,)]
    right = "\u06a9\u0627\u0644\u0627\u06cc ab"
    assert "".join(restore_order(turned, places.__getitem__)) == right


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([4], "page 4"),
        ([1, 2], "pages 1-2"),
        ([1, 3], "pages 1, 3"),
        ([1, 2, 3, 7, 9, 10], "pages 1-3, 7, 9-10"),
    ],
)
def test_pages_are_listed_as_ranges(numbers, said):
    assert page_list(numbers) == said
