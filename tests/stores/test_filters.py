"""Each part of a filter, and each comparison, on values of each type."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from clew.core.documents import Document, MetadataValue
from clew.core.errors import QueryError
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Filter, Not, Predicate, Scalar
from clew.stores.filters import holds, passes_document, passes_labels
from clew.stores.times import from_microseconds, in_utc, instant, microseconds

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
DOCUMENT = Document(7, "a.md", "h", "A", "text", language="en", published_at=NOON)
UNDATED = Document(8, "b.md", "h", "B", "text")
METADATA: dict[str, MetadataValue] = {
    "n": 3,
    "share": 0.5,
    "text": "Berlin",
    "yes": True,
    "none": None,
    "tags": ["red", "3"],
}


@pytest.mark.parametrize(
    ("filter", "passes"),
    [
        (Filter(), True),
        (Filter(documents=frozenset({7, 9})), True),
        (Filter(documents=frozenset({9})), False),
        (Filter(sources=frozenset({"a.md"})), True),
        (Filter(sources=frozenset({"A.md"})), False),
        (Filter(languages=frozenset({"en", "pt"})), True),
        (Filter(languages=frozenset({"pt"})), False),
        (Filter(published_from=NOON), True),
        (Filter(published_from=NOON + TICK), False),
        (Filter(published_to=NOON), False),
        (Filter(published_to=NOON + TICK), True),
        (Filter(published_from=NOON.replace(tzinfo=None)), True),
        (Filter(documents=frozenset({7}), languages=frozenset({"pt"})), False),
        (Filter(metadata=Condition("x", Comparison.EQUAL, 1)), False),
        (Filter(labels=frozenset({"Person"})), True),
    ],
)
def test_parts_of_a_filter(*, filter: Filter, passes: bool) -> None:
    assert passes_document(filter, DOCUMENT) is passes


@pytest.mark.parametrize(
    "filter",
    [
        Filter(languages=frozenset({"en"})),
        Filter(published_from=NOON - timedelta(days=9999)),
        Filter(published_to=NOON + timedelta(days=9999)),
    ],
)
def test_a_document_without_the_value_fails(filter: Filter) -> None:
    assert not passes_document(filter, UNDATED)


def test_labels() -> None:
    wanted = Filter(labels=frozenset({"Person", "City"}))
    assert passes_labels(wanted, frozenset({"City", "Thing"}))
    assert not passes_labels(wanted, frozenset({"Thing"}))
    assert not passes_labels(wanted, frozenset())
    assert passes_labels(Filter(), frozenset())


@pytest.mark.parametrize(
    ("field", "comparison", "value", "expected"),
    [
        ("n", Comparison.EQUAL, 3, True),
        ("n", Comparison.EQUAL, 3.0, True),
        ("n", Comparison.EQUAL, "3", False),
        ("yes", Comparison.EQUAL, True, True),
        ("yes", Comparison.EQUAL, 1, False),
        ("n", Comparison.EQUAL, True, False),
        ("none", Comparison.EQUAL, None, True),
        ("missing", Comparison.EQUAL, None, True),
        ("n", Comparison.EQUAL, None, False),
        ("tags", Comparison.EQUAL, "red", False),
        ("text", Comparison.EQUAL, "berlin", False),
        ("n", Comparison.IN, (1, 3), True),
        ("n", Comparison.IN, ("3", True), False),
        ("n", Comparison.IN, (), False),
        ("missing", Comparison.IN, (None,), True),
        ("n", Comparison.AT_LEAST, 3, True),
        ("n", Comparison.AT_LEAST, 3.5, False),
        ("n", Comparison.AT_MOST, 3, True),
        ("share", Comparison.AT_MOST, 0, False),
        ("text", Comparison.AT_LEAST, "Berlin", True),
        ("text", Comparison.AT_MOST, "Az", False),
        ("n", Comparison.AT_LEAST, "2", False),
        ("yes", Comparison.AT_LEAST, 0, False),
        ("n", Comparison.AT_LEAST, False, False),
        ("missing", Comparison.AT_LEAST, 0, False),
        ("missing", Comparison.AT_MOST, 0, False),
        ("tags", Comparison.CONTAINS, "red", True),
        ("tags", Comparison.CONTAINS, "re", False),
        ("tags", Comparison.CONTAINS, 3, False),
        ("text", Comparison.CONTAINS, "erl", True),
        ("text", Comparison.CONTAINS, "ERL", False),
        ("n", Comparison.CONTAINS, "3", False),
        ("missing", Comparison.CONTAINS, "x", False),
        ("n", Comparison.NOT_EQUAL, 3, False),
        ("n", Comparison.NOT_EQUAL, "3", True),
        ("missing", Comparison.NOT_EQUAL, 3, True),
        ("missing", Comparison.NOT_EQUAL, None, False),
        ("n", Comparison.ABOVE, 2.5, True),
        ("n", Comparison.ABOVE, 3, False),
        ("n", Comparison.BELOW, 3.5, True),
        ("n", Comparison.BELOW, 3, False),
        ("text", Comparison.BELOW, "C", True),
        ("missing", Comparison.BELOW, 3, False),
        ("n", Comparison.BELOW, "4", False),
        ("n", Comparison.EXISTS, True, True),
        ("n", Comparison.EXISTS, False, False),
        ("none", Comparison.EXISTS, True, False),
        ("missing", Comparison.EXISTS, False, True),
    ],
)
def test_conditions(
    *, field: str, comparison: Comparison, value: Scalar | tuple[Scalar, ...], expected: bool
) -> None:
    assert holds(Condition(field, comparison, value), METADATA) is expected


YES, NO = Condition("n", Comparison.EQUAL, 3), Condition("n", Comparison.EQUAL, 4)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (AllOf(()), True),
        (AllOf((YES, YES)), True),
        (AllOf((YES, NO)), False),
        (AnyOf(()), False),
        (AnyOf((NO, YES)), True),
        (AnyOf((NO, NO)), False),
        (Not(NO), True),
        (Not(AllOf((YES, AnyOf((NO, Not(NO)))))), False),
    ],
)
def test_combinations(*, predicate: Predicate, expected: bool) -> None:
    assert holds(predicate, METADATA) is expected


@pytest.mark.parametrize(
    ("comparison", "value"),
    [
        (Comparison.IN, 3),
        (Comparison.EQUAL, (3,)),
        (Comparison.ABOVE, (3,)),
        (Comparison.EXISTS, 1),
        (Comparison.EXISTS, None),
    ],
)
def test_a_value_must_fit_its_comparison(
    comparison: Comparison, value: Scalar | tuple[Scalar, ...]
) -> None:
    with pytest.raises(QueryError, match="'n'"):
        Condition("n", comparison, value)


def test_a_condition_names_a_field() -> None:
    with pytest.raises(QueryError, match="no metadata field"):
        Condition("", Comparison.EQUAL, 1)


def test_instants() -> None:
    india = datetime(1970, 1, 1, 5, 30, 0, 1, tzinfo=timezone(timedelta(hours=5.5)))
    assert microseconds(india) == 1
    assert microseconds(datetime(1969, 12, 31, 23, 59, 59)) == -1_000_000  # noqa: DTZ001
    assert from_microseconds(-1_000_000) == datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert in_utc(india).utcoffset() == timedelta(0)
    assert str(instant(india)) == "1970-01-01T00:00:00.000001"
    assert str(instant(None)) == "NaT"
