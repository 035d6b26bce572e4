"""Metadata against a collection's schema: the values as they are stored, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from clew.core.documents import Metadata, MetadataValue
from clew.core.errors import SchemaError
from clew.core.metadata_schema import FieldProblem, FieldRule, MetadataSchema
from clew.ingest.metadata_values import KIND_NAMES, coerced

_MOST_SHOWN = 60


def conform(metadata: Metadata, schema: MetadataSchema, *, source: str) -> Metadata:
    """Return the metadata of a document in the types of the schema.

    Raises:
        SchemaError: they break it; the message names every field that does, and how.
    """
    values, problems = check(metadata, schema)
    if problems:
        raise SchemaError(
            f"{source}: the metadata break the collection's schema: {in_words(problems)}"
        )
    return values


def check(
    metadata: Metadata, schema: MetadataSchema
) -> tuple[dict[str, MetadataValue], tuple[FieldProblem, ...]]:
    """Return metadata in the types of a schema, and every problem, by field in order of names.

    A value of null is no value. Fields that break the schema keep the value that they had.
    """
    values = dict(metadata)
    problems: list[FieldProblem] = []
    for name in sorted({*metadata, *schema.fields}):
        rule = schema.fields.get(name)
        if rule is None:
            if schema.refuse_unknown:
                problems.append(FieldProblem(name, _unknown(name, schema.fields)))
            continue
        value = metadata.get(name)
        if value is None:
            if rule.required:
                problems.append(
                    FieldProblem(name, f"is missing; it must be {KIND_NAMES[rule.kind]}")
                )
            continue
        try:
            values[name] = coerced(value, rule.kind)
        except ValueError:
            problems.append(
                FieldProblem(name, f"is {_shown(value)}; it must be {KIND_NAMES[rule.kind]}")
            )
            continue
        problems += _not_allowed(name, values[name], rule)
    return values, tuple(problems)


def problems_as_stored(metadata: Metadata, schema: MetadataSchema) -> tuple[FieldProblem, ...]:
    """Return what is wrong with metadata that are stored already, other spellings included: a
    filter on a number does not find the text of that number."""
    values, problems = check(metadata, schema)
    spelled = (
        FieldProblem(
            name, f"is {_shown(metadata[name])} and would be {_shown(values[name])} if added again"
        )
        for name in sorted(metadata)
        if type(values[name]) is not type(metadata[name]) or values[name] != metadata[name]
    )
    return (*problems, *spelled)


def in_words(problems: Iterable[FieldProblem]) -> str:
    """Return problems as one sentence."""
    return "; ".join(f"{problem.field} {problem.problem}" for problem in problems)


def _not_allowed(name: str, value: MetadataValue, rule: FieldRule) -> Iterator[FieldProblem]:
    if not rule.allowed:
        return
    given = value if isinstance(value, list) else [value]
    wrong = [each for each in given if each not in rule.allowed]
    if wrong:
        allowed = ", ".join(map(_shown, rule.allowed))
        shown = ", ".join(map(_shown, wrong))
        verb = "holds" if isinstance(value, list) else "is"
        yield FieldProblem(name, f"{verb} {shown}; allowed are {allowed}")


def _unknown(name: str, known: Mapping[str, FieldRule]) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
    return f"is not in the schema; {hint}" if known else "is not in the schema, which is empty"


def _shown(value: object) -> str:
    written = repr(value)
    return written if len(written) <= _MOST_SHOWN else written[: _MOST_SHOWN - 1] + "…"
