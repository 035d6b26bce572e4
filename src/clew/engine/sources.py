"""From the arguments of `add` to a stream of sources and what is said about all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypedDict

from clew.core.documents import MetadataValue
from clew.core.errors import IngestError
from clew.core.inputs import FileBytes
from clew.engine.loading import load
from clew.engine.version import VERSION
from clew.ingest.excludes import Patterns, read_patterns
from clew.ingest.fields import CallerFields, read_fields
from clew.ingest.passwords import read_passwords
from clew.ingest.reading import ClosableReader, FileReader
from clew.ingest.record_mapping import COMMON_NAMES, FieldMapping
from clew.ingest.sources import SourceFailure, SourceInput, SourceItem, read_sources
from clew.ingest.web.page import FetchedPage
from clew.settings.model import IngestSettings, WebSettings

Input: TypeAlias = "str | Path | FileBytes | Mapping[str, object] | Iterable[SourceInput]"

_FIELDS = frozenset(field.name for field in fields(FieldMapping))


class WatchOptions(TypedDict, total=False):
    """What `watch` says of all sources of its folders; the names mean what they mean in `add`."""

    authors: Iterable[str]
    language: str | None
    published_at: datetime | str | None
    authority: float | None
    metadata: Mapping[str, MetadataValue] | None
    acl: Iterable[str]
    field_mapping: Mapping[str, str] | None
    exclude: str | Iterable[str]
    passwords: Mapping[str, str] | None
    ocr: bool | None


def items_of(
    inputs: Iterable[Input],
    *,
    mapping: FieldMapping,
    exclude: Patterns,
    fetch: Callable[[str], FetchedPage],
    reader: FileReader,
    follow_links: bool,
) -> Iterator[SourceItem | SourceFailure]:
    """Return the sources of all inputs, in order; `reader` reads the files among them.

    Raises:
        IngestError: a path does not exist, a pattern matches nothing, or a record is malformed;
            before anything is read.
    """
    return chain.from_iterable(
        [
            read_sources(
                each,
                mapping=mapping,
                exclude=exclude,
                fetch=fetch,
                reader=reader,
                follow_links=follow_links,
            )
            for each in inputs
        ]
    )


def patterns_of(exclude: str | Iterable[str]) -> Patterns:
    """Return the patterns of what is left out, one or several.

    Raises:
        IngestError: one is malformed.
    """
    return read_patterns([exclude] if isinstance(exclude, str) else exclude, where="exclude")


def fetcher_of(
    settings: WebSettings, *, allow_private_addresses: bool | None
) -> Callable[[str], FetchedPage]:
    """Return what fetches a page within the settings' limits; an argument that is not None goes
    before the setting. Nothing of it is loaded before the first fetch."""
    allowed = settings.allow_private_addresses
    if allow_private_addresses is not None:
        allowed = allow_private_addresses

    def fetch(address: str) -> FetchedPage:
        limits = load("clew.ingest.web.fetching:WebLimits")(
            max_bytes=settings.max_bytes,
            seconds=settings.seconds,
            max_redirects=settings.max_redirects,
            allow_private_addresses=allowed,
            proxy=settings.proxy.get_secret_value() if settings.proxy is not None else None,
            user_agent=f"clew/{VERSION}",
        )
        page: FetchedPage = load("clew.ingest.web.fetching:fetch_page")(address, limits)
        return page

    return fetch


def file_reader(
    passwords: Mapping[str, str] | None, settings: IngestSettings, *, ocr: bool | None
) -> ClosableReader:
    """Return what reads files, in a worker process that starts when a file needs it; close it.

    `ocr` goes before the setting where it is not None. With it a file may take longer.

    Raises:
        IngestError: a password is not text; the message does not show it.
    """
    recognises = settings.ocr if ocr is None else ocr
    seconds = max(settings.parse_seconds, settings.ocr_seconds if recognises else 0.0)
    limits = load("clew.ingest.isolation.limits:ParseLimits")(
        seconds, settings.parse_megabytes, settings.file_megabytes
    )
    reader: ClosableReader = load("clew.ingest.isolation.reader:IsolatedReader")(
        limits, passwords=read_passwords(passwords), ocr=recognises
    )
    return reader


def field_mapping_of(names: Mapping[str, str] | None) -> FieldMapping:
    """Return which field of a record is what.

    Raises:
        IngestError: a key is none of ours.
    """
    if not names:
        return COMMON_NAMES
    unknown = sorted(set(names) - _FIELDS)
    if unknown:
        raise IngestError(
            f"field_mapping has the key {unknown[0]!r}; known are: {', '.join(sorted(_FIELDS))}"
        )
    return FieldMapping(**names)


def defaults_of(
    *,
    authors: Iterable[str],
    language: str | None,
    published_at: datetime | str | None,
    authority: float | None,
    metadata: Mapping[str, MetadataValue] | None,
    acl: Iterable[str],
) -> CallerFields:
    """Return what `add` says of all sources, checked.

    Raises:
        IngestError: a value has the wrong type or range.
    """
    return read_fields(
        {
            "authors": authors,
            "language": language,
            "published_at": published_at,
            "authority": authority,
            "metadata": metadata,
            "acl": acl,
        },
        where="the arguments of add",
    )
