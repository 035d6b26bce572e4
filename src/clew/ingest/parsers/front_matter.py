"""The block of `key: value` lines at the head of a Markdown file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

FrontMatterValue: TypeAlias = str | list[str]

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"([\w-]+)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]+#.*$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Values by lower-case key, and where the text after the block begins."""

    values: Mapping[str, FrontMatterValue] = field(default_factory=dict[str, FrontMatterValue])
    end: int = 0


def read_front_matter(text: str) -> FrontMatter:
    """Return the YAML (`---`) or TOML (`+++`) block at the head of `text`.

    Of YAML this reads scalars and lists of scalars, which is what titles, authors and dates are
    written as; nested values are left out. A block without any key is no front matter.
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


def _read_yaml(block: str) -> dict[str, FrontMatterValue]:
    values: dict[str, FrontMatterValue] = {}
    key: str | None = None
    for line in block.splitlines():
        item = _ITEM.match(line)
        if item is not None and key is not None:
            held = values.setdefault(key, [])
            if isinstance(held, list):
                held.append(_scalar(item[1]))
            continue
        pair = _KEY.match(line)
        if pair is None:
            continue
        key = pair[1].casefold()
        written = (pair[2] or "").strip()
        if written.startswith("[") and written.endswith("]"):
            values[key] = [_scalar(part) for part in written[1:-1].split(",") if part.strip()]
        elif written:
            values[key] = _scalar(written)
    return values


def _read_toml(block: str) -> dict[str, FrontMatterValue]:
    values: dict[str, FrontMatterValue] = {}
    for key, value in tomllib.loads(block).items():
        if isinstance(value, list):
            values[key.casefold()] = [str(item) for item in value]
        elif not isinstance(value, dict):
            values[key.casefold()] = str(value)
    return values


def _scalar(written: str) -> str:
    written = written.strip()
    if len(written) > 1 and written[0] == written[-1] and written[0] in "\"'":
        return written[1:-1]
    return _COMMENT.sub("", written)
