"""Documents and chunks: ids, titles, pages, and the checks on what a caller says."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from clew.core.documents import Page, ParsedText, Span
from clew.core.errors import IngestError
from clew.core.ids import chunk_id, document_id
from clew.ingest.chunker import ChunkingPreset
from clew.ingest.documents import build_chunks, build_document
from clew.ingest.fields import read_fields
from clew.ingest.timestamps import lenient_timestamp, read_timestamp

PARSED = ParsedText(
    text="# Head\n\nText.",
    title="Parsed",
    authors=("P",),
    language="en",
    metadata={"a": 1, "b": 2},
)


def test_caller_goes_before_parser():
    document = build_document(
        PARSED,
        source="/x/report.md",
        title=" My  title ",
        authors=["Ann", "Bo"],
        published_at="2020-01-02",
        authority=1,
        language="pt-BR",
        metadata={"b": 3},
        acl=["staff"],
    )
    assert document.title == "My title"
    assert document.authors == ("Ann", "Bo")
    assert document.published_at == datetime(2020, 1, 2, tzinfo=UTC)
    assert document.authority == 1.0
    assert document.language == "pt"
    assert document.metadata == {"a": 1, "b": 3}
    assert document.acl == {"staff"}
    assert document.id == document_id("/x/report.md", document.content_hash)


def test_authority_may_come_from_the_file_and_the_caller_goes_before_it():
    parsed = ParsedText(text="x", authority=0.9)
    assert build_document(parsed, source="s").authority == 0.9
    assert build_document(parsed, source="s", authority=0.0).authority == 0.0
    with pytest.raises(IngestError, match="authority is 9"):
        build_document(ParsedText(text="x", authority=9.0), source="s")


@pytest.mark.parametrize(
    ("parsed", "title"),
    [
        (PARSED, "Parsed"),
        (ParsedText(text="# Head\n\nText."), "Head"),
        (ParsedText(text="Text."), "report.v2"),
    ],
)
def test_title_falls_back(parsed, title):
    assert build_document(parsed, source="/x/report.v2.md").title == title


def test_a_version_is_told_by_text_and_fields_but_not_by_when_it_was_recorded():
    first = build_document(PARSED, source="s", recorded_at=datetime(2020, 1, 1, tzinfo=UTC))
    again = build_document(PARSED, source="s", recorded_at=datetime(2021, 1, 1, tzinfo=UTC))
    assert first.id == again.id
    variants = [
        build_document(ParsedText(text="Other", title="Parsed"), source="s"),
        build_document(PARSED, source="s", title="T"),
        build_document(PARSED, source="s", acl=["x"]),
        build_document(PARSED, source="s", metadata={"c": 1}),
        build_document(PARSED, source="s", published_at="2020"),
        build_document(PARSED, source="s", authority=0.5),
        build_document(PARSED, source="other"),
    ]
    assert len({first.id, *(each.id for each in variants)}) == 8


def test_lone_surrogates_do_not_reach_a_store():
    document = build_document(ParsedText(text="a\ud800b"), source="s", title="t\udfff")
    assert document.text.encode("utf-8").decode() == "a\ufffdb"
    assert document.title == "t\ufffd"


def test_chunks_have_ids_spans_and_pages():
    text = "aaaa\n\nbbbb\n\naaaa\n\nbbbb"
    pages = (Page(1, Span(0, 10)), Page(3, Span(12, 22)))
    document = build_document(ParsedText(text=text, pages=pages), source="s")
    chunks = build_chunks(document, ChunkingPreset(size=5, overlap=0))
    assert [chunk.text for chunk in chunks] == ["aaaa", "bbbb", "aaaa", "bbbb"]
    assert [chunk.page for chunk in chunks] == [1, 1, 3, 3]
    assert [chunk.ordinal for chunk in chunks] == [0, 1, 2, 3]
    assert [chunk.id for chunk in chunks] == [
        chunk_id("s", "aaaa", 0),
        chunk_id("s", "bbbb", 0),
        chunk_id("s", "aaaa", 1),
        chunk_id("s", "bbbb", 1),
    ]
    assert all(chunk.document == document.id for chunk in chunks)
    assert all(text[chunk.span.start : chunk.span.end] == chunk.text for chunk in chunks)


def test_unpaged_documents_have_no_page():
    (chunk,) = build_chunks(build_document(PARSED, source="s"), ChunkingPreset(100, 10))
    assert chunk.page is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"title": 3}, "title"),
        ({"authors": [1]}, "authors"),
        ({"authors": {"a": 1}}, "authors"),
        ({"published_at": "soon"}, "YYYY-MM-DD"),
        ({"published_at": True}, "YYYY-MM-DD"),
        ({"authority": 1.5}, "0..1"),
        ({"authority": "high"}, "0..1"),
        ({"authority": True}, "0..1"),
        ({"metadata": [1]}, "mapping"),
        ({"metadata": {"a": {}}}, "'a'"),
        ({"metadata": {"a": [1]}}, "'a'"),
        ({"metadata": {"a": float("nan")}}, "finite"),
        ({"metadata": {1: "x"}}, "keys"),
        ({"metadata": {" ": "x"}}, "keys"),
        ({"acl": "staff"}, "list of names"),
        ({"acl": [""]}, "acl"),
        ({"acl": 3}, "acl"),
        ({"language": "English!"}, "ISO 639"),
    ],
)
def test_malformed_fields_are_named(values, message):
    with pytest.raises(IngestError, match=message) as caught:
        read_fields(values, where="doc 7")
    assert str(caught.value).startswith("doc 7: ")


def test_one_author_may_be_text_and_nulls_are_nothing():
    fields = read_fields({"authors": "Ann Lee", "title": None, "acl": None}, where="x")
    assert fields.authors == ("Ann Lee",)
    assert fields.title is None
    assert fields.acl == frozenset()


@pytest.mark.parametrize("source", ["", "  "])
def test_empty_source_is_refused(source):
    with pytest.raises(IngestError, match="source"):
        build_document(PARSED, source=source)


def test_empty_text_is_refused():
    with pytest.raises(IngestError, match="no text"):
        build_document(ParsedText(text=" \n"), source="s")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020", datetime(2020, 1, 1, tzinfo=UTC)),
        (2020, datetime(2020, 1, 1, tzinfo=UTC)),
        ("2020-05", datetime(2020, 5, 1, tzinfo=UTC)),
        ("2020-05-06T07:08:09", datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2020-05-06T07:08:09+02:00", datetime(2020, 5, 6, 5, 8, 9, tzinfo=UTC)),
        (date(2020, 5, 6), datetime(2020, 5, 6, tzinfo=UTC)),
        (
            datetime(2020, 5, 6, 1, tzinfo=timezone(timedelta(hours=2))),
            datetime(2020, 5, 5, 23, tzinfo=UTC),
        ),
        (None, None),
        ("", None),
    ],
)
def test_timestamps(value, expected):
    assert read_timestamp(value) == expected


def test_lenient_timestamps_forgive_a_file():
    assert lenient_timestamp("last spring") is None
    assert lenient_timestamp("0001-01-01T00:00:00+14:00") is None


def test_a_file_cannot_have_an_endless_title():
    parsed = ParsedText("text", title="long " * 1_000)
    assert build_document(parsed, source="a.txt").title == ("long " * 100)
    mine = "mine " * 200
    assert build_document(parsed, source="a.txt", title=mine).title == mine.strip()
