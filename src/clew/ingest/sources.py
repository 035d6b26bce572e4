"""What a caller passes (paths, globs, web addresses, texts, dicts, bytes) as items to index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import TypeAlias

from clew.core.documents import ParsedText
from clew.core.errors import FetchError, IngestError, ParseError
from clew.core.inputs import FileBytes
from clew.core.jobs import FileOutcome
from clew.ingest.excludes import NO_PATTERNS, Patterns
from clew.ingest.fields import NO_FIELDS, CallerFields
from clew.ingest.folders import SkippedPath, walk_folder
from clew.ingest.globs import has_magic, read_glob
from clew.ingest.headings import first_heading
from clew.ingest.json_lines import (
    JSON_LINE_SUFFIXES,
    BadLine,
    JsonLine,
    read_json_lines,
    read_json_lines_of,
)
from clew.ingest.parsers.registry import PARSER_MODULES, PICTURE_SUFFIXES, FileParser, is_known
from clew.ingest.path_text import (
    is_json_lines,
    known_suffix,
    looks_like_path,
    names_existing_path,
)
from clew.ingest.reading import FileReader, source_name
from clew.ingest.record_mapping import COMMON_NAMES, FieldMapping, map_record
from clew.ingest.records import Record, opening, read_dict, read_record
from clew.ingest.web.content_types import suffix_by_content
from clew.ingest.web.locations import is_web_address, other_scheme, without_credentials
from clew.ingest.web.page import FetchedPage

IN_THIS_PROCESS = FileParser()

SourceInput: TypeAlias = "str | Path | FileBytes | Mapping[str, object]"


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
        except (ParseError, FetchError) as error:
            return SourceFailure(self.source, error.reason, str(error))
        except IngestError as error:
            return SourceFailure(self.source, "invalid", str(error))


def no_web(address: str) -> FetchedPage:
    """Refuse every web address.

    Raises:
        FetchError: always; reason "refused-address".
    """
    raise FetchError(
        f"{without_credentials(address)}: web addresses are not read here", reason="refused-address"
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """How sources are read: the names of a record's fields, the patterns of what is left out, what
    fetches a page from the web (it may raise `FetchError`), what reads files, and whether links
    may lead out of a folder."""

    mapping: FieldMapping = COMMON_NAMES
    exclude: Patterns = NO_PATTERNS
    fetch: Callable[[str], FetchedPage] = no_web
    reader: FileReader = IN_THIS_PROCESS
    follow_links: bool = False


_Items: TypeAlias = "Iterator[SourceItem | SourceFailure]"


def read_sources(
    given: SourceInput | Iterable[SourceInput],
    *,
    mapping: FieldMapping = COMMON_NAMES,
    exclude: Patterns = NO_PATTERNS,
    fetch: Callable[[str], FetchedPage] = no_web,
    reader: FileReader = IN_THIS_PROCESS,
    follow_links: bool = False,
) -> _Items:
    """Return the items of what a caller passes, in order; folders are listed lazily.

    `reader` reads files and pages; records and texts need none. A file's source is its resolved
    absolute path, so that it is the same from any working folder; a page's is its address, a record's `PATH#id`, a text's its id or `text:` and a hash. A `str`
    or `Path` that does not exist and holds `*`, `?` or `[` is a glob pattern where it looks like
    a path. A `str` is a path where it names a file or folder that exists and a web address where
    it begins with http:// or https://; one that looks like a path (a known suffix, or a path
    separator and no blank) and does not exist is an error; any other is the text itself.

    Raises:
        IngestError: a path does not exist, a pattern matches nothing, or a dict has unknown keys
            or none of text and content; at once for a sequence, before anything is read.
    """
    reading = Reading(mapping, exclude, fetch, reader, follow_links)
    if isinstance(given, (str, Path, FileBytes, Mapping)):
        return _items(given, reading)
    if isinstance(given, Sequence):
        return chain.from_iterable([_items(each, reading) for each in given])
    return (item for each in given for item in _items(each, reading))


def read_part_of_folder(
    folder: Path,
    wanted: Callable[[Path], bool],
    *,
    mapping: FieldMapping = COMMON_NAMES,
    exclude: Patterns = NO_PATTERNS,
    reader: FileReader = IN_THIS_PROCESS,
    follow_links: bool = False,
) -> _Items:
    """Return the items of those files of a folder that are wanted; `wanted` is asked about the
    folders above them too."""
    reading = Reading(mapping, exclude, reader=reader, follow_links=follow_links)
    return _from_folder(folder.resolve(), reading, wanted)


def _items(given: SourceInput, reading: Reading) -> _Items:
    """Check one input and return its items."""
    if isinstance(given, Mapping):
        return iter([_from_record(read_dict(given))])
    if isinstance(given, FileBytes):
        return _from_bytes(given.name, given.data, given.format, reading)
    if isinstance(given, Path):
        if given.exists():
            return _from_path(given, reading)
        if has_magic(str(given)):
            return _from_glob(str(given), reading)
        raise IngestError(f"no such file or folder: {given}")
    if not isinstance(given, str):
        raise IngestError(
            f"cannot index a {type(given).__name__}; pass a path, a text, a dict or a list of these"
        )
    if is_web_address(given):
        return _from_web(given, reading)
    if names_existing_path(given):
        return _from_path(Path(given), reading)
    if looks_like_path(given):
        return _from_missing(given, reading)
    if not given.strip():
        raise IngestError("the text is empty; there is nothing to index")
    return iter([_from_record(read_dict({"text": given}))])


def _from_missing(given: str, reading: Reading) -> _Items:
    """Return what a string means that looks like a path and is none."""
    scheme = other_scheme(given)
    if scheme is not None:
        raise IngestError(
            f"{without_credentials(given)}: {scheme} addresses are not read, http and https are"
        )
    if has_magic(given):
        return _from_glob(given, reading)
    raise IngestError(
        f"no such file or folder: {given} (to index this as a text, pass {{'text': ...}})"
    )


def _from_path(path: Path, reading: Reading) -> _Items:
    if path.is_dir():
        return _from_folder(path.resolve(), reading)
    verdict = reading.exclude.verdict(path.name)
    if verdict is not None and verdict[0]:
        source = source_name(path.resolve())
        message = f"{source}: this is left out by the pattern {verdict[1]!r}"
        return iter([SourceFailure(source, "excluded", message, FileOutcome.EXCLUDED)])
    return _from_file(path.resolve(), reading)


def _from_glob(pattern: str, reading: Reading) -> _Items:
    """Return the items of the files that match; the first is looked for at once.

    Raises:
        IngestError: there is none.
    """
    glob = read_glob(pattern)
    if not glob.folder.is_dir():
        raise IngestError(f"nothing matches {pattern}: there is no folder {glob.folder}")
    found = _from_folder(glob.folder, reading, glob.wants)
    first = next(found, None)
    if first is None:
        raise IngestError(
            f"nothing matches {pattern}; * and ? stay within a folder, ** goes through all, and "
            "hidden files are left out"
        )
    return chain([first], found)


def _from_folder(
    folder: Path, reading: Reading, wanted: Callable[[Path], bool] = lambda _: True
) -> _Items:
    stream = walk_folder(
        folder, exclude=reading.exclude, wanted=wanted, follow_links=reading.follow_links
    )
    for found in stream:
        if isinstance(found, SkippedPath):
            yield SourceFailure(source_name(found.path), found.reason, found.message, found.outcome)
        elif found.suffix.casefold() in reading.reader.suffixes or is_json_lines(found.name):
            yield from _from_file(found, reading)
        else:
            source = source_name(found)
            message = f"{source}: {_why_not_read(found)}"
            yield SourceFailure(source, "unsupported", message, FileOutcome.SKIPPED)


def _why_not_read(path: Path) -> str:
    if path.suffix.casefold() in PICTURE_SUFFIXES:
        return "a picture is read only by text recognition (--ocr)"
    return f"no parser for {path.suffix or 'files without a suffix'}"


def _from_file(path: Path, reading: Reading) -> _Items:
    source = source_name(path)
    if not path.is_file():
        yield SourceFailure(source, "not-a-file", f"{source}: this is not a regular file")
    elif is_json_lines(path.name):
        yield from _from_json_lines(source, read_json_lines(path), reading)
    else:
        read = reading.reader.read
        yield SourceItem(source, lambda: LoadedSource(source, read(path, name=source)))


def _from_web(address: str, reading: Reading) -> _Items:
    """Fetch a page when its turn comes."""
    try:
        page = reading.fetch(address)
    except FetchError as error:
        yield SourceFailure(without_credentials(address.strip()), error.reason, str(error))
    else:
        yield from _from_bytes(page.address, page.data, page.suffix, reading)


def _from_bytes(source: str, data: bytes, format: str | None, reading: Reading) -> _Items:
    """Return the items of bytes under a name; `format` is a suffix, with or without its dot."""
    if not source.strip():
        raise IngestError("the name of what is added is empty; give it one")
    suffix = f".{format.strip().lstrip('.').casefold()}" if format else known_suffix(source)
    if suffix is None:
        suffix = suffix_by_content(data)
    elif not (is_known(suffix_name := f"x{suffix}") or is_json_lines(suffix_name)):
        known = ", ".join(sorted({*PARSER_MODULES, *JSON_LINE_SUFFIXES}))
        message = f"{source}: nothing reads the format {suffix}; known: {known}"
        return iter([SourceFailure(source, "unsupported", message)])
    if is_json_lines(f"x{suffix}"):
        return _from_json_lines(source, read_json_lines_of(data), reading)
    return iter([SourceItem(source, partial(_load_bytes, source, data, suffix, reading.reader))])


def _load_bytes(source: str, data: bytes, suffix: str, reader: FileReader) -> LoadedSource:
    parsed = reader.parse(data, name=_name_with(source, suffix))
    if parsed.title is None and first_heading(parsed.text) is None and "/" not in source:
        return LoadedSource(source, parsed, replace(NO_FIELDS, title=opening(parsed.text)))
    return LoadedSource(source, parsed)


def _name_with(source: str, suffix: str) -> str:
    """Return a file name under which `source` is parsed as `suffix`."""
    if PurePath(source).suffix.casefold() == suffix:
        return source
    return f"{source}index{suffix}" if source.endswith("/") else f"{source}{suffix}"


def _from_json_lines(source: str, lines: Iterable[JsonLine | BadLine], reading: Reading) -> _Items:
    for line in lines:
        place = f"{source}:{line.number}"
        if isinstance(line, BadLine):
            yield SourceFailure(place, line.reason, f"{place}: {line.message}")
            continue
        try:
            record = map_record(line.record, reading.mapping)
            item = _from_record(read_record(record.values, where=place, prefix=f"{source}#"))
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


def _from_record(record: Record) -> SourceItem:
    loaded = LoadedSource(record.source, record.parsed, record.fields)
    return SourceItem(record.source, lambda: loaded)
