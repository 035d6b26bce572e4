"""Nested records (JSON objects, XML elements) as headed sections of `key: value` lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_SPACES = re.compile(r"\s+")
_BREAK = re.compile(r"\n\s*\n")
_LONGEST_LABEL = 100
_LONG_VALUE = 300
_LOWEST = 6
NAME_KEYS = ("title", "name", "label", "headline", "subject", "id", "_id", "key")
"""Keys whose value names a record, the best first."""


@dataclass(slots=True)
class Section:
    """A record: what stands in it, in order. A run of lines is one paragraph, so that a chunk
    keeps a record whole where it can."""

    label: str = ""
    parts: list[list[str] | str | Section] = field(
        default_factory=list["list[str] | str | Section"]
    )

    def add_value(self, key: str, text: str) -> None:
        """Add a value under its key: a line, or a paragraph of its own where it is long."""
        text = text.strip()
        if not text:
            return
        if _BREAK.search(text):
            self.parts.append(f"{key}:\n\n{text}" if key else text)
            return
        written = f"{key}: {_SPACES.sub(' ', text)}" if key else _SPACES.sub(" ", text)
        if len(written) > _LONG_VALUE:
            self.parts.append(written)
            return
        if not self.parts or not isinstance(self.parts[-1], list):
            self.parts.append([])
        last = self.parts[-1]
        if isinstance(last, list):
            last.append(written)

    def add_block(self, text: str) -> None:
        """Add a paragraph or table."""
        if text.strip():
            self.parts.append(text.strip())

    def add_section(self, section: Section) -> None:
        """Add a record that lies in this one, unless it holds nothing."""
        if section.parts:
            self.parts.append(section)


def label_of(kind: str, name: str) -> str:
    """Return the heading of a record, such as "employee: Ann Lee"."""
    name = _SPACES.sub(" ", name).strip()[:_LONGEST_LABEL]
    return f"{kind}: {name}" if kind and name else kind or name


def sections_markdown(root: Section) -> str:
    """Return a record and all that lies in it. A heading names the record and the one around it.

    Headings begin at the second level (the first where the root has a label); iterative, so that
    nesting is bounded by what reads the file alone.
    """
    blocks: list[str] = []
    pending: list[tuple[list[str] | str | Section, int, str]] = [(root, 1, "")]
    while pending:
        part, level, around = pending.pop()
        if isinstance(part, str):
            blocks.append(part)
        elif isinstance(part, list):
            blocks.append("\n".join(part))
        else:
            heading = " / ".join(text for text in (around, part.label) if text)
            if part.label:
                blocks.append(f"{'#' * min(level, _LOWEST)} {heading}")
            inner = "" if part is root else part.label
            pending += [(each, level + 1, inner) for each in reversed(part.parts)]
    return "\n\n".join(blocks)


def inline(values: Sequence[str]) -> str:
    """Return values in one line."""
    return ", ".join(_SPACES.sub(" ", value).strip() for value in values if value.strip())
