"""CSV and TSV: delimiter, encoding, quotes, heads and limits."""

from __future__ import annotations

import pytest

from clew.core.errors import ParseError
from clew.ingest.parsers import separated
from clew.ingest.parsers.registry import parse_bytes

TABLE = "| Name | Wert |\n| --- | --- |\n| Müller | 1,5 |\n| Ott\\|o | 2,5 |"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Name;Wert\r\nMüller;1,5\r\nOtt|o;2,5\r\n", "utf-8-sig"),
        ("Name;Wert\nMüller;1,5\n\nOtt|o;2,5", "cp1252"),
        ("Name\tWert\nMüller\t1,5\nOtt|o\t2,5\n", "utf-16"),
        ('Name,Wert\n"Müller","1,5"\n"Ott|o","2,5"\n', "utf-8"),
        ("sep=;\nName;Wert\nMüller;1,5\nOtt|o;2,5\n", "utf-8"),
    ],
)
def test_delimiter_and_encoding_are_found(text, encoding):
    assert parse_bytes(text.encode(encoding), name="a.csv").text == TABLE


def test_decimal_commas_are_no_delimiter():
    assert separated.find_delimiter("x;1,5\ny;2,5\n") == ";"


def test_tabs_win_in_a_tsv():
    text = "a, b, c\t1\nd, e, f\t2\n"
    assert parse_bytes(text.encode(), name="a.tsv").text.splitlines()[2:] == [
        "| a, b, c | 1 |",
        "| d, e, f | 2 |",
    ]


def test_a_cell_may_hold_lines_and_delimiters():
    parsed = parse_bytes(b'Id,Text\n1,"a, ""b""\nc"\n', name="a.csv")
    assert parsed.text == '| Id | Text |\n| --- | --- |\n| 1 | a, "b" c |'


def test_one_column_is_a_list():
    assert parse_bytes(b"Oslo\nRome\nParis\n", name="a.csv").text == "Oslo\nRome\nParis"


def test_quotes_that_never_close_lose_nothing():
    rows = "".join(f"{n},value {n}\n" for n in range(20_000))
    parsed = parse_bytes(f'id,"text\n{rows}'.encode(), name="a.csv")
    assert "| 19999 | value 19999 |" in parsed.text
    assert "quotes do not match" in parsed.warnings[0]


def test_a_huge_table_is_cut_with_a_warning(monkeypatch):
    monkeypatch.setattr(separated, "MOST_CELLS", 6)
    parsed = parse_bytes(b"a,b\n1,2\n3,4\n5,6\n", name="a.csv")
    assert parsed.text == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    assert "only the first 3 rows" in parsed.warnings[0]


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "empty"), (b",,\n;\n" * 3, None), (b"\0\1", "binary")]
)
def test_files_without_values(data, reason):
    if reason is None:
        assert parse_bytes(data, name="a.csv").text
        return
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.csv")
    assert caught.value.reason == reason


def test_only_delimiters_is_empty():
    with pytest.raises(ParseError) as caught:
        parse_bytes(b",,\n,,\n", name="a.csv")
    assert caught.value.reason == "empty"
