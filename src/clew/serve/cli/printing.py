"""Text of documents made fit for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return `text` without control characters, which a document could use to steer a terminal."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable() or char == "\xa0")
