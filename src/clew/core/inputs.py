"""What a caller can add beside paths, texts and records."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileBytes:
    """The content of a file that has no path of its own, such as standard input.

    `name` becomes the source. `format` is a suffix such as "md" or "jsonl"; None: that of `name`
    where it has one, or what the content shows (PDF, Office, HTML, otherwise plain text).
    """

    name: str
    data: bytes
    format: str | None = None
