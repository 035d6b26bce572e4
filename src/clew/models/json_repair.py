"""The JSON object in what a language model wrote around it, or did not quite write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCED = re.compile(r"```(?:json)?\s*(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_CLOSER = {"{": "}", "[": "]"}


def read_object(text: str) -> dict[str, Any]:
    """Return the first JSON object in `text`.

    Words and code fences around it are left out; commas before a closing bracket and brackets that
    are lacking at the end are mended, where the text cannot be read otherwise. Values are never
    invented: a string that breaks off is an error.

    Raises:
        ValueError: there is no object; says what the reader stumbled over.
    """
    problem = "it holds no JSON object"
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate)
        except ValueError as error:
            problem = f"it is no valid JSON: {error}" if "{" in candidate else problem
            continue
        if isinstance(value, dict):
            return value
        problem = f"it is a JSON {type(value).__name__} in place of an object"
    raise ValueError(problem)


def _candidates(text: str) -> Iterator[str]:
    yield text
    inner = _FENCED.search(text)
    for part in (inner[1], text) if inner else (text,):
        start = part.find("{")
        if start < 0:
            continue
        taken, missing = _balanced(part[start:])
        yield taken + missing
        yield _without_trailing_commas(taken + missing)


def _balanced(text: str) -> tuple[str, str]:
    """Return what stands up to the bracket that closes the first, and the brackets that lack."""
    waiting: list[str] = []
    quoted = escaped = False
    for place, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in _CLOSER:
            waiting.append(_CLOSER[char])
        elif waiting and char == waiting[-1]:
            waiting.pop()
            if not waiting:
                return text[: place + 1], ""
    return text, "" if quoted else "".join(reversed(waiting))


def _without_trailing_commas(text: str) -> str:
    """Return `text` without commas before a closing bracket, those in strings left alone."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    # A comma and its bracket stand in one part: a string between them would end the list's item.
    return "".join(
        part if place % 2 else _TRAILING_COMMA.sub("", part) for place, part in enumerate(parts)
    )
