"""From the arguments of `add` to a stream of sources and what is said about all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from clew.core.documents import MetadataValue
from clew.core.errors import IngestError
from clew.engine.loading import load
from clew.ingest.fields import CallerFields, read_fields
from clew.ingest.passwords import read_passwords
from clew.ingest.reading import ClosableReader, FileReader
from clew.ingest.record_mapping import COMMON_NAMES, FieldMapping
from clew.ingest.sources import SourceFailure, SourceInput, SourceItem, read_sources
from clew.settings.model import IngestSettings

Input: TypeAlias = "str | Path | Mapping[str, object] | Iterable[SourceInput]"

_FIELDS = frozenset(field.name for field in fields(FieldMapping))


def items_of(
    inputs: Iterable[Input], mapping: FieldMapping, reader: FileReader, *, follow_links: bool
) -> Iterator[SourceItem | SourceFailure]:
    """Return the sources of all inputs, in order; `reader` reads the files among them.

    Raises:
        IngestError: a path does not exist or a record is malformed; before anything is read.
    """
    return chain.from_iterable(
        [
            read_sources(each, mapping=mapping, reader=reader, follow_links=follow_links)
            for each in inputs
        ]
    )


def file_reader(passwords: Mapping[str, str] | None, settings: IngestSettings) -> ClosableReader:
    """Return what reads files, in a worker process that starts when a file needs it; close it.

    Raises:
        IngestError: a password is not text; the message does not show it.
    """
    limits = load("clew.ingest.isolation.limits:ParseLimits")(
        settings.parse_seconds, settings.parse_megabytes, settings.file_megabytes
    )
    reader: ClosableReader = load("clew.ingest.isolation.reader:IsolatedReader")(
        limits, passwords=read_passwords(passwords)
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
