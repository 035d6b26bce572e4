"""Pipe tables: heads, empty rows and columns, long tables, spans; expectations written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.ingest.parsers.html_markdown import markdown_of, parse_tree
from clew.ingest.parsers.tables import grid_markdown, has_head, markdown_table


def test_empty_rows_and_columns_go_and_cells_are_escaped():
    rows = [["Name", "", " Age "], ["", " ", ""], ["A|b\nc", "", "4"], ["Bo"]]
    assert markdown_table(rows) == "| Name | Age |\n| --- | --- |\n| A\\|b c | 4 |\n| Bo |  |"


def test_a_table_of_nothing_is_nothing():
    assert markdown_table([["", " "], []]) == ""
    assert grid_markdown([]) == ""


def test_a_table_without_head_has_a_blank_one():
    assert markdown_table([["1", "2"]], head=False) == "|  |  |\n| --- | --- |\n| 1 | 2 |"


def test_a_long_table_repeats_its_head():
    rows = [["Name", "Figure"], *([f"Name {n}", "x" * 40] for n in range(100))]
    tables = markdown_table(rows).split("\n\n")
    assert len(tables) > 3
    assert all(table.startswith("| Name | Figure |\n| --- | --- |\n| Name ") for table in tables)
    assert max(map(len, tables)) <= 1000
    lines = [line for table in tables for line in table.split("\n")[2:]]
    assert lines == [f"| Name {n} | {'x' * 40} |" for n in range(100)]


cells = st.text(alphabet="ab|\n 1", max_size=6)


@given(st.lists(st.lists(cells, max_size=5), max_size=8))
def test_every_line_has_as_many_cells_as_the_head(rows):
    table = markdown_table(rows)
    counts = {line.replace("\\|", "").count("|") for line in table.split("\n") if line}
    assert len(counts) <= 1
    expected = sorted("".join(cell.split()) for row in rows for cell in row if cell.strip())
    found = [
        "".join(cell.split()).replace("\0", "|")
        for index, line in enumerate(table.replace("\\|", "\0").split("\n"))
        if line and index != 1
        for cell in line.split("|")
    ]
    assert sorted(cell for cell in found if cell) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["Name", "Age"], ["Ann", "40"]], True),
        ([["Ann", "40"], ["Bo", "41"]], False),
        ([["a", "part_of", "b"], ["c", "part_of", "d"]], False),
        ([["", "2019", "2020"], ["Sales", "5", "6"]], True),
        ([["Only a head"]], True),
    ],
)
def test_whether_the_first_row_is_a_head(rows, expected):
    assert has_head(rows) is expected


def test_a_sheet_has_titles_tables_and_notes():
    rows = [
        ["Sales by year", ""],
        ["Year", "Sum"],
        ["2019", "5"],
        ["", ""],
        ["Region", "Head"],
        ["North", "Ann"],
        ["Source: us", ""],
        [],
        ["one"],
        ["two"],
    ]
    assert grid_markdown(rows) == (
        "Sales by year\n\n| Year | Sum |\n| --- | --- |\n| 2019 | 5 |\n\n"
        "| Region | Head |\n| --- | --- |\n| North | Ann |\n\nSource: us\n\none\ntwo"
    )


def html_table(rows: str) -> str:
    tree = parse_tree(f"<table>{rows}</table>")
    assert tree is not None
    return markdown_of(tree)


def test_spanning_cells_stand_wherever_they_reach():
    table = html_table(
        "<tr><th rowspan=2>Region<th colspan=2>2019</tr><tr><th>Q1<th>Q2</tr>"
        "<tr><td>North<td>1<td>2</tr>"
    )
    assert table == (
        "| Region | 2019 | 2019 |\n| --- | --- | --- |\n| Region | Q1 | Q2 |\n| North | 1 | 2 |"
    )


def test_a_table_of_a_page_has_a_head_where_the_page_or_its_cells_say_so():
    rows = "<tr><td>b<td>2</tr><tr><td>b<td>3</tr>"
    assert html_table(rows) == "|  |  |\n| --- | --- |\n| b | 2 |\n| b | 3 |"
    assert html_table(f"<tr><th>b<th>n</tr>{rows}").startswith("| b | n |\n| --- | --- |\n| b |")


def test_a_cell_that_fills_its_row_stands_once():
    table = html_table("<tr><td>a<td>b</tr><tr><td colspan=2>note</tr>")
    assert table == "| a | b |\n| --- | --- |\n| note |  |"


@pytest.mark.parametrize("span", ["", "x", "-3", "0", "9" * 5000])
def test_a_span_that_makes_no_sense_is_one(span):
    table = html_table(f"<tr><td colspan='{span}'>a<td>b</tr><tr><td>c<td>d</tr>")
    assert table == "| a | b |\n| --- | --- |\n| c | d |"


def test_spans_cannot_make_a_huge_table():
    rows = "<tr><td rowspan=65534 colspan=10000>a<td>b</tr>" + "<tr></tr>" * 10_000
    assert len(html_table(rows)) < 5_000_000
