"""The first heading of a Markdown text."""

from __future__ import annotations

import re

_ATX = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)$", re.MULTILINE)
_SETEXT = re.compile(r"^ {0,3}(\S.*)\n {0,3}=+[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)|[*`]{1,3}")
_HEAD = 8_000
_LONGEST_TITLE = 200


def first_heading(text: str) -> str | None:
    """Return the first heading near the head of `text` without its markup, None if none."""
    head = _FENCE.sub("", text[:_HEAD])
    matches = [match for match in (_ATX.search(head), _SETEXT.search(head)) if match is not None]
    if not matches:
        return None
    first = min(matches, key=lambda match: match.start())
    plain = _MARKUP.sub(lambda match: match[1] or "", first[1]).strip(" \t#")
    return plain[:_LONGEST_TITLE] or None
