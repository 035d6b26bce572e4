"""The parts of the client for language models, each against arithmetic by hand."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.models.json_repair import read_object
from clew.models.json_schema import validator
from clew.models.rate_limit import TokenBucket
from clew.models.retry_pause import retry_pause
from clew.text.token_count import estimated_tokens


def test_a_bucket_lets_through_what_it_holds_and_then_one_after_the_other():
    moment = [0.0]
    bucket = TokenBucket(60, clock=lambda: moment[0])  # one a second
    assert [bucket.reserve(30), bucket.reserve(30)] == [0.0, 0.0]
    # Empty: two more are owed, then three.
    assert [bucket.reserve(2), bucket.reserve(3)] == [2.0, 5.0]
    moment[0] = 10.0  # ten came in, five were owed
    assert bucket.reserve(6) == 1.0
    bucket.settle(4)  # four were not used: 3 are there
    assert bucket.reserve(3) == 0.0
    moment[0] = 1000.0
    assert bucket.reserve(61) == 1.0  # never more than a minute's worth is kept


@given(st.lists(st.tuples(st.floats(0, 30), st.floats(0.1, 50)), min_size=1, max_size=30))
def test_no_more_flows_than_the_bucket_and_its_rate_give(steps):
    """Whatever may be used by a moment was held at first or has come in since."""
    moment = [0.0]
    bucket = TokenBucket(60, clock=lambda: moment[0])
    used = 0.0
    for pause, amount in steps:
        moment[0] += pause
        used += amount
        allowed_at = moment[0] + bucket.reserve(amount)
        assert used <= 60 + allowed_at * 1.0 + 1e-6


@pytest.mark.parametrize(
    ("attempt", "headers", "seconds"),
    [
        (0, {}, 0.5),
        (3, {}, 4.0),
        (20, {}, 8.0),
        (0, {"retry-after": "7"}, 7.0),
        (0, {"retry-after": "900"}, 60.0),
        (0, {"retry-after": "-3"}, 0.0),
        (0, {"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        (0, {"retry-after": "Mon, 30 Nov 2026 12:00:09 GMT"}, 9.0),
        (1, {"retry-after": "soon"}, 1.0),
        (1, {"retry-after": "nan"}, 1.0),
    ],
)
def test_the_pause_is_the_servers_or_ours(attempt, headers, seconds):
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert retry_pause(attempt, headers, now=lambda: noon) == seconds


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2]}',
        'Here it is:\n```json\n{"a": [1, 2]}\n```\nGood luck!',
        'Sure! {"a": [1, 2]} and {"b": 1}',
        '{"a": [1, 2,],}',
        '{"a": [1, 2',
        '```\n{"a": [1, 2',
    ],
)
def test_an_object_is_found_in_what_stands_around_it(text):
    assert read_object(text) == {"a": [1, 2]}


def test_brackets_and_commas_in_strings_are_no_brackets_and_commas():
    assert read_object('x {"a": "}],}\\"{", "b": 1,}') == {"a": '}],}"{', "b": 1}


@pytest.mark.parametrize("text", ["", "no", "[1]", '{"a": "brok', '{"a"', "{'a': 1}"])
def test_what_cannot_be_read_is_an_error(text):
    with pytest.raises(ValueError, match="JSON"):
        read_object(text)


PAPER = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "year": {"type": ["integer", "null"]},
        "kind": {"enum": ["article", "book"]},
        "authors": {"type": "array", "items": {"$ref": "#/$defs/name"}, "maxItems": 2},
        "trust": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["title", "authors"],
    "$defs": {
        "name": {
            "type": "object",
            "properties": {"last-name": {"type": "string"}},
            "required": ["last-name"],
        }
    },
}


@pytest.mark.parametrize(
    "value",
    [
        {"title": "T", "authors": []},
        {"title": "T", "authors": [{"last-name": "A"}], "year": None, "kind": "book"},
        {"title": "T", "authors": [], "trust": 1, "unknown": "allowed"},
    ],
)
def test_what_satisfies_a_schema_passes(value):
    validator(PAPER)(value)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"authors": []}, "title"),
        ({"title": "", "authors": []}, "title"),
        ({"title": "T", "authors": [{}]}, r"authors\.0\.last-name"),
        ({"title": "T", "authors": [{"last-name": "A"}] * 3}, "authors"),
        ({"title": "T", "authors": [], "year": "1999"}, "year"),
        ({"title": "T", "authors": [], "kind": "film"}, "kind"),
        ({"title": "T", "authors": [], "trust": 1.5}, "trust"),
        ({"title": "T", "authors": [], "trust": True}, "trust"),
    ],
)
def test_what_breaks_a_schema_is_named_by_its_place(value, place):
    with pytest.raises(ValueError, match=place):
        validator(PAPER)(value)


def test_a_schema_without_end_is_an_error():
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    with pytest.raises(ValueError, match="refers to itself"):
        validator(endless)
    with pytest.raises(ValueError, match="does not hold"):
        validator({"$ref": "#/$defs/b"})


def test_tokens_are_estimated_by_bytes():
    assert [estimated_tokens(text) for text in ("", "a", "abc", "abcd", "日本")] == [0, 1, 1, 2, 2]
