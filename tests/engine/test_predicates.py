"""Metadata predicates as nested mappings, against an independent evaluation of the mapping."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.errors import QueryError
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Not
from clew.engine.predicates import predicate_of
from clew.stores.filters import holds


def equal(field: str, value: Any) -> Condition:
    return Condition(field, Comparison.EQUAL, value)


class TestForms:
    def test_a_value_a_list_and_a_range(self) -> None:
        assert predicate_of({"year": 2024}) == equal("year", 2024)
        assert predicate_of({"year": [2023, 2024]}) == Condition(
            "year", Comparison.IN, (2023, 2024)
        )
        assert predicate_of({"year": {"gte": 2020, "lt": 2025}}) == AllOf(
            (
                Condition("year", Comparison.AT_LEAST, 2020),
                Condition("year", Comparison.BELOW, 2025),
            )
        )
        assert predicate_of({}) is None

    def test_and_or_not(self) -> None:
        found = predicate_of(
            {"or": [{"year": 2024}, {"not": {"tags": {"contains": "old"}, "year": 2023}}]}
        )
        old = Condition("tags", Comparison.CONTAINS, "old")
        assert found == AnyOf((equal("year", 2024), Not(AllOf((old, equal("year", 2023))))))
        assert predicate_of({"and": [{"a": 1}, equal("b", 2)]}) == AllOf(
            (equal("a", 1), equal("b", 2))
        )

    def test_a_predicate_stays_what_it_is(self) -> None:
        assert predicate_of(equal("a", 1)) == equal("a", 1)

    @pytest.mark.parametrize(
        ("where", "said"),
        [
            ({"year": {"above": 3}}, "where.year has the operator 'above'"),
            ({"year": {"in": 3}}, "where.year holds 3; give a list"),
            ({"or": {"a": 1}}, "where.or holds"),
            ({"or": [3]}, "where.or holds 3"),
            ({"not": 3}, "where.not holds 3"),
            ({"a": {"eq": [1]}}, "where.a holds"),
            ({"a": {"exists": 1}}, "'exists': give it true"),
            ({"": 1}, "no metadata field"),
        ],
    )
    def test_errors_name_the_place(self, where: dict[str, Any], said: str) -> None:
        with pytest.raises(QueryError, match=said):
            predicate_of(where)

    def test_endless_nesting_is_refused(self) -> None:
        where: dict[str, Any] = {"a": 1}
        for _ in range(50):
            where = {"not": where}
        with pytest.raises(QueryError, match="nested"):
            predicate_of(where)


TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gte": operator.ge,
    "lte": operator.le,
    "gt": operator.gt,
    "lt": operator.lt,
}


def evaluate(where: dict[str, Any], metadata: dict[str, int]) -> bool:
    """Evaluate a mapping over whole numbers that are all there, by Python's own operators."""
    outcomes = []
    for key, value in where.items():
        if key == "and":
            outcomes.append(all(evaluate(part, metadata) for part in value))
        elif key == "or":
            outcomes.append(any(evaluate(part, metadata) for part in value))
        elif key == "not":
            outcomes.append(not evaluate(value, metadata))
        elif isinstance(value, dict):
            outcomes += [TESTS[name](metadata[key], wanted) for name, wanted in value.items()]
        elif isinstance(value, list):
            outcomes.append(metadata[key] in value)
        else:
            outcomes.append(metadata[key] == value)
    return all(outcomes)


numbers = st.integers(0, 3)
leaves = st.dictionaries(
    st.sampled_from("xy"),
    numbers
    | st.lists(numbers, max_size=3)
    | st.dictionaries(st.sampled_from(sorted(TESTS)), numbers, min_size=1, max_size=2),
    min_size=1,
    max_size=2,
)
mappings = st.recursive(
    leaves,
    lambda inner: (
        st.builds(lambda parts: {"and": parts}, st.lists(inner, max_size=3))
        | st.builds(lambda parts: {"or": parts}, st.lists(inner, max_size=3))
        | st.builds(lambda part: {"not": part}, inner)
    ),
    max_leaves=6,
)


@given(mappings, st.fixed_dictionaries({"x": numbers, "y": numbers}))
@settings(deadline=None, max_examples=200)
def test_python_gives_the_same(where: dict[str, Any], metadata: dict[str, int]) -> None:
    predicate = predicate_of(where)
    assert predicate is not None
    assert holds(predicate, metadata) is evaluate(where, metadata)
