"""Schemas of metadata as people write them: a mapping, or a TOML or JSON file that holds one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from clew.core.errors import SchemaError
from clew.core.metadata_schema import AllowedValue, FieldKind, FieldRule, MetadataSchema
from clew.ingest.fields import FIELD_NAMES
from clew.ingest.metadata_values import KIND_NAMES, coerced

_KEYS = ("fields", "unknown")
_RULE_KEYS = ("type", "required", "allowed")
_UNKNOWN = {"allow": False, "refuse": True}


def read_schema_file(path: Path) -> MetadataSchema:
    """Return the schema of a `.toml` or `.json` file.

    Raises:
        SchemaError: the file cannot be read, or holds no schema; names the file and the place.
    """
    readers = {".toml": tomllib.loads, ".json": json.loads}
    if path.suffix.casefold() not in readers:
        raise SchemaError(f"{path}: a schema is a .toml or a .json file")
    try:
        written = readers[path.suffix.casefold()](path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SchemaError(f"{path}: the file cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{path}: the file is not what its suffix says: {error}") from error
    try:
        return read_schema(written)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error


def read_schema(written: object) -> MetadataSchema:
    """Return the schema of `{"fields": {NAME: RULE}, "unknown": "allow" or "refuse"}`.

    A rule is a type (text, integer, number, boolean, date, list) or a mapping of `type`,
    `required` and `allowed`.

    Raises:
        SchemaError: it is written otherwise; names the field.
    """
    if not isinstance(written, Mapping):
        raise SchemaError("a schema is a mapping with the keys 'fields' and 'unknown'")
    _only(written, _KEYS, "a schema")
    fields = written.get("fields")
    if not isinstance(fields, Mapping):
        raise SchemaError("a schema needs 'fields', a mapping of names to rules")
    unknown = written.get("unknown", "allow")
    if unknown not in _UNKNOWN:
        raise SchemaError(f"'unknown' is {unknown!r}; it must be 'allow' or 'refuse'")
    return MetadataSchema(
        {_name(name): _rule(name, rule) for name, rule in fields.items()}, _UNKNOWN[unknown]
    )


def write_schema(schema: MetadataSchema) -> dict[str, object]:
    """Return a schema as it is written, ready for JSON; `read_schema` reads it back."""
    return {
        "fields": {
            name: {"type": rule.kind.value, "required": rule.required}
            | ({"allowed": list(rule.allowed)} if rule.allowed else {})
            for name, rule in sorted(schema.fields.items())
        },
        "unknown": "refuse" if schema.refuse_unknown else "allow",
    }


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise SchemaError(f"{name!r} is no name of a field; it must be text and not empty")
    if name in FIELD_NAMES:
        raise SchemaError(
            f"{name} is a field that every document has, and no metadata; leave it out"
        )
    return name


def _rule(name: object, written: object) -> FieldRule:
    rule = {"type": written} if isinstance(written, str) else written
    if not isinstance(rule, Mapping):
        raise SchemaError(f"the rule of {name} is {written!r}; write a type or a mapping")
    _only(rule, _RULE_KEYS, f"the rule of {name}")
    try:
        kind = FieldKind(str(rule.get("type")))
    except ValueError:
        types = ", ".join(FieldKind)
        raise SchemaError(
            f"the type of {name} is {rule.get('type')!r}; known are {types}"
        ) from None
    required = rule.get("required", False)
    if not isinstance(required, bool):
        raise SchemaError(f"'required' of {name} is {required!r}; it must be true or false")
    return FieldRule(kind, required, _allowed(name, rule.get("allowed", []), kind))


def _allowed(name: object, values: object, kind: FieldKind) -> tuple[AllowedValue, ...]:
    if not isinstance(values, (list, tuple)):
        raise SchemaError(f"'allowed' of {name} is {values!r}; it must be a list")
    entry = FieldKind.TEXT if kind is FieldKind.TEXT_LIST else kind
    allowed: list[AllowedValue] = []
    for value in values:
        try:
            read = coerced(value, entry)
        except ValueError:
            raise SchemaError(
                f"{name} allows {value!r}, which is not {KIND_NAMES[entry]}"
            ) from None
        if isinstance(read, (str, int, float)):
            allowed.append(read)
    return tuple(allowed)


def _only(written: Mapping[object, object], known: tuple[str, ...], what: str) -> None:
    unknown = [str(key) for key in written if key not in known]
    if unknown:
        raise SchemaError(f"{what} has the key {unknown[0]!r}; known are {', '.join(known)}")
