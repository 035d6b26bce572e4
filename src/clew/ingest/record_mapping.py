"""Which field of a JSON record is the text, the title, the id and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from clew.core.errors import IngestError

_COMMON: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "content", "contents", "body", "passage", "paragraph_text"),
    "title": ("title", "headline"),
    "id": ("id", "_id", "doc_id", "docid", "uid"),
    "source": (),
    "authors": ("authors", "author"),
    "language": ("language", "lang"),
    "published_at": ("published_at", "published", "date", "created_at"),
    "authority": ("authority",),
    "metadata": ("metadata", "meta"),
    "acl": ("acl", "groups"),
}


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Names of a record's fields; None: the common name that the record has, such as `content` or
    `body` for the text. `source` has no common name, since many records may share one: a record
    is known by its id unless a field is named here."""

    text: str | None = None
    title: str | None = None
    id: str | None = None
    source: str | None = None
    authors: str | None = None
    language: str | None = None
    published_at: str | None = None
    authority: str | None = None
    metadata: str | None = None
    acl: str | None = None


COMMON_NAMES = FieldMapping()


@dataclass(frozen=True, slots=True)
class MappedRecord:
    """A record under our own names; `dropped` are the fields that no metadata value can hold."""

    values: Mapping[str, object]
    dropped: tuple[str, ...] = ()


def map_record(record: Mapping[str, object], mapping: FieldMapping) -> MappedRecord:
    """Return the record with its fields under our names; what is left over becomes metadata.

    Raises:
        IngestError: the record has no text field; names the fields that it has.
    """
    values: dict[str, object] = {}
    used: set[str] = set()
    for each in fields(mapping):
        wanted = getattr(mapping, each.name)
        names = _COMMON[each.name] if wanted is None else (wanted,)
        name = next((name for name in names if record.get(name) is not None), None)
        if name is not None:
            values[each.name] = record[name]
            used.add(name)
    if "text" not in values:
        wanted = mapping.text or " or ".join(_COMMON["text"])
        raise IngestError(f"no field {wanted}; the record has: {', '.join(record) or 'none'}")
    extra = {name: value for name, value in record.items() if name not in used}
    dropped = tuple(name for name, value in extra.items() if not _fits_metadata(value))
    kept = {name: value for name, value in extra.items() if name not in dropped}
    own = values.get("metadata")
    if kept and (own is None or isinstance(own, Mapping)):
        values["metadata"] = {**kept, **(own or {})}
    return MappedRecord(values, dropped)


def _fits_metadata(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, (str, int, float))
