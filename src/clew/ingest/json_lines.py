"""Records of a `.jsonl` file, plain or gzipped; bad lines are values, not the end."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

JSON_LINE_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_LONGEST_LINE = 64 * 2**20
_LARGEST_RATIO = 200
_RATIO_COUNTS_FROM = 256 * 2**20
_GZIP_MARK = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A record and its line number, from 1."""

    number: int
    record: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that gives no record: reason "bad-json", "not-an-object", "too-large" or
    "unreadable"."""

    number: int
    reason: str
    message: str


def read_json_lines(path: Path) -> Iterator[JsonLine | BadLine]:
    """Return the records of a file in order; blank lines are passed over.

    A line of more than 64 MiB is passed over and named. A file that cannot be read on (a damaged
    archive, one that unpacks to 200 times its size, a lost permission) ends with one bad line.
    """
    return _read(lambda: _opened(path), lambda: path.stat().st_size)


def read_json_lines_of(data: bytes) -> Iterator[JsonLine | BadLine]:
    """Return the records in the content of a file, plain or gzipped, as `read_json_lines`."""
    plain = io.BytesIO(data)
    if data.startswith(_GZIP_MARK):
        return _read(lambda: cast("BinaryIO", gzip.open(plain, "rb")), lambda: len(data))
    return _read(lambda: plain, lambda: len(data))


def _read(opened: Callable[[], BinaryIO], size: Callable[[], int]) -> Iterator[JsonLine | BadLine]:
    number = 0
    try:
        most = max(_RATIO_COUNTS_FROM, _LARGEST_RATIO * size())
        with opened() as lines:
            for number, line in enumerate(_lines(lines), start=1):
                if lines.tell() > most:
                    yield BadLine(number, "too-large", f"the file unpacks to over {most} bytes")
                    return
                if line is None:
                    yield BadLine(number, "too-large", "the line is longer than 64 MiB")
                elif line.strip():
                    yield _read_line(number, line)
    except (OSError, EOFError, zlib.error) as error:
        yield BadLine(number + 1, "unreadable", f"the file cannot be read further ({error})")


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Return the lines of a stream, None for one that is too long to hold."""
    while line := stream.readline(_LONGEST_LINE):
        if len(line) < _LONGEST_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := stream.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


def _opened(path: Path) -> BinaryIO:
    if path.name.casefold().endswith(".gz"):
        return cast("BinaryIO", gzip.open(path, "rb"))
    return path.open("rb")


def _read_line(number: int, line: bytes) -> JsonLine | BadLine:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return BadLine(number, "bad-json", f"the line is not JSON ({error})")
    if not isinstance(record, dict):
        return BadLine(number, "not-an-object", "the line is not a JSON object")
    return JsonLine(number, record)
