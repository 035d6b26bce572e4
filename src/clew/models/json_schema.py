"""A JSON schema as a pydantic type, to validate what a model wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

_SIMPLE: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
}
_LIMITS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}
_DEEPEST = 24

Validate = Callable[[object], None]


def validator(schema: Mapping[str, object]) -> Validate:
    """Return a function that checks a value against `schema`.

    Read are: type, properties, required, additionalProperties (true or false), items, enum, const,
    anyOf, oneOf (as anyOf), $ref into $defs, and limits of numbers, texts and lists. What else a
    schema says is left to the server. The function raises ValueError, which names each place.

    Raises:
        ValueError: a reference leads nowhere or into itself too deeply.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(_type(schema, schema, 0))

    def validate(value: object) -> None:
        try:
            adapter.validate_python(value, strict=True)
        except ValidationError as error:
            problems = (
                f"{'.'.join(map(str, one['loc'])) or 'the object'}: {one['msg']}"
                for one in error.errors(include_url=False, include_input=False)
            )
            raise ValueError("; ".join(problems)) from None

    return validate


def _type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:  # noqa: ANN401
    """Return the type of a schema: a class, or a form that `typing` makes at run time."""
    if depth > _DEEPEST:
        raise ValueError("the schema refers to itself; give one of a bounded depth")
    if "$ref" in schema:
        return _type(_referred(schema["$ref"], root), root, depth + 1)
    if "const" in schema:
        return Literal[schema["const"]]
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices is None and isinstance(schema.get("type"), list):
        choices = [{**schema, "type": one} for one in schema["type"]]
    if choices:
        return _union([_type(one, root, depth + 1) for one in choices])
    kind = schema.get("type", "object" if "properties" in schema else None)
    if kind == "object":
        return _object(schema, root, depth)
    inner = list[_type(schema.get("items", {}), root, depth + 1)] if kind == "array" else None  # type: ignore[misc]
    plain = inner if kind == "array" else _SIMPLE.get(str(kind), Any)
    limits = {_LIMITS[name]: limit for name, limit in schema.items() if name in _LIMITS}
    return Annotated[plain, Field(**limits)] if limits else plain


def _union(types: list[Any]) -> Any:  # noqa: ANN401
    whole = types[0]
    for one in types[1:]:
        whole = whole | one
    return whole


def _object(
    schema: Mapping[str, Any], root: Mapping[str, Any], depth: int
) -> type[BaseModel] | Any:  # noqa: ANN401
    properties: Mapping[str, Any] = schema.get("properties", {})
    if not properties:
        return dict[str, Any]
    required = frozenset(schema.get("required", ()))
    fields: dict[str, Any] = {
        # Names of fields are free in JSON and not in a class; the alias keeps them.
        f"field_{place}": (
            _type(inner, root, depth + 1),
            Field(alias=name) if name in required else Field(default=None, alias=name),
        )
        for place, (name, inner) in enumerate(properties.items())
    }
    closed = schema.get("additionalProperties") is False
    config = ConfigDict(extra="forbid" if closed else "ignore")
    return create_model("Object", __config__=config, **fields)


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for key in reference.removeprefix("#/").split("/"):
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        raise ValueError(f"the schema refers to {reference}, which it does not hold")
    return found
