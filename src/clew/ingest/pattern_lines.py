"""A line of `.gitignore` as a regular expression, by pathspec."""

from __future__ import annotations

import re

from pathspec import GitIgnoreSpec, RegexPattern


def compile_line(line: str) -> list[tuple[bool, re.Pattern[str]]]:
    """Return whether a line leaves out (or takes back) and its expression; nothing for a comment.

    Raises:
        ValueError: it is no pattern.
    """
    return [
        (pattern.include, pattern.regex)
        for pattern in GitIgnoreSpec.from_lines([line]).patterns
        if isinstance(pattern, RegexPattern)
        and pattern.include is not None
        and pattern.regex is not None
    ]
