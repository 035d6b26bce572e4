"""Spreadsheets: values as people read them, merged cells, hidden sheets, sheets as pages, bombs."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime, time

import openpyxl
import pytest
from openpyxl.styles import Font

from clew.core.errors import ParseError
from clew.ingest.parsers import spreadsheet
from clew.ingest.parsers.registry import parse_bytes

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
ANN = '<table:table-cell office:value-type="string"><text:p>Ann</text:p></table:table-cell>'
FOUR = '<table:table-cell office:value-type="float" office:value="4"><text:p>4</text:p></table:table-cell>'


def saved(workbook: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def sales() -> openpyxl.Workbook:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "Sales"
    sheet["A1"] = "Annual sales"
    sheet.merge_cells("A1:D1")
    for row in (
        ["Region", "Year", "Sum", "When"],
        ["North", 2019, 12.5, date(2020, 1, 2)],
        [None, 2020, 0.1 + 0.2, datetime(2020, 1, 2, 3, 4)],  # noqa: DTZ001 - sheets have no zone
        ["So|uth", True, "a\nb", time(3, 4)],
    ):
        sheet.append(row)
    sheet.merge_cells("A3:A4")
    return workbook


SALES = (
    "## Sales\n\nAnnual sales\n\n| Region | Year | Sum | When |\n| --- | --- | --- | --- |\n"
    "| North | 2019 | 12.5 | 2020-01-02 |\n| North | 2020 | 0.3 | 2020-01-02 03:04:00 |\n"
    "| So\\|uth | TRUE | a b | 03:04:00 |"
)


def test_a_sheet_becomes_a_table():
    workbook = sales()
    workbook.properties.title = "Report"
    workbook.properties.creator = "Ann Lee; Bo Berg"
    workbook.properties.created = datetime(2021, 2, 3)  # noqa: DTZ001 - openpyxl wants it
    parsed = parse_bytes(saved(workbook), name="a.xlsx")
    assert parsed.text == SALES
    assert parsed.title == "Report"
    assert parsed.authors == ("Ann Lee", "Bo Berg")
    assert parsed.published_at == datetime(2021, 2, 3, tzinfo=UTC)
    assert parsed.warnings == ()


def test_sheets_are_pages_and_hidden_ones_are_named():
    workbook = sales()
    workbook.create_sheet("Blank")
    hidden = workbook.create_sheet("Secret")
    hidden.sheet_state = "hidden"
    hidden["C5"], hidden["D5"], hidden["C6"], hidden["D6"] = "x", "y", 1, 2
    parsed = parse_bytes(saved(workbook), name="a.xlsx")
    texts = {page.number: parsed.text[page.span.start : page.span.end] for page in parsed.pages}
    assert texts == {1: SALES, 3: "## Secret\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"}
    assert parsed.warnings == ("sheet 'Secret' is hidden in the workbook and was read",)
    assert parsed.authors == ()


def test_comments_and_charts_that_are_left_out_are_named():
    workbook = sales()
    workbook.active["A3"].comment = openpyxl.comments.Comment("look", "Ann")
    (warning,) = parse_bytes(saved(workbook), name="a.xlsx").warnings
    assert "comments" in warning


def test_a_workbook_is_read_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(spreadsheet, "MOST_CELLS", 8)
    monkeypatch.setattr(spreadsheet._Budget, "__init__", lambda self: setattr(self, "cells", 8))
    workbook = openpyxl.Workbook()
    for row in range(9):
        workbook.active.append([f"n{row}", "x"])
    parsed = parse_bytes(saved(workbook), name="a.xlsx")
    assert "n3" in parsed.text
    assert "n4" not in parsed.text
    assert "only the first 4 of 9 rows" in parsed.warnings[0]


def test_cells_far_apart_are_refused_before_memory_is_taken():
    workbook = openpyxl.Workbook()
    workbook.active["A1"], workbook.active["XFD1048576"] = "a", "b"
    with pytest.raises(ParseError, match="17179869184 cells") as caught:
        parse_bytes(saved(workbook), name="a.xlsx")
    assert caught.value.reason == "too-large"


def test_a_cell_that_is_only_formatted_takes_no_room():
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = "a"
    workbook.active["XFD1048576"].font = Font(bold=True)
    assert parse_bytes(saved(workbook), name="a.xlsx").text == "## Sheet\n\na"


def open_document(rows: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("META-INF/manifest.xml", "<manifest/>")
        package.writestr(
            "meta.xml",
            f'<office:document-meta xmlns:office="{OFFICE}"'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
            ' xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"><office:meta>'
            "<dc:title>People</dc:title><meta:initial-creator>Bo</meta:initial-creator>"
            "<meta:creation-date>2020-01-02</meta:creation-date></office:meta>"
            "</office:document-meta>",
        )
        package.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{OFFICE}"'
            ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
            ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="T">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return buffer.getvalue()


def test_an_open_document_sheet():
    filler = '<table:table-cell table:number-columns-repeated="16382"/>'
    rows = (
        f"<table:table-row>{ANN}{FOUR}{filler}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1048575">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    parsed = parse_bytes(open_document(rows), name="a.ods")
    assert parsed.text == "## T\n\n| Ann | 4 |\n| --- | --- |"
    assert (parsed.title, parsed.authors) == ("People", ("Bo",))
    assert parsed.published_at == datetime(2020, 1, 2, tzinfo=UTC)


def test_repeated_cells_are_counted_before_they_are_made():
    cell = ANN.replace(
        "<table:table-cell", '<table:table-cell table:number-columns-repeated="16000"'
    )
    rows = f'<table:table-row table:number-rows-repeated="1000000">{cell}</table:table-row>'
    with pytest.raises(ParseError, match="16000000000 cells") as caught:
        parse_bytes(open_document(rows), name="a.ods")
    assert caught.value.reason == "too-large"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 nothing", "damaged"),
        (saved(sales())[:3000], "damaged"),
        (saved(openpyxl.Workbook()), "empty"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "damaged"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "password",
        ),
    ],
)
@pytest.mark.parametrize("name", ["a.xlsx", "a.xls"])
def test_unreadable_workbooks_fail_with_a_reason(name, data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name=name)
    assert caught.value.reason == reason


def test_a_swollen_package_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/workbook.xml", b" " * 60 * 2**20)
    assert buffer.tell() < 100_000
    with pytest.raises(ParseError, match="60 MiB") as caught:
        parse_bytes(buffer.getvalue(), name="a.xlsx")
    assert caught.value.reason == "too-large"
