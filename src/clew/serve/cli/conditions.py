"""What `--where` says: KEY=VALUE with other signs, or a JSON object."""

from __future__ import annotations

import json
import re

from clew.core.errors import QueryError
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Not, Predicate
from clew.engine.predicates import predicate_of
from clew.serve.cli.options import scalar

_CONDITION = re.compile(r"\s*([^=<>!~]+?)\s*(!=|>=|<=|=|>|<|~)\s*(.*)", re.DOTALL)
_ORDERS = {
    ">=": Comparison.AT_LEAST,
    "<=": Comparison.AT_MOST,
    ">": Comparison.ABOVE,
    "<": Comparison.BELOW,
}


def condition_of(text: str) -> Predicate:
    """Return the predicate that one `--where` stands for; a value may be a number or a text.

    Raises:
        QueryError: it is neither KEY=VALUE (or with !=, >, >=, <, <=, ~) nor a JSON object.
    """
    if text.lstrip().startswith("{"):
        return _from_json(text)
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise QueryError(
            f"--where {text!r} is not written KEY=VALUE, nor with one of: != > >= < <= ~"
        )
    field, sign, written = match.groups()
    value = written.strip()
    if sign == "~":
        return Condition(field, Comparison.CONTAINS, value)
    either = Condition(field, Comparison.IN, (value, scalar(value)))
    if sign == "=":
        return either
    if sign == "!=":
        return Not(either)
    # A number is compared with numbers and a text with texts: whichever the metadata hold.
    kinds = dict.fromkeys((value, scalar(value)))
    return AnyOf(tuple(Condition(field, _ORDERS[sign], kind) for kind in kinds))


def _from_json(text: str) -> Predicate:
    try:
        read = json.loads(text)
    except ValueError as error:
        raise QueryError(f"--where {text!r} is no JSON: {error}") from None
    return predicate_of(read) or AllOf(())
