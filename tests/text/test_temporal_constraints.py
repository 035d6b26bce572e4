"""Constraints in time, read from questions. The reference day is Wednesday, 20 May 2026."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.errors import QueryError
from clew.core.knowledge import Period
from clew.core.temporal import (
    NO_CONSTRAINT,
    TemporalConstraint,
    TemporalKind,
    TemporalSignal,
    TemporalType,
)
from clew.text.temporal_constraints import read_constraint

REFERENCE = datetime(2026, 5, 20, 15, 30, tzinfo=UTC)


def day(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def read(text: str) -> TemporalConstraint:
    return read_constraint(text, reference=REFERENCE)


@pytest.mark.parametrize(
    ("text", "kind", "start", "end"),
    [
        ("Who led Acme before 2019-05-03?", "before", None, "2019-05-03"),
        ("Who led Acme prior to March 2019?", "before", None, "2019-03-01"),
        ("Who led Acme after 2019-05-03?", "after", "2019-05-04", None),
        ("Who led Acme after 2019?", "after", "2020-01-01", None),
        ("Who led between March 2019 and June 2020?", "between", "2019-03-01", "2020-07-01"),
        ("Where did he study from 1979 to 1980?", "between", "1979-01-01", "1981-01-01"),
        ("From Sep 2001 to Feb 2009, who led?", "between", "2001-09-01", "2009-03-01"),
        ("Who played there in 2004-05?", "during", "2004-01-01", "2006-01-01"),
        ("Who has been CEO since 2015?", "since", "2015-01-01", None),
        ("Who was mayor from 2001 to the present?", "since", "2001-01-01", None),
        ("Who was CEO until 2010?", "until", None, "2011-01-01"),
        ("What had been sold by June 2018?", "by", None, "2018-07-01"),
        ("Who ran it during the 1990s?", "during", "1990-01-01", "2000-01-01"),
        ("Who played in the 80s?", "during", "1980-01-01", "1990-01-01"),
        ("Who ruled in the 19th century?", "during", "1801-01-01", "1901-01-01"),
        ("Who owned Acme as of 30 September 2024?", "as_of", "2024-09-30", "2024-10-01"),
        ("Who were Acme's key investors in Q3 2024?", "during", "2024-07-01", "2024-10-01"),
        ("Who was governor of California 2010?", "during", "2010-01-01", "2011-01-01"),
        ("On 1/3/1935, what office did he hold?", "during", "1935-01-03", "1935-01-04"),
        ("Who won on 2012-12-0?", "during", "2012-12-01", "2013-01-01"),
        ("Who left yesterday?", "relative", "2026-05-19", "2026-05-20"),
        ("What did we ship last year?", "relative", "2025-01-01", "2026-01-01"),
        ("What did we ship last week?", "relative", "2026-05-11", "2026-05-18"),
        ("What was sold last quarter?", "relative", "2026-01-01", "2026-04-01"),
        ("What was agreed two weeks ago?", "relative", "2026-05-04", "2026-05-11"),
        ("What changed in the last 3 months?", "relative", "2026-02-21", "2026-05-21"),
        ("What changed in the last 10 days?", "relative", "2026-05-11", "2026-05-21"),
        ("What happened in March?", "relative", "2026-03-01", "2026-04-01"),
        ("What happened in June?", "relative", "2025-06-01", "2025-07-01"),
        ("What will open next month?", "relative", "2026-06-01", "2026-07-01"),
        ("Who is the president now?", "as_of", "2026-05-20", None),
        ("Quem saiu ontem?", "relative", "2026-05-19", "2026-05-20"),
        ("O que mudou no ano passado?", "relative", "2025-01-01", "2026-01-01"),
        ("O que mudou nos últimos três meses?", "relative", "2026-02-21", "2026-05-21"),
        ("O que mudou há dois anos?", "relative", "2024-01-01", "2025-01-01"),
        ("Quem foi presidente antes de 1990?", "before", None, "1990-01-01"),
        ("Quem liderou depois de 5 de maio de 1990?", "after", "1990-05-06", None),
        ("Quem dirigiu o clube entre 1990 e 1995?", "between", "1990-01-01", "1996-01-01"),
        ("Quem dirigiu de março de 1990 a 1995?", "between", "1990-03-01", "1996-01-01"),
        ("Quem lidera a empresa desde 2015?", "since", "2015-01-01", None),
        ("Quem liderou até 2015?", "until", None, "2016-01-01"),
        ("Quem dirigiu durante a década de 1980?", "during", "1980-01-01", "1990-01-01"),
        ("Quem era o rei no século XIX?", "during", "1801-01-01", "1901-01-01"),
        ("Em 1/3/1935, quem era o presidente do Brasil?", "during", "1935-03-01", "1935-03-02"),
    ],
)
def test_interval(text: str, kind: str, start: str | None, end: str | None) -> None:
    found = read(text)
    assert (found.type, found.start, found.end) == (kind, day(start), day(end))
    assert found.views


@pytest.mark.parametrize(
    "text",
    [
        "Which actor born in 1984 played in the film?",
        "Who won the 2008 Summer Olympics marathon?",
        "Who sang in the 1968 album?",
        "Who directed Palo Alto (2013 Film)?",
        "What was agreed at the treaty of 1869?",
        "Em que cidade vive o ator nascido em 1984?",
    ],
)
def test_a_date_that_identifies_asks_for_no_view(text: str) -> None:
    found = read(text)
    assert found.dated
    assert found.names
    assert not found.views


@pytest.mark.parametrize(
    "text",
    [
        "Where does the river end?",
        "Who reigned in 44 BC?",
        "Which towns have more than 2000 people?",
        "Who sold 1500 copies?",
        "Onde nasce o rio?",
    ],
)
def test_no_time_at_all(text: str) -> None:
    assert read(text) == NO_CONSTRAINT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Who was king when the bridge fell?", "the bridge fell"),
        ("Who ruled after Victoria died?", "Victoria died"),
        ("Quem foi ministro quando Lula foi eleito?", "Lula foi eleito"),
    ],
)
def test_an_event_in_place_of_a_date(text: str, words: str) -> None:
    found = read(text)
    assert (found.type, found.kind, found.words) == (
        TemporalType.IMPLICIT,
        TemporalKind.IMPLICIT,
        words,
    )
    assert not found.dated


@pytest.mark.parametrize(
    ("text", "signal", "kind"),
    [
        ("Who was king when the bridge fell?", "overlap", "implicit"),
        ("Who ruled before Victoria?", "before", "implicit"),
        ("Who ruled after Victoria?", "after", "implicit"),
        ("Who was the first president?", "ordinal", "ordinal"),
        ("Quem foi o primeiro presidente?", "ordinal", "ordinal"),
        ("Who was president when the first man landed?", "overlap", "implicit"),
        ("When did the war end?", "none", "temporal_answer"),
        ("Em que ano acabou a guerra?", "none", "temporal_answer"),
        ("When the bridge fell, who was king?", "overlap", "implicit"),
        ("Who was mayor in 1980?", "overlap", "explicit"),
        ("Who was mayor before 1980?", "before", "explicit"),
        ("Who was mayor 1980?", "none", "explicit"),
        ("What is owner of X that is start time is 1937-1-1", "start", "explicit"),
        ("What is spouse of X that is end time is 1946-12-10", "finish", "explicit"),
        ("What city is Ravel's first name?", "none", "none"),
    ],
)
def test_signal_and_kind(text: str, signal: str, kind: str) -> None:
    found = read(text)
    assert (found.signal, found.kind) == (TemporalSignal(signal), TemporalKind(kind))


@given(st.text(max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    found = read(text)
    assert found.words in text or found.words == ""
    assert found.start is None or found.end is None or found.start < found.end


@given(st.integers(1, 400), st.integers(0, 10**6))
def test_the_last_days_end_with_today(count: int, hours: int) -> None:
    today = datetime(1950, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
    found = read_constraint(f"what changed in the last {count} days?", reference=today)
    assert found.start is not None
    assert found.end is not None
    assert found.end - found.start == timedelta(days=count)
    assert found.end - timedelta(days=1) <= today < found.end


class TestConstraint:
    YEARS = TemporalConstraint(TemporalType.BETWEEN, day("1990-01-01"), day("1996-01-01"))

    @pytest.mark.parametrize(
        ("period", "holds"),
        [
            (Period(valid_from=day("1995-12-31")), True),
            (Period(valid_from=day("1996-01-01")), False),
            (Period(valid_to=day("1990-01-01")), False),
            (Period(valid_to=day("1990-01-02")), True),
            (Period(day("1990-01-01")), True),
            (Period(day("1996-01-01")), False),
            (Period(), True),
        ],
    )
    def test_overlap(self, period: Period, holds: bool) -> None:  # noqa: FBT001
        assert self.YEARS.overlaps(period) is holds

    def test_an_empty_interval_is_refused(self) -> None:
        with pytest.raises(QueryError, match="is empty"):
            TemporalConstraint(TemporalType.DURING, day("1996-01-01"), day("1996-01-01"))

    def test_a_zone_is_required(self) -> None:
        with pytest.raises(QueryError, match="no time zone"):
            TemporalConstraint(TemporalType.DURING, datetime(1996, 1, 1))  # noqa: DTZ001
