"""Contradictions within one node; each expectation is read off the rows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clew.core.documents import Span
from clew.core.entities import Conflict, ConflictingValue, ConflictKind
from clew.core.ids import edge_id
from clew.core.knowledge import (
    NO_PERIOD,
    Edge,
    EdgeType,
    Evidence,
    Mention,
    MentionRole,
    NodeType,
    Period,
)
from clew.knowledge.conflicts import find_conflicts

ADA, FLINT, GHENT, MICHIGAN = 1, 2, 3, 4
NAMES = {ADA: "Ada Roe", FLINT: "Flint", GHENT: "Ghent", MICHIGAN: "Flint, Michigan"}


def day(year: int, month: int = 1, number: int = 1) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def seen(
    chunk: int,
    label: str | None,
    kind: NodeType = NodeType.ENTITY,
    role: MentionRole = MentionRole.TEXT,
) -> Mention:
    return Mention(chunk, ADA, "Ada", "ada", Span(0, 3), kind, label, role=role)


def stated(
    relation: str,
    target: int,
    chunk: int,
    period: Period = NO_PERIOD,
    *,
    negated: bool = False,
) -> Edge:
    return Edge(
        edge_id(ADA, target, "related_to", relation, period.key()),
        ADA,
        target,
        EdgeType.RELATED_TO,
        relation,
        negated=negated,
        period=period,
        evidence=(Evidence(chunk, Span(0, 1), 1.0),),
    )


def conflicts(*rows: Mention | Edge) -> tuple[Conflict, ...]:
    mentions = [row for row in rows if isinstance(row, Mention)]
    edges = [row for row in rows if isinstance(row, Edge)]
    return find_conflicts(ADA, mentions, edges, NAMES)


def test_two_labels_contradict_each_other_with_their_chunks() -> None:
    assert conflicts(seen(1, "PERSON"), seen(2, "ORG"), seen(3, "PERSON")) == (
        Conflict(
            ConflictKind.LABEL,
            None,
            (ConflictingValue("PERSON", (1, 3)), ConflictingValue("ORG", (2,))),
        ),
    )


def test_a_label_that_is_rare_beside_another_is_a_slip() -> None:
    often = [seen(chunk, "PERSON") for chunk in range(6)]
    assert conflicts(*often, seen(7, "ORG")) == ()
    assert conflicts(*often, seen(7, "ORG"), seen(8, "ORG"))


def test_links_titles_and_names_without_a_label_say_nothing() -> None:
    rows = [seen(1, "PERSON"), seen(2, "ORG", role=MentionRole.LINK), seen(3, None)]
    assert conflicts(*rows) == ()


def test_two_kinds_contradict_each_other_but_a_concept_does_not() -> None:
    (found,) = conflicts(seen(1, None, NodeType.EVENT), seen(2, None))
    assert found.kind is ConflictKind.KIND
    assert [value.value for value in found.values] == ["entity", "event"]
    assert conflicts(seen(1, None, NodeType.CONCEPT), seen(2, None)) == ()


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        (day(1943, 5, 2), day(1944, 5, 2), True),
        (day(1943, 5, 2), day(1943, 5, 3), True),
        (day(1943, 5, 2), day(1943), False),
        (day(1943), day(1944), True),
        (day(1943, 5, 2), day(1943, 5, 2), False),
    ],
)
def test_two_birth_dates_contradict_each_other(
    first: datetime, second: datetime, *, clash: bool
) -> None:
    found = conflicts(
        stated("BORN_IN", FLINT, 1, Period(occurred_at=first)),
        stated("BORN_ON", FLINT, 2, Period(valid_from=second)),
    )
    dates = [each for each in found if each.kind is ConflictKind.DATE]
    assert bool(dates) is clash
    if clash:
        assert (dates[0].relation, len(dates[0].values)) == ("BORN", 2)


def test_two_values_of_what_has_one_contradict_each_other() -> None:
    (found,) = conflicts(stated("BORN_IN", FLINT, 1), stated("BORN_IN", GHENT, 2))
    assert (found.kind, found.relation) == (ConflictKind.VALUE, "BORN_IN")
    assert found.values == (ConflictingValue("Flint", (1,)), ConflictingValue("Ghent", (2,)))


def test_values_go_together_where_one_names_more_of_it_or_times_differ() -> None:
    assert conflicts(stated("BORN_IN", FLINT, 1), stated("BORN_IN", MICHIGAN, 2)) == ()
    early = Period(valid_from=day(1990), valid_to=day(2000))
    late = Period(valid_from=day(2000))
    seat = "HEADQUARTERED_IN"
    assert conflicts(stated(seat, FLINT, 1, early), stated(seat, GHENT, 2, late)) == ()
    assert conflicts(stated(seat, FLINT, 1, early), stated(seat, GHENT, 2))
    assert conflicts(stated("SUED", FLINT, 1), stated("SUED", GHENT, 2)) == ()


def test_a_statement_and_its_denial_contradict_each_other() -> None:
    (found,) = conflicts(stated("SUED", GHENT, 1), stated("NOT_SUED", GHENT, 2, negated=True))
    assert (found.kind, found.relation) == (ConflictKind.DENIAL, "SUED")
    assert found.values == (
        ConflictingValue("Ghent", (1,)),
        ConflictingValue("not Ghent", (2,)),
    )
    assert conflicts(stated("NOT_SUED", GHENT, 2, negated=True)) == ()
