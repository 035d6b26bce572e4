"""Files of records that are made to fill memory or to run for ever."""

from __future__ import annotations

import gzip

from clew.ingest import json_lines
from clew.ingest.json_lines import BadLine, JsonLine, read_json_lines


def test_a_line_that_is_too_long_is_named_and_the_next_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "_LONGEST_LINE", 20)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "0123"}\n' + b"x" * 95 + b'\n{"text": "b"}\n' + b"y" * 20)
    first, second, third, last = read_json_lines(path)
    assert first == JsonLine(1, {"text": "0123"})
    assert isinstance(second, BadLine)
    assert (second.number, second.reason) == (2, "too-large")
    assert third == JsonLine(3, {"text": "b"})
    assert isinstance(last, BadLine)
    assert (last.number, last.reason) == (4, "too-large")


def test_a_line_of_just_the_longest_length_is_read(tmp_path, monkeypatch):
    line = b'{"text": "0123"}\n'
    monkeypatch.setattr(json_lines, "_LONGEST_LINE", len(line))
    path = tmp_path / "a.jsonl"
    path.write_bytes(line * 2)
    assert [each.number for each in read_json_lines(path)] == [1, 2]
    assert all(isinstance(each, JsonLine) for each in read_json_lines(path))


def test_an_archive_that_swells_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "_RATIO_COUNTS_FROM", 2**20)
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(b'{"text": "a"}\n' + b"\n" * 2**24)
    first, *rest = read_json_lines(path)
    assert first == JsonLine(1, {"text": "a"})
    (stopped,) = rest
    assert isinstance(stopped, BadLine)
    assert stopped.reason == "too-large"
    assert stopped.number < 2**23


def test_deep_nesting_and_long_numbers_are_bad_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"[" * 200_000 + b"\n" + b'{"text": ' + b"9" * 10_000 + b"}\n")
    assert [each.reason for each in read_json_lines(path)] == ["bad-json", "bad-json"]  # type: ignore[union-attr]
