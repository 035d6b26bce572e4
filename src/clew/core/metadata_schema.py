"""Which metadata the documents of a collection have: names, types, allowed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

AllowedValue: TypeAlias = "str | int | float | bool"


class FieldKind(StrEnum):
    """Type of a field. A `DATE` is a calendar day and stored as its ISO text, 2024-05-31, which
    sorts as the days do; a `TEXT_LIST` is a list of texts."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT_LIST = "list"


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field must be. `allowed` are the values it may have, of a list those of its entries;
    empty: all of its type."""

    kind: FieldKind
    required: bool = False
    allowed: tuple[AllowedValue, ...] = ()


@dataclass(frozen=True, slots=True)
class MetadataSchema:
    """Rules by field. With `refuse_unknown`, a document has no other metadata."""

    fields: Mapping[str, FieldRule] = field(default_factory=dict[str, FieldRule])
    refuse_unknown: bool = False


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A field that breaks the schema, and how, in words that follow its name."""

    field: str
    problem: str


@dataclass(frozen=True, slots=True)
class SchemaViolation:
    """A document that is there already and breaks the schema."""

    document: int
    source: str
    problems: tuple[FieldProblem, ...]


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What a new schema says of the documents that are there: how many were looked at, and
    which break it. They stay as they are until they are added again."""

    documents: int
    violations: tuple[SchemaViolation, ...] = ()
