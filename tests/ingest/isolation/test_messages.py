"""What is sent comes back the same, whatever the text; anything else is refused."""

from __future__ import annotations

import io
from dataclasses import fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.documents import Page, ParsedText, Span
from clew.ingest.isolation.frames import FrameTooLargeError, read_frame, write_frame
from clew.ingest.isolation.messages import (
    Failure,
    Request,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)

ANY_TEXT = st.text(st.characters(), max_size=20)
WHOLE = ParsedText(
    text="Text \ud800 with\x00 all",
    title="T",
    authors=("Ann", "Bo"),
    language="pt",
    published_at=datetime(2024, 1, 31, tzinfo=UTC),
    pages=(Page(2, Span(0, 3)), Page(4, Span(3, 9))),
    metadata={"pages": 3, "share": 0.5, "draft": True, "tags": ["a"], "none": None},
    authority=0.5,
    warnings=("page 1 is blank",),
)


def test_every_field_of_a_text_survives():
    assert all(getattr(WHOLE, field.name) for field in fields(ParsedText))
    assert decode_answer(encode_answer(WHOLE)) == WHOLE
    assert decode_answer(encode_answer(ParsedText("x"))) == ParsedText("x")


@given(text=ANY_TEXT, title=st.none() | ANY_TEXT, authors=st.lists(ANY_TEXT).map(tuple))
def test_any_text_survives(text, title, authors):
    parsed = ParsedText(text, title=title, authors=authors)
    assert decode_answer(encode_answer(parsed)) == parsed


@given(ANY_TEXT, st.none() | ANY_TEXT, st.lists(ANY_TEXT).map(tuple), st.booleans())
def test_any_request_survives(name, path, passwords, ocr):
    request = Request(name, path, 10, 0.5, passwords, ocr)
    assert decode_request(encode_request(request)) == request


def test_a_failure_survives_and_a_request_does_not_show_its_secret():
    assert decode_answer(encode_answer(Failure("empty", "x"))) == Failure("empty", "x")
    assert "secret" not in repr(Request("a", None, 1, 1.0, ("secret",)))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no json",
        b"[]",
        b"3",
        b"{}",
        b'{"reason": "x"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"text": "x", "published_at": "yesterday"}',
        encode_answer(WHOLE).replace(b"[[2", b'[["two"'),
        encode_answer(WHOLE).replace(b'"metadata": {', b'"metadata": 7, "x": {'),
    ],
)
def test_what_is_no_answer_is_refused(data):
    with pytest.raises(ValueError):  # noqa: PT011 - JSON and dates have messages of their own
        decode_answer(data)


def test_frames_are_read_whole_or_not_at_all():
    stream = io.BytesIO()
    write_frame(stream, b"12345")
    written = stream.getvalue()
    assert read_frame(io.BytesIO(written), limit=5) == b"12345"
    with pytest.raises(FrameTooLargeError):
        read_frame(io.BytesIO(written), limit=4)
    for end in range(len(written)):
        with pytest.raises(EOFError):
            read_frame(io.BytesIO(written[:end]), limit=5)
