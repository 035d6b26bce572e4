"""Dates in sentences, each expectation worked out by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.knowledge import Period
from clew.text.dates import find_periods


def moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def point(day: str) -> Period:
    return Period(occurred_at=moment(day))


def span(first: str | None, end: str | None) -> Period:
    return Period(valid_from=moment(first), valid_to=moment(end))


POINTS = [
    ("He was born in 1984.", "1984", "1984-01-01"),
    ("On March 3, 1999 it began.", "March 3, 1999", "1999-03-03"),
    ("On 3 March 1999 it began.", "3 March 1999", "1999-03-03"),
    ("On the 3rd of March 1999.", "3rd of March 1999", "1999-03-03"),
    ("Signed 1999-03-03.", "1999-03-03", "1999-03-03"),
    ("In March 1999 it rained.", "March 1999", "1999-03-01"),
    ("Sales in Q3 2024 rose.", "Q3 2024", "2024-07-01"),
    ("In the second quarter of 2023.", "second quarter of 2023", "2023-04-01"),
    ("1984, the year of the book.", "1984", "1984-01-01"),
    ("The film (1987) was short.", "1987", "1987-01-01"),
    ("Jaws is a 1975 American film.", "1975", "1975-01-01"),
    ("(born 1950)", "1950", "1950-01-01"),
    ("Dec. 25, 2020", "Dec. 25, 2020", "2020-12-25"),
    ("Em 3 de março de 1999 nasceu.", "3 de março de 1999", "1999-03-03"),
    ("Foi em março de 1999.", "março de 1999", "1999-03-01"),
    ("by 2001", "2001", "2001-01-01"),
]
PERIODS = [
    ("from 1990 to 1995", "from 1990 to 1995", "1990-01-01", "1996-01-01"),
    ("between 1990 and 1995", "between 1990 and 1995", "1990-01-01", "1996-01-01"),
    ("in office 1990–1995 only", "1990–1995", "1990-01-01", "1996-01-01"),  # noqa: RUF001
    ("the years 1990-95", "1990-95", "1990-01-01", "1996-01-01"),
    ("since 2001", "since 2001", "2001-01-01", None),
    ("until 2005", "until 2005", None, "2006-01-01"),
    ("before 1999", "before 1999", None, "1999-01-01"),
    ("after May 1999", "after May 1999", "1999-06-01", None),
    ("the 1990s", "the 1990s", "1990-01-01", "2000-01-01"),
    ("2019 - present", "2019 - present", "2019-01-01", None),
    ("from March 1990 to May 1995", "from March 1990 to May 1995", "1990-03-01", "1995-06-01"),
    ("from the 1960s to the 1980s", "from the 1960s to the 1980s", "1960-01-01", "1990-01-01"),
    (
        "(born 4 May 1950 – 7 June 2001)",  # noqa: RUF001
        "4 May 1950 – 7 June 2001",  # noqa: RUF001
        "1950-05-04",
        "2001-06-08",
    ),
    ("de 1990 a 1995", "de 1990 a 1995", "1990-01-01", "1996-01-01"),
    ("entre 1990 e 1995", "entre 1990 e 1995", "1990-01-01", "1996-01-01"),
    ("desde 2001", "desde 2001", "2001-01-01", None),
    ("até 2005", "até 2005", None, "2006-01-01"),
    ("na década de 1990", "década de 1990", "1990-01-01", "2000-01-01"),
    ("from 31 December 1999 to 2000", "from 31 December 1999 to 2000", "1999-12-31", "2001-01-01"),
    ("until 31 December 1999", "until 31 December 1999", None, "2000-01-01"),
]


@pytest.mark.parametrize(("text", "words", "day"), POINTS)
def test_points(text, words, day):
    (found,) = find_periods(text)
    assert found.text == words
    assert found.period == point(day)
    assert text[found.span.start : found.span.end] == words


@pytest.mark.parametrize(("text", "words", "first", "end"), PERIODS)
def test_periods(text, words, first, end):
    (found,) = find_periods(text)
    assert found.text == words
    assert found.period == span(first, end)
    assert text[found.span.start : found.span.end] == words


@pytest.mark.parametrize(
    "text",
    [
        "2001 people came.",
        "a crowd of 2000 employees",
        "It costs $1999.",
        "Call 555-1984.",
        "Model 2020 is out.",
        "in 1,984 cases",
        "in 2101 it ends",
        "in 999",
        "on February 30, 2001",
        "in 2001.5 seconds",
        "",
    ],
)
def test_numbers_that_are_no_dates(text):
    assert find_periods(text) == []


def test_several_dates_of_one_sentence_come_in_order():
    found = find_periods(
        "Built in 1984 and 1986, it stood from 1990 to 1995 and fell on 2 May 2001."
    )
    assert [each.text for each in found] == ["1984", "1986", "from 1990 to 1995", "2 May 2001"]


def test_a_backward_range_is_two_points():
    assert [each.period for each in find_periods("from 1995 to 1990")] == [
        point("1995-01-01"),
        point("1990-01-01"),
    ]


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2100, 12, 31)))
@settings(deadline=None)
def test_every_day_is_read_in_every_form(day):
    months = "January February March April May June July August September October November December"
    month = months.split()[day.month - 1]
    expected = Period(occurred_at=datetime(day.year, day.month, day.day, tzinfo=UTC))
    for text in (
        f"{day.year:04d}-{day.month:02d}-{day.day:02d}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
    ):
        assert [found.period for found in find_periods(f"It was {text}.")] == [expected]


@given(st.text(alphabet=st.sampled_from("in 1990-5toMay,()–Q3"), max_size=60))  # noqa: RUF001
@settings(deadline=None, max_examples=300)
def test_spans_are_ordered_and_periods_are_not_empty(text):
    position = 0
    for found in find_periods(text):
        assert found.span.start >= position
        assert text[found.span.start : found.span.end] == found.text
        position = found.span.end
        if found.period.valid_from and found.period.valid_to:
            assert found.period.valid_from < found.period.valid_to


@pytest.mark.parametrize("piece", ["in ", "1984 ", "May ", " ", "1990-", "from the "])
def test_long_input_ends(piece):
    assert isinstance(find_periods(piece * 50_000), list)
