"""Metadata predicates as nested mappings, the form that Python callers, JSON and REST write.

    {"year": 2024}                                 the value itself
    {"year": [2023, 2024]}                         one of them
    {"year": {"gte": 2020, "lt": 2025}}            a range; also gt, lte, eq, ne, in
    {"tags": {"contains": "red"}, "owner": {"exists": True}}    both
    {"or": [{"year": 2024}, {"not": {"tags": {"contains": "old"}}}]}

Fields that are themselves called and, or or not need `core.query.Condition`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clew.core.errors import QueryError
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Not, Predicate, Scalar

_MOST_NESTED = 20


def predicate_of(where: Mapping[str, object] | Predicate) -> Predicate | None:
    """Return the predicate that a mapping stands for, None for an empty one.

    Raises:
        QueryError: an operator is unknown, a value does not fit its operator, or the mapping is
            nested too deeply; the message names the place.
    """
    if not isinstance(where, Mapping):
        return where
    return _conjunction(_parts(where, "where", 0))


def both(first: Predicate | None, second: Predicate | None) -> Predicate | None:
    """Return what holds where both hold; None holds always."""
    return _conjunction(part for part in (first, second) if part is not None)


def _parts(where: Mapping[str, object], place: str, depth: int) -> list[Predicate]:
    if depth > _MOST_NESTED:
        raise QueryError(f"{place} is nested more than {_MOST_NESTED} times; make it simpler")
    parts: list[Predicate] = []
    for key, value in sorted(where.items()):
        here = f"{place}.{key}"
        if key in ("and", "or"):
            branches = tuple(_whole(item, here, depth) for item in _items(value, here))
            parts.append(AllOf(branches) if key == "and" else AnyOf(branches))
        elif key == "not":
            parts.append(Not(_whole(value, here, depth)))
        elif isinstance(value, Mapping):
            parts += [_condition(key, name, wanted, here) for name, wanted in value.items()]
        elif isinstance(value, list | tuple | set | frozenset):
            parts.append(_condition(key, Comparison.IN, value, here))
        else:
            parts.append(_condition(key, Comparison.EQUAL, value, here))
    return parts


def _whole(value: object, place: str, depth: int) -> Predicate:
    if isinstance(value, Condition | AllOf | AnyOf | Not):
        return value
    if not isinstance(value, Mapping):
        raise QueryError(f"{place} holds {value!r}; give an object such as {{'year': 2024}}")
    parts = _parts(value, place, depth + 1)
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _condition(field: str, operator: object, value: object, place: str) -> Condition:
    try:
        comparison = Comparison(str(operator))
    except ValueError:
        known = ", ".join(comparison.value for comparison in Comparison)
        raise QueryError(f"{place} has the operator {operator!r}; known are: {known}") from None
    if comparison is Comparison.IN:
        return Condition(
            field, comparison, tuple(_scalar(item, place) for item in _items(value, place))
        )
    return Condition(field, comparison, _scalar(value, place))


def _items(value: object, place: str) -> list[object]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise QueryError(f"{place} holds {value!r}; give a list")


def _scalar(value: object, place: str) -> Scalar:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise QueryError(f"{place} holds {value!r}; give a text, a number, true, false or null")


def _conjunction(parts: Iterable[Predicate]) -> Predicate | None:
    known = tuple(parts)
    if len(known) > 1:
        return AllOf(known)
    return known[0] if known else None
