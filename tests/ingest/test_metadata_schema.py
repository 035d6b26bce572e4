"""Metadata against a schema: every bad field is named, and nothing is lost by a coercion."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.errors import SchemaError
from clew.core.metadata_schema import FieldKind, FieldRule, MetadataSchema
from clew.ingest.metadata_schema import check, conform, problems_as_stored
from clew.ingest.metadata_values import coerced
from clew.ingest.schema_files import read_schema, read_schema_file, write_schema

SCHEMA = MetadataSchema(
    {
        "year": FieldRule(FieldKind.INTEGER, required=True),
        "team": FieldRule(FieldKind.TEXT, allowed=("law", "tax")),
        "signed": FieldRule(FieldKind.DATE),
        "tags": FieldRule(FieldKind.TEXT_LIST, allowed=("a", "b")),
    },
    refuse_unknown=True,
)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (FieldKind.TEXT, "x", "x"),
        (FieldKind.TEXT, 7, "7"),
        (FieldKind.TEXT, 1.5, "1.5"),
        (FieldKind.TEXT, True, "true"),
        (FieldKind.INTEGER, "2024", 2024),
        (FieldKind.INTEGER, " -3 ", -3),
        (FieldKind.INTEGER, 2.0, 2),
        (FieldKind.NUMBER, "1.50", 1.5),
        (FieldKind.NUMBER, "12", 12),
        (FieldKind.NUMBER, 3, 3),
        (FieldKind.BOOLEAN, "TRUE", True),
        (FieldKind.BOOLEAN, False, False),
        (FieldKind.DATE, "2024-05-31", "2024-05-31"),
        (FieldKind.DATE, "2024-05-31T00:00:00", "2024-05-31"),
        (FieldKind.DATE, "2024-05-31T02:00:00+02:00", "2024-05-31"),
        (FieldKind.DATE, date(2024, 5, 31), "2024-05-31"),
        (FieldKind.DATE, datetime(2024, 5, 31, tzinfo=UTC), "2024-05-31"),
        (FieldKind.TEXT_LIST, "one", ["one"]),
        (FieldKind.TEXT_LIST, ("a", "b"), ["a", "b"]),
    ],
)
def test_values_become_their_type_where_nothing_is_lost(kind, value, expected):
    result = coerced(value, kind)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (FieldKind.TEXT, ["a"]),
        (FieldKind.TEXT, float("nan")),
        (FieldKind.INTEGER, "007"),
        (FieldKind.INTEGER, "1e3"),
        (FieldKind.INTEGER, 1.5),
        (FieldKind.INTEGER, 1e300),
        (FieldKind.INTEGER, True),
        (FieldKind.INTEGER, "-"),
        (FieldKind.NUMBER, "0.12345678901234567890"),
        (FieldKind.NUMBER, "many"),
        (FieldKind.NUMBER, False),
        (FieldKind.NUMBER, float("inf")),
        (FieldKind.BOOLEAN, 1),
        (FieldKind.BOOLEAN, "yes"),
        (FieldKind.DATE, "31.5.2024"),
        (FieldKind.DATE, "2024-02-30"),
        (FieldKind.DATE, "2024-05-31T12:00:00"),
        (FieldKind.DATE, datetime(2024, 5, 31, tzinfo=timezone(timedelta(hours=2)))),
        (FieldKind.DATE, "0001-01-01T00:00:00+14:00"),
        (FieldKind.DATE, 2024),
        (FieldKind.TEXT_LIST, [1]),
        (FieldKind.TEXT_LIST, 1),
    ],
)
def test_values_that_would_lose_something_are_refused(kind, value):
    with pytest.raises(ValueError, match=r"is not (text|a|true)"):
        coerced(value, kind)


@given(st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_a_number_read_from_text_is_that_number(number):
    written = format(Decimal(number), "f")
    try:
        read = coerced(written, FieldKind.NUMBER)
    except ValueError:
        assert Decimal(float(written)) != Decimal(number)
    else:
        assert not isinstance(read, (str, list, bool, type(None)))
        assert Decimal(repr(read)) == Decimal(number)


@given(st.dates())
def test_dates_sort_as_their_text_does(day):
    assert coerced(day.isoformat(), FieldKind.DATE) == day.isoformat()
    later = date.fromordinal(min(day.toordinal() + 1, date.max.toordinal()))
    assert str(coerced(later, FieldKind.DATE)) >= str(coerced(day, FieldKind.DATE))


def test_a_document_that_obeys_gets_its_types():
    values = conform({"year": "2024", "tags": "a", "signed": None}, SCHEMA, source="x")
    assert values == {"year": 2024, "tags": ["a"], "signed": None}


def test_every_bad_field_is_named_in_one_reason():
    with pytest.raises(SchemaError) as caught:
        conform(
            {"team": "lwa", "signed": "soon", "tags": ["a", "c"], "yaer": 2024},
            SCHEMA,
            source="doc.md",
        )
    assert str(caught.value) == (
        "doc.md: the metadata break the collection's schema: "
        "signed is 'soon'; it must be a date, written YYYY-MM-DD; "
        "tags holds 'c'; allowed are 'a', 'b'; "
        "team is 'lwa'; allowed are 'law', 'tax'; "
        "yaer is not in the schema; did you mean 'year'?; "
        "year is missing; it must be a whole number"
    )


def test_long_values_are_cut_in_messages():
    _, (problem,) = check({"year": "x" * 5000}, SCHEMA)
    assert len(problem.problem) < 120


def test_other_fields_are_taken_unless_they_are_refused():
    open_schema = MetadataSchema({"year": FieldRule(FieldKind.INTEGER)})
    assert conform({"other": 1}, open_schema, source="x") == {"other": 1}
    with pytest.raises(SchemaError, match="other is not in the schema, which is empty"):
        conform({"other": 1}, MetadataSchema(refuse_unknown=True), source="x")


def test_a_stored_value_in_another_spelling_is_a_problem():
    assert problems_as_stored({"year": 2024}, SCHEMA) == ()
    (problem,) = problems_as_stored({"year": "2024"}, SCHEMA)
    assert (problem.field, problem.problem) == (
        "year",
        "is '2024' and would be 2024 if added again",
    )


WRITTEN = {
    "fields": {
        "year": {"type": "integer", "required": True},
        "team": {"type": "text", "required": False, "allowed": ["law", "tax"]},
        "signed": {"type": "date", "required": False},
        "tags": {"type": "list", "required": False, "allowed": ["a", "b"]},
    },
    "unknown": "refuse",
}


def test_a_schema_is_written_as_it_is_read():
    assert read_schema(WRITTEN) == SCHEMA
    assert write_schema(SCHEMA) == WRITTEN
    assert read_schema({"fields": {"year": "integer"}}) == MetadataSchema(
        {"year": FieldRule(FieldKind.INTEGER)}
    )


def test_schemas_come_from_toml_and_json(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(WRITTEN))
    (tmp_path / "s.toml").write_text(
        'unknown = "refuse"\n'
        "[fields]\n"
        'year = { type = "integer", required = true }\n'
        'team = { type = "text", allowed = ["law", "tax"] }\n'
        'signed = "date"\n'
        'tags = { type = "list", allowed = ["a", "b"] }\n'
    )
    assert read_schema_file(tmp_path / "s.json") == SCHEMA
    assert read_schema_file(tmp_path / "s.toml") == SCHEMA
    (tmp_path / "d.toml").write_text(
        '[fields.signed]\ntype = "date"\nallowed = [2024-05-31, "2024-06-01"]\n'
    )
    rule = read_schema_file(tmp_path / "d.toml").fields["signed"]
    assert rule.allowed == ("2024-05-31", "2024-06-01")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ([], "mapping"),
        ({}, "needs 'fields'"),
        ({"fields": []}, "needs 'fields'"),
        ({"fields": {}, "unknow": "allow"}, "unknow"),
        ({"fields": {}, "unknown": "no"}, "'allow' or 'refuse'"),
        ({"fields": {"": "text"}}, "no name"),
        ({"fields": {"title": "text"}}, "title is a field that every document has"),
        ({"fields": {"a": "string"}}, "type of a is 'string'; known are text, integer"),
        ({"fields": {"a": {}}}, "type of a is None"),
        ({"fields": {"a": 7}}, "rule of a is 7"),
        ({"fields": {"a": {"type": "text", "need": 1}}}, "need"),
        ({"fields": {"a": {"type": "text", "required": "yes"}}}, "'required' of a"),
        ({"fields": {"a": {"type": "text", "allowed": "x"}}}, "'allowed' of a"),
        ({"fields": {"a": {"type": "integer", "allowed": ["x"]}}}, "a allows 'x'"),
    ],
)
def test_malformed_schemas_are_refused(written, message):
    with pytest.raises(SchemaError, match=message):
        read_schema(written)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.yaml", "", r"a schema is a \.toml or a \.json file"),
        ("s.json", "{", "not what its suffix says"),
        ("s.toml", "= 1", "not what its suffix says"),
        ("s.toml", "x = 1", "has the key 'x'"),
        ("gone.json", None, "cannot be read"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(SchemaError, match=message) as caught:
        read_schema_file(tmp_path / name)
    assert name in str(caught.value)
