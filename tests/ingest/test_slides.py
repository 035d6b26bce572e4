"""Presentations: headings, reading order, lists, tables, charts, notes, slides as pages."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from clew.core.errors import ParseError
from clew.ingest.parsers.registry import parse_bytes
from tests.ingest.test_html_and_docx import repacked

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6


def saved(presentation) -> bytes:
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


def add_slide(presentation, layout, title=None):
    slide = presentation.slides.add_slide(presentation.slide_layouts[layout])
    if title is not None:
        slide.shapes.title.text = title
    return slide


def add_text(slide, text, *, left, top):
    slide.shapes.add_textbox(Cm(left), Cm(top), Cm(3), Cm(1)).text_frame.text = text


def pages(data: bytes) -> dict[int, str]:
    parsed = parse_bytes(data, name="a.pptx")
    return {page.number: parsed.text[page.span.start : page.span.end] for page in parsed.pages}


def test_title_list_and_notes():
    presentation = pptx.Presentation()
    slide = add_slide(presentation, TITLE_AND_CONTENT, "Plan\nfor 2020")
    frame = slide.placeholders[1].text_frame
    frame.text = "first"
    inner = frame.add_paragraph()
    inner.text, inner.level = "inner", 1
    frame.add_paragraph().text = "second"
    slide.notes_slide.notes_text_frame.text = "Say hello."
    presentation.core_properties.author = "Ann Lee"
    presentation.core_properties.title = "PowerPoint Presentation"
    presentation.core_properties.created = datetime(2021, 2, 3)  # noqa: DTZ001 - python-pptx wants it
    parsed = parse_bytes(saved(presentation), name="a.pptx")
    assert parsed.text == ("## Plan for 2020\n\n- first\n  - inner\n- second\n\nNotes: Say hello.")
    assert parsed.title == "Plan for 2020"
    assert parsed.authors == ("Ann Lee",)
    assert parsed.published_at == datetime(2021, 2, 3, tzinfo=UTC)


def test_shapes_are_read_by_their_places_not_their_order():
    presentation = pptx.Presentation()
    slide = add_slide(presentation, TITLE_ONLY, "Top")
    add_text(slide, "below", left=1, top=12)
    add_text(slide, "right", left=15, top=6.2)
    add_text(slide, "left", left=1, top=6.4)
    group = slide.shapes.add_group_shape()
    for text, left in (("g2", 9), ("g1", 5)):
        group.shapes.add_textbox(Cm(left), Cm(9), Cm(2), Cm(1)).text_frame.text = text
    assert pages(saved(presentation)) == {1: "## Top\n\nleft\n\nright\n\ng1\n\ng2\n\nbelow"}


def test_merged_cells_and_charts_are_tables():
    presentation = pptx.Presentation()
    slide = add_slide(presentation, BLANK)
    table = slide.shapes.add_table(3, 3, Cm(1), Cm(1), Cm(9), Cm(3)).table
    texts = (("Region", "2019", ""), ("", "Q1", "Q2"), ("North", "1", "2|3"))
    for row, cells in zip(table.rows, texts, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    figures = CategoryChartData()
    figures.categories = ["East", "West"]
    figures.add_series("Sales", (1, 2.5))
    figures.add_series("Costs", (0.1 + 0.2, None))
    slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Cm(1), Cm(8), Cm(9), Cm(5), figures)
    assert pages(saved(presentation)) == {
        1: "## Slide 1\n\n| Region | 2019 | 2019 |\n| --- | --- | --- |\n| Region | Q1 | Q2 |\n"
        "| North | 1 | 2\\|3 |\n\n|  | Sales | Costs |\n| --- | --- | --- |\n| East | 1 | 0.3 |\n"
        "| West | 2.5 |  |"
    }


def test_slides_without_text_and_hidden_ones_are_named():
    presentation = pptx.Presentation()
    add_slide(presentation, BLANK)
    add_slide(presentation, TITLE_ONLY, "Shown").element.set("show", "0")
    data = saved(presentation)
    assert pages(data) == {2: "## Shown"}
    assert parse_bytes(data, name="a.pptx").warnings == (
        "slide 1 holds no text",
        "slide 2 is hidden in the presentation and was read",
    )


def test_a_damaged_part_does_not_stop_the_rest():
    presentation = pptx.Presentation()
    slide = add_slide(presentation, TITLE_ONLY, "Kept")
    figures = CategoryChartData()
    figures.categories = ["East"]
    figures.add_series("Sales", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Cm(1), Cm(8), Cm(9), Cm(5), figures)
    data = saved(presentation)
    chart = next(name for name in parts(data) if name.startswith("ppt/charts/chart"))
    broken = repacked(data, {chart: parts(data)[chart].replace(b"<c:ser>", b"<c:bad>")})
    with pytest.raises(ParseError) as caught:
        parse_bytes(broken, name="a.pptx")
    assert caught.value.reason == "damaged"
    odd = parts(data)[chart].replace(b'idx="0"', b'idx="x"')
    assert pages(repacked(data, {chart: odd}))[1].startswith("## Kept\n\n|  | Sales |")


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return {name: package.read(name) for name in package.namelist()}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 nothing", "damaged"),
        (saved(pptx.Presentation()), "empty"),
        (repacked(saved(pptx.Presentation()), {"ppt/presentation.xml": b"<p:pres"}), "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "unsupported"),
    ],
)
def test_unreadable_presentations_fail_with_a_reason(data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.pptx")
    assert caught.value.reason == reason
