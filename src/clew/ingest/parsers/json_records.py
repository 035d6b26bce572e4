"""JSON: objects become records under headings, values keep their keys, rows of rows are tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.parsers.decoding import decode
from clew.ingest.parsers.sections import (
    NAME_KEYS,
    Section,
    inline,
    label_of,
    sections_markdown,
)
from clew.ingest.parsers.tables import grid_markdown
from clew.ingest.timestamps import lenient_timestamp
from clew.ingest.whitespace import tidy

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | bool | None"

_DEEPEST = 64
_FLAT_LEAVES = 12
_FEW_OBJECTS = 4
_LONGEST_NAME = 120
_TITLE_KEYS = ("title", "headline", "name", "subject")
_AUTHOR_KEYS = ("authors", "author", "creator")
_DATE_KEYS = ("published_at", "published", "date", "datePublished", "created_at")


def parse(data: bytes, *, name: str) -> ParsedText:
    """Return the values of a JSON file with the keys that lead to them.

    Numbers stay as they are written; null and what is empty holds no text. Several JSON values
    one to a line are read as records. Values nested deeper than 64 levels stay JSON.

    Raises:
        ParseError: reason "empty", "binary", "damaged" or "too-large" (nested too deeply).
    """
    decoded = decode(data, name=name)
    value = _read(decoded.text, name=name)
    root = Section()
    _add(root, "", value, depth=0)
    text = tidy(sections_markdown(root))
    if not text:
        raise ParseError(f"{name}: the file holds no values; nothing to index", reason="empty")
    about = value if isinstance(value, Mapping) else {}
    return ParsedText(
        text=text,
        title=_named(about, _TITLE_KEYS) or None,
        authors=_authors(about),
        published_at=lenient_timestamp(_named(about, _DATE_KEYS)),
        warnings=decoded.warnings,
    )


def _read(text: str, *, name: str) -> Json:
    if not text.strip():
        raise ParseError(f"{name}: the file holds only blanks; nothing to index", reason="empty")
    try:
        return _loads(text)
    except RecursionError as error:
        raise ParseError(
            f"{name}: the JSON is nested too deeply to be read; flatten it", reason="too-large"
        ) from error
    except ValueError as error:
        lines = _read_lines(text)
        if lines is not None:
            return lines
        raise ParseError(
            f"{name}: this is not JSON ({error}); mend it", reason="damaged"
        ) from error


def _read_lines(text: str) -> list[Json] | None:
    """Return the values of a text with one JSON object a line, None where it is not that."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not lines[0].lstrip().startswith(("{", "[")):
        return None
    try:
        return [_loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None


def _loads(text: str) -> Json:
    value: Json = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    return value


def _add(section: Section, key: str, value: Json, *, depth: int) -> None:
    """Add a value to a record under its key."""
    if depth > _DEEPEST:
        section.add_value(key, json.dumps(value, ensure_ascii=False))
    elif isinstance(value, Mapping):
        _add_object(section, key, value, depth=depth)
    elif isinstance(value, str) or not isinstance(value, Sequence):
        section.add_value(key, _scalar(value))
    else:
        _add_array(section, key, value, depth=depth)


def _add_object(section: Section, key: str, value: Mapping[str, Json], *, depth: int) -> None:
    """Add the members of an object, those first that need no heading of their own."""
    nested = [name for name, each in value.items() if _needs_heading(each, value)]
    for name, each in value.items():
        if name not in nested:
            _add(section, _joined(key, name), each, depth=depth + 1)
    for name in nested:
        each = value[name]
        if isinstance(each, Mapping):
            inner = Section(label_of(_joined(key, name), _own_name(each)))
            _add(inner, "", each, depth=depth + 1)
            section.add_section(inner)
        else:
            _add(section, _joined(key, name), each, depth=depth + 1)


def _needs_heading(value: Json, around: Mapping[str, Json]) -> bool:
    """Return whether a member is a record of its own: it holds records, is large, or is one of
    many."""
    if isinstance(value, Mapping):
        many = sum(isinstance(each, Mapping) for each in around.values()) >= _FEW_OBJECTS
        flat = all(_is_flat(each) for each in value.values()) and len(value) <= _FLAT_LEAVES
        return many or not flat
    return not _is_flat(value)


def _is_flat(value: Json) -> bool:
    if isinstance(value, str) or not isinstance(value, (Mapping, Sequence)):
        return True
    return not isinstance(value, Mapping) and all(
        isinstance(each, str) or not isinstance(each, (Mapping, Sequence)) for each in value
    )


def _add_array(section: Section, key: str, value: Sequence[Json], *, depth: int) -> None:
    if _is_flat(value):
        texts = [_scalar(each) for each in value if not isinstance(each, (Mapping, list))]
        if any("\n" in text for text in texts):
            section.add_block("\n\n".join([f"{key}:", *texts] if key else texts))
        else:
            section.add_value(key, inline(texts))
    elif all(isinstance(each, list) and _is_flat(each) for each in value):
        rows = [[_scalar(cell) for cell in row] for row in value if isinstance(row, list)]
        section.add_block(f"{key}:\n\n{grid_markdown(rows)}" if key else grid_markdown(rows))
    else:
        for number, each in enumerate(value, start=1):
            own = _own_name(each) if isinstance(each, Mapping) else ""
            kind = key or "record"
            inner = Section(label_of(kind, own) if own else f"{kind} {number}")
            _add(inner, "", each, depth=depth + 1)
            section.add_section(inner)


def _scalar(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key and name else key or name


def _own_name(value: Mapping[str, Json]) -> str:
    return _named(value, NAME_KEYS)


def _named(value: Mapping[str, Json], keys: Sequence[str]) -> str:
    """Return the first short text that `value` has under one of `keys`, "" if none."""
    folded = {key.casefold(): each for key, each in value.items()}
    found = (folded.get(key.casefold()) for key in keys)
    return next(
        (
            text.strip()
            for text in found
            if isinstance(text, str) and 0 < len(text.strip()) <= _LONGEST_NAME
        ),
        "",
    )


def _authors(about: Mapping[str, Json]) -> tuple[str, ...]:
    folded = {key.casefold(): each for key, each in about.items()}
    value = next((folded[key] for key in _AUTHOR_KEYS if folded.get(key)), None)
    names = [value] if isinstance(value, (str, Mapping)) else value
    if not isinstance(names, Sequence):
        return ()
    texts = (_named(each, ("name",)) if isinstance(each, Mapping) else each for each in names)
    return tuple(text.strip() for text in texts if isinstance(text, str) and text.strip())
