"""Years and spans of years in passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.year_spans import YearSpan, year_spans


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("He left in 2004.", [(2004, 2004, False)]),
        ("coach (1989–1992)", [(1989, 1992, True)]),  # noqa: RUF001
        ("from 11 September 2001 to 22 February 2009", [(2001, 2009, True)]),
        ("July 2003 – December 2007", [(2003, 2007, True)]),  # noqa: RUF001
        ("de 1990 até 1995", [(1990, 1995, True)]),
        ("the 1994–95 season", [(1994, 1995, True)]),  # noqa: RUF001
        ("the 1999-00 season", [(1999, 2000, True)]),
        ("in the 1990s", [(1990, 1999, False)]),
        ("in 2009 and 1998", [(2009, 2009, False), (1998, 1998, False)]),
        ("2,500 people, $1990, 1999.5 and 1980%", []),
        ("no year", []),
    ],
)
def test_spans(text: str, spans: list[tuple[int, int, bool]]) -> None:
    assert list(year_spans(text)) == [YearSpan(*span) for span in spans]


@given(st.text(max_size=200))
def test_spans_run_forward(text: str) -> None:
    assert all(span.first <= span.last for span in year_spans(text))
