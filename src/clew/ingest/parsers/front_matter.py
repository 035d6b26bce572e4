"""The block of `key: value` lines at the head of a Markdown file."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.core.documents import MetadataValue

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"([\w-]+)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]+#.*$")
_BLOCK = re.compile(r"[>|][+-]?\d?$")
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Values by key as written, and where the text after the block begins."""

    values: Mapping[str, MetadataValue] = field(default_factory=dict[str, MetadataValue])
    end: int = 0

    def get(self, key: str) -> MetadataValue:
        """Return the value of a key in whatever case it is written, None if there is none."""
        return next((value for name, value in self.values.items() if name.casefold() == key), None)


def read_front_matter(text: str) -> FrontMatter:
    """Return the YAML (`---`) or TOML (`+++`) block at the head of `text`.

    Of YAML this reads scalars and lists of scalars, which is what titles, authors and dates are
    written as; nested values and blocks of lines are left out. What is not quoted and would be
    written so again is a number or a truth value. A block without any key is no front matter.
    """
    match = _YAML.match(text)
    if match is not None:
        values = _read_yaml(match[1])
        return FrontMatter(values, match.end()) if values else FrontMatter()
    match = _TOML.match(text)
    if match is not None:
        try:
            return FrontMatter(_read_toml(match[1]), match.end())
        except (tomllib.TOMLDecodeError, RecursionError):
            return FrontMatter()
    return FrontMatter()


def _read_yaml(block: str) -> dict[str, MetadataValue]:
    values: dict[str, MetadataValue] = {}
    key: str | None = None
    for line in block.splitlines():
        item = _ITEM.match(line)
        if item is not None and key is not None:
            held = values.setdefault(key, [])
            if isinstance(held, list):
                held.append(_text(item[1]))
            continue
        pair = _KEY.match(line)
        if pair is None:
            continue
        key = pair[1]
        written = (pair[2] or "").strip()
        if written.startswith("[") and written.endswith("]"):
            values[key] = [_text(part) for part in written[1:-1].split(",") if part.strip()]
        elif written and not _BLOCK.match(written):
            values[key] = _scalar(written)
    return values


def _read_toml(block: str) -> dict[str, MetadataValue]:
    values: dict[str, MetadataValue] = {}
    for key, value in tomllib.loads(block).items():
        if isinstance(value, list):
            values[key] = [str(item) for item in value]
        elif isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value)):
            values[key] = value
        elif not isinstance(value, dict):
            values[key] = str(value)
    return values


def _scalar(written: str) -> MetadataValue:
    text = _text(written)
    if text != _COMMENT.sub("", written.strip()):
        return text
    if text.casefold() in _TRUTH:
        return _TRUTH[text.casefold()]
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text and math.isfinite(number):
            return number
    return text


def _text(written: str) -> str:
    written = written.strip()
    if len(written) > 1 and written[0] == written[-1] and written[0] in "\"'":
        return written[1:-1]
    return _COMMENT.sub("", written)
