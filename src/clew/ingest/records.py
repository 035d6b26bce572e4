"""A record (a dict of the caller, a line of a file) as text and checked fields under a source."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from clew.core.documents import ParsedText
from clew.core.errors import IngestError
from clew.ingest.fields import FIELD_NAMES, CallerFields, read_fields
from clew.ingest.whitespace import tidy

_DICT_KEYS = frozenset({"text", "content", "source", "id", *FIELD_NAMES})
_OPENING_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Record:
    """A record's text, its source, and what it says about itself."""

    source: str
    parsed: ParsedText
    fields: CallerFields


def read_dict(given: Mapping[str, object]) -> Record:
    """Return a caller's dict as a record.

    Raises:
        IngestError: it has unknown keys, no text, or a malformed field.
    """
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
    return read_record(values, where=str(name), prefix="")


def read_record(values: Mapping[str, object], *, where: str, prefix: str) -> Record:
    """Return a record under our names; `prefix` goes before its id.

    Raises:
        IngestError: its text is missing or empty, or a field is malformed; begins with `where`.
    """
    text = values["text"]
    if not isinstance(text, str):
        raise IngestError(f"{where}: the text is a {type(text).__name__}; it must be text")
    source = _record_source(values, text, where=where, prefix=prefix)
    fields = read_fields(values, where=where)
    cleaned = tidy(text)
    if not cleaned:
        raise IngestError(f"{where}: the text is empty; there is nothing to index")
    if fields.title is None and source.startswith("text:"):
        fields = replace(fields, title=opening(cleaned))
    return Record(source, ParsedText(text=cleaned), fields)


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


def opening(text: str) -> str:
    """Return the first words of a text, as the title of one that has none."""
    line = " ".join(text.split())
    if len(line) <= _OPENING_LENGTH:
        return line
    return line[:_OPENING_LENGTH].rsplit(" ", 1)[0].rstrip(",;:") + " …"
