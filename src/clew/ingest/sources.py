"""What a caller passes (paths, folders, texts, dicts, JSON lines) as a stream of items to index."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from clew.core.documents import ParsedText
from clew.core.errors import IngestError, ParseError
from clew.core.jobs import FileOutcome
from clew.ingest.fields import FIELD_NAMES, NO_FIELDS, CallerFields, read_fields
from clew.ingest.folders import SkippedPath, walk_folder
from clew.ingest.json_lines import JSON_LINE_SUFFIXES, BadLine, read_json_lines
from clew.ingest.parsers.registry import PARSER_MODULES, FileParser, is_known
from clew.ingest.reading import FileReader, source_name
from clew.ingest.record_mapping import COMMON_NAMES, FieldMapping, map_record
from clew.ingest.whitespace import tidy

SourceInput: TypeAlias = "str | Path | Mapping[str, object]"

IN_THIS_PROCESS = FileParser()
_DICT_KEYS = frozenset({"text", "content", "source", "id", *FIELD_NAMES})
_LONGEST_PATH = 1024


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """A source's text and what the caller says about it, ready for `build_document`."""

    source: str
    parsed: ParsedText
    fields: CallerFields = NO_FIELDS


@dataclass(frozen=True, slots=True)
class SourceFailure:
    """A source that gives no document: FAILED or SKIPPED, with the reason in a word and a
    sentence."""

    source: str
    reason: str
    message: str
    outcome: FileOutcome = FileOutcome.FAILED


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A source that can be loaded; `load` reads and parses it and may raise `IngestError`."""

    source: str
    load: Callable[[], LoadedSource]

    def read(self) -> LoadedSource | SourceFailure:
        """Return what `load` gives, its `IngestError` as a value."""
        try:
            return self.load()
        except ParseError as error:
            return SourceFailure(self.source, error.reason, str(error))
        except IngestError as error:
            return SourceFailure(self.source, "invalid", str(error))


def read_sources(
    given: SourceInput | Iterable[SourceInput],
    *,
    mapping: FieldMapping = COMMON_NAMES,
    reader: FileReader = IN_THIS_PROCESS,
    follow_links: bool = False,
) -> Iterator[SourceItem | SourceFailure]:
    """Return the items of what a caller passes, in order; folders are listed lazily.

    `reader` reads files; records and texts need none. `follow_links` lets a folder's links lead
    out of it. A file's source is its resolved absolute path, so that it is the same from any
    working folder; a record's is `PATH#id`; a text's is its id or `text:` and a hash. A `str` is
    a path where it names a file or folder that exists; one that looks like a path (a known suffix,
    or a path separator and no blank) and does not exist is an error; any other is the text itself.

    Raises:
        IngestError: a path does not exist, or a dict has unknown keys or none of text and
            content; at once for a sequence, before anything is read.
    """
    ways = _Ways(mapping, reader, follow_links)
    if isinstance(given, (str, Path, Mapping)):
        return _items(given, ways)
    if isinstance(given, Sequence):
        streams = [_items(each, ways) for each in given]
        return (item for stream in streams for item in stream)
    return (item for each in given for item in _items(each, ways))


@dataclass(frozen=True, slots=True)
class _Ways:
    """How sources are read: the fields of records, who reads files, whether links are followed."""

    mapping: FieldMapping
    reader: FileReader
    follow_links: bool


def _items(given: SourceInput, ways: _Ways) -> Iterator[SourceItem | SourceFailure]:
    """Check one input and return its items."""
    if isinstance(given, Mapping):
        return iter([_from_dict(given)])
    if isinstance(given, Path):
        if not given.exists():
            raise IngestError(f"no such file or folder: {given}")
        return _from_path(given, ways)
    if not isinstance(given, str):
        raise IngestError(
            f"cannot index a {type(given).__name__}; pass a path, a text, a dict or a list of these"
        )
    if _names_existing_path(given):
        return _from_path(Path(given), ways)
    if _looks_like_path(given):
        raise IngestError(
            f"no such file or folder: {given} (to index this as a text, pass {{'text': ...}})"
        )
    if not given.strip():
        raise IngestError("the text is empty; there is nothing to index")
    return iter([_from_dict({"text": given})])


def _names_existing_path(text: str) -> bool:
    if not text.strip() or len(text) > _LONGEST_PATH or "\n" in text or "\x00" in text:
        return False
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _looks_like_path(text: str) -> bool:
    if len(text) > _LONGEST_PATH or "\n" in text:
        return False
    suffixes = (*PARSER_MODULES, *JSON_LINE_SUFFIXES)
    has_blank = any(character.isspace() for character in text.strip())
    return text.casefold().endswith(suffixes) or (not has_blank and ("/" in text or "\\" in text))


def _from_path(path: Path, ways: _Ways) -> Iterator[SourceItem | SourceFailure]:
    if path.is_dir():
        return _from_folder(path, ways)
    return _from_file(path.resolve(), ways)


def _from_folder(folder: Path, ways: _Ways) -> Iterator[SourceItem | SourceFailure]:
    for found in walk_folder(folder.resolve(), follow_links=ways.follow_links):
        if isinstance(found, SkippedPath):
            failed = found.reason == "unreadable"
            outcome = FileOutcome.FAILED if failed else FileOutcome.SKIPPED
            yield SourceFailure(source_name(found.path), found.reason, found.message, outcome)
        elif is_known(found.name) or _is_json_lines(found):
            yield from _from_file(found, ways)
        else:
            source = source_name(found)
            message = f"{source}: no parser for {found.suffix or 'files without a suffix'}"
            yield SourceFailure(source, "unsupported", message, FileOutcome.SKIPPED)


def _from_file(path: Path, ways: _Ways) -> Iterator[SourceItem | SourceFailure]:
    source = source_name(path)
    if not path.is_file():
        yield SourceFailure(source, "not-a-file", f"{source}: this is not a regular file")
    elif _is_json_lines(path):
        yield from _from_json_lines(path, ways.mapping)
    else:
        read = ways.reader.read
        yield SourceItem(source, lambda: LoadedSource(source, read(path, name=source)))


def _is_json_lines(path: Path) -> bool:
    return path.name.casefold().endswith(JSON_LINE_SUFFIXES)


def _from_json_lines(path: Path, mapping: FieldMapping) -> Iterator[SourceItem | SourceFailure]:
    source = source_name(path)
    for line in read_json_lines(path):
        place = f"{source}:{line.number}"
        if isinstance(line, BadLine):
            yield SourceFailure(place, line.reason, f"{place}: {line.message}")
            continue
        try:
            record = map_record(line.record, mapping)
            item = _from_values(record.values, where=place, prefix=f"{source}#")
        except IngestError as error:
            yield SourceFailure(place, "invalid", str(error))
            continue
        yield _with_warning(item, record.dropped)


def _with_warning(item: SourceItem, dropped: tuple[str, ...]) -> SourceItem:
    """Return the item; where fields were dropped, its parsed text says so."""
    if not dropped:
        return item
    warning = f"fields left out, since they hold nested values: {', '.join(dropped)}"

    def load() -> LoadedSource:
        loaded = item.load()
        parsed = replace(loaded.parsed, warnings=(*loaded.parsed.warnings, warning))
        return replace(loaded, parsed=parsed)

    return SourceItem(item.source, load)


def _from_dict(given: Mapping[str, object]) -> SourceItem:
    unknown = [str(key) for key in given if key not in _DICT_KEYS]
    if unknown:
        raise IngestError(
            f"unknown keys in a document: {', '.join(unknown)}; known: {', '.join(sorted(_DICT_KEYS))}"
        )
    values = dict(given)
    if "text" in values and "content" in values:
        raise IngestError("a document has both 'text' and 'content'; give one of them")
    if "content" in values:
        values["text"] = values.pop("content")
    if "text" not in values:
        raise IngestError("a document needs 'text' (or 'content'); it has neither")
    name = values.get("source") or values.get("id") or "document"
    return _from_values(values, where=str(name), prefix="")


def _from_values(values: Mapping[str, object], *, where: str, prefix: str) -> SourceItem:
    """Return the item of a record under our names; `prefix` goes before its id."""
    text = values["text"]
    if not isinstance(text, str):
        raise IngestError(f"{where}: the text is a {type(text).__name__}; it must be text")
    source = _record_source(values, text, where=where, prefix=prefix)
    fields = read_fields(values, where=where)
    cleaned = tidy(text)
    if not cleaned:
        raise IngestError(f"{where}: the text is empty; there is nothing to index")
    if fields.title is None and source.startswith("text:"):
        fields = replace(fields, title=_opening(cleaned))
    loaded = LoadedSource(source, ParsedText(text=cleaned), fields)
    return SourceItem(source, lambda: loaded)


def _record_source(values: Mapping[str, object], text: str, *, where: str, prefix: str) -> str:
    for key, before in (("source", ""), ("id", prefix)):
        value = values.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
            raise IngestError(f"{where}: {key} is {value!r}; it must be text or a whole number")
        return f"{before}{value}"
    hashed = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{prefix}text:{hashed}"


_OPENING_LENGTH = 60


def _opening(text: str) -> str:
    """Return the first words of a text, as the title of one that has none."""
    line = " ".join(text.split())
    if len(line) <= _OPENING_LENGTH:
        return line
    return line[:_OPENING_LENGTH].rsplit(" ", 1)[0].rstrip(",;:") + " …"
