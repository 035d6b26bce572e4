"""Preference for passages whose years fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from clew.core.arrays import Floats, Hits
from clew.core.query import Query
from clew.core.temporal import TemporalConstraint, TemporalType
from clew.retrieve.question import Question
from clew.retrieve.temporal_preference import fit, prefer_fitting
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, filed, id_array, write
from tests.retrieve.worlds import EAST, at_cosine


def years(first: int, last: int) -> TemporalConstraint:
    start, end = (datetime(number, 1, 1, tzinfo=UTC) for number in (first, last + 1))
    return TemporalConstraint(TemporalType.BETWEEN, start, end)


def question(constraint: TemporalConstraint) -> Question:
    return Question(Query("who", collection=MAIN), EAST, (), 0.0, constraint=constraint)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("coach (1990 to 1995)", 1.0 + 1.5 + 0.5 + 2.0),
        ("coach from 1990", 1.0 + 1.5),
        ("coach until 1995", 1.0 + 0.5),
        ("coach in 1992", 1.0),
        ("coach 1980 to 1999", 1.0),
        ("coach in 1984", 0.0),
        ("coach", 0.0),
    ],
)
def test_fit(text: str, expected: float) -> None:
    assert fit(text, years(1990, 1995)) == pytest.approx(expected)


def test_an_open_end_fits_all_that_follows() -> None:
    since = TemporalConstraint(TemporalType.SINCE, datetime(1990, 1, 1, tzinfo=UTC))
    assert fit("in 2010", since) == pytest.approx(1.0)
    assert fit("in 1989", since) == 0.0


def ranked(
    constraint: TemporalConstraint, *passages: tuple[str, float, Floats]
) -> tuple[list[int], list[int], Hits]:
    """Return the passages' ids, the new order as places in them, and the new ranking."""
    store = MemoryStore()
    entry = filed("s", *(text for text, _, _ in passages))
    write(store, entry, vectors=[vector for _, _, vector in passages])
    before = Hits(id_array(*entry.ids), np.array([score for _, score, _ in passages], np.float32))
    after = prefer_fitting(question(constraint), before, chunks=store)
    return entry.ids, [entry.ids.index(row) for row in after.ids.tolist()], after


NEAR, FAR = at_cosine(0.9), at_cosine(0.5)


def test_what_fits_comes_first() -> None:
    _, order, after = ranked(
        years(1990, 1995), ("coach in 1984", 0.5, NEAR), ("coach in 1990", 0.4, NEAR)
    )
    assert order == [1, 0]
    assert after.scores[0] == pytest.approx(0.5)
    assert after.scores[0] > after.scores[1] > 0


def test_what_fits_but_is_about_something_else_does_not() -> None:
    # exp((0.5 - 0.9) / 0.1) = 0.018, and a fit of 2.5 multiplies by 3.5 only
    _, order, _ = ranked(
        years(1990, 1995), ("coach in 1984", 0.5, NEAR), ("flood in 1990", 0.4, FAR)
    )
    assert order == [0, 1]


def test_without_a_view_nothing_changes() -> None:
    named = replace(years(1990, 1990), names=True)
    for constraint in (named, TemporalConstraint()):
        _, order, _ = ranked(constraint, ("in 1984", 0.5, NEAR), ("in 1990", 0.4, NEAR))
        assert order == [0, 1]


def test_the_rest_of_a_long_ranking_stays_below_in_order() -> None:
    texts = [(f"passage {place} of 1984", 1.0 / (place + 1), NEAR) for place in range(120)]
    _, order, after = ranked(years(1990, 1995), *texts)
    assert order == list(range(120))
    assert bool((np.diff(after.scores) <= 0).all())
