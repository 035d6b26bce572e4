"""What a caller says about a document, checked: title, authors, date, authority, metadata, acl."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clew.core.documents import Metadata, MetadataValue
from clew.core.errors import IngestError
from clew.ingest.timestamps import read_timestamp

FIELD_NAMES = (
    "title",
    "authors",
    "language",
    "published_at",
    "authority",
    "metadata",
    "acl",
)


@dataclass(frozen=True, slots=True)
class CallerFields:
    """Checked fields; None and empty where the caller said nothing."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    language: str | None = None
    published_at: datetime | None = None
    authority: float | None = None
    metadata: Metadata = field(default_factory=dict[str, MetadataValue])
    acl: frozenset[str] = frozenset()


NO_FIELDS = CallerFields()


def read_fields(values: Mapping[str, object], *, where: str) -> CallerFields:
    """Return the fields among `values`; other keys are not looked at.

    `authors` may be one name; dates are ISO text, `date` or `datetime` (UTC where no zone is
    given). `where` names the source in errors.

    Raises:
        IngestError: a value has the wrong type or range.
    """
    try:
        return CallerFields(
            title=_text(values.get("title"), "title"),
            authors=tuple(_names(values.get("authors"), "authors", one=True)),
            language=_language(values.get("language")),
            published_at=read_timestamp(values.get("published_at")),
            authority=read_authority(values.get("authority")),
            metadata=read_metadata(values.get("metadata")),
            acl=frozenset(_names(values.get("acl"), "acl", one=False)),
        )
    except IngestError as error:
        raise IngestError(f"{where}: {error}") from error


def read_authority(value: object) -> float | None:
    """Return a number in 0..1, or None.

    Raises:
        IngestError: it is neither.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise IngestError(f"authority is {value!r}; it must be a number in 0..1")
    return float(value)


def read_metadata(value: object) -> Metadata:
    """Return a mapping of names to text, numbers, truth values or lists of text.

    Raises:
        IngestError: it holds anything else; names the key.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise IngestError(f"metadata is a {type(value).__name__}; it must be a mapping")
    return {_metadata_key(key): _metadata_value(key, item) for key, item in value.items()}


def _metadata_key(key: object) -> str:
    if not isinstance(key, str) or not key.strip():
        raise IngestError(f"metadata has the key {key!r}; keys must be text and not empty")
    return key


def _metadata_value(key: object, value: object) -> MetadataValue:
    if isinstance(value, float) and not math.isfinite(value):
        raise IngestError(f"metadata[{key!r}] is {value}; numbers must be finite")
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return [str(item) for item in value]
    raise IngestError(
        f"metadata[{key!r}] is a {type(value).__name__}; allowed are text, numbers, true or false, "
        "null and lists of text"
    )


def _text(value: object, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise IngestError(f"{name} is a {type(value).__name__}; it must be text")
    return " ".join(value.split()) or None


def _language(value: object) -> str | None:
    text = _text(value, "language")
    if text is None:
        return None
    code = text.replace("_", "-").split("-")[0].casefold()
    if not (code.isascii() and code.isalpha() and len(code) in (2, 3)):
        raise IngestError(f"language is {text!r}; write an ISO 639 code such as 'en' or 'pt-BR'")
    return code


def _names(value: object, name: str, *, one: bool) -> list[str]:
    """Return a list of names; with `one`, a text alone is a list of one."""
    if value is None:
        return []
    if isinstance(value, str):
        if not one:
            raise IngestError(f"{name} is text; it must be a list of names")
        value = [value]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise IngestError(f"{name} is a {type(value).__name__}; it must be a list of names")
    names: list[str] = []
    for item in value:
        if not isinstance(item, str) or not item.strip():
            raise IngestError(f"{name} holds {item!r}; every entry must be text and not empty")
        names.append(item.strip())
    return names
