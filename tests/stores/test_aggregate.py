"""Nodes and edges as aggregates, by hand and whatever the order of their rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.documents import Span
from clew.core.knowledge import (
    Edge,
    EdgeType,
    Evidence,
    Mention,
    MentionRole,
    Node,
    NodeType,
    Standing,
    Statement,
)
from clew.stores.aggregate import (
    aggregate_edge,
    aggregate_node,
    hub_threshold,
    merged_head,
    statements_of,
)

DAY = datetime(2024, 1, 1, tzinfo=UTC)
NEXT = DAY + timedelta(days=1)
EDGE = Edge(5, 1, 2, EdgeType.CAUSES, "causes", confidence=0.4)
ROW = Statement(5, 77, 10, Span(0, 4), 0.4, Standing.REPORTED)


def _mention(
    surface: str,
    *,
    label: str | None = None,
    kind: NodeType = NodeType.ENTITY,
    role: MentionRole = MentionRole.TEXT,
) -> Mention:
    return Mention(1, 9, surface, surface.lower(), Span(0, 1), kind, label, role=role)


def test_the_most_frequent_surface_names_the_node() -> None:
    mentions = [_mention("WHO"), _mention("World Health Organization"), _mention("WHO")]
    assert aggregate_node(9, mentions, community="level0_1") == Node(
        9, "WHO", aliases=("World Health Organization",), community="level0_1"
    )


@pytest.mark.parametrize(
    ("surfaces", "name"),
    [
        (["Ada", "Ada King", "Bo"], "Ada King"),
        (["Bob", "Ada", "Cyr"], "Ada"),
        (["b", "a", "B"], "B"),
    ],
)
def test_ties_go_to_the_longest_then_the_first(surfaces: list[str], name: str) -> None:
    node = aggregate_node(9, [_mention(surface) for surface in surfaces])
    assert node is not None
    assert node.name == name
    assert node.aliases == tuple(sorted(set(surfaces) - {name}))


def test_label_and_kind_are_the_most_frequent_then_the_first() -> None:
    node = aggregate_node(
        9,
        [
            _mention("x", label="Zoo", kind=NodeType.EVENT),
            _mention("x", label="Person", kind=NodeType.CONCEPT),
            _mention("x", kind=NodeType.EVENT),
            _mention("x", kind=NodeType.CONCEPT),
        ],
    )
    assert node == Node(9, "x", NodeType.CONCEPT, "Person")


def test_links_neither_make_nor_name_a_node() -> None:
    link = _mention("Longer name", label="Person", role=MentionRole.LINK)
    assert aggregate_node(9, [link, link]) is None
    assert aggregate_node(9, []) is None
    title = _mention("x", role=MentionRole.TITLE)
    assert aggregate_node(9, [link, link, title]) == Node(9, "x")


MENTIONS = st.lists(
    st.builds(
        _mention,
        st.sampled_from(["a", "bb", "cc"]),
        label=st.sampled_from([None, "P", "Q"]),
        role=st.sampled_from(MentionRole),
    ),
    max_size=8,
)


@given(MENTIONS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_mentions_does_not_matter(
    orders: tuple[list[Mention], list[Mention]],
) -> None:
    first, second = orders
    assert aggregate_node(9, first) == aggregate_node(9, second)


def test_an_edge_has_the_highest_confidence_and_strongest_standing() -> None:
    rows = [
        replace(ROW, standing=Standing.INFERRED),
        replace(ROW, chunk=12, confidence=0.9),
        replace(ROW, chunk=11, confidence=0.9, span=Span(3, 5)),
        replace(ROW, chunk=11, confidence=0.9, span=Span(1, 5)),
    ]
    assert aggregate_edge(EDGE, rows) == replace(
        EDGE,
        confidence=0.9,
        evidence=(
            Evidence(11, Span(1, 5), 0.9),
            Evidence(11, Span(3, 5), 0.9),
            Evidence(12, Span(0, 4), 0.9),
            Evidence(10, Span(0, 4), 0.4),
        ),
    )
    word = Statement(5, 78, None, Span(0, 0), 0.2, Standing.ASSUMED)
    assumed = aggregate_edge(EDGE, [ROW, word])
    assert assumed == replace(
        EDGE, standing=Standing.ASSUMED, evidence=(Evidence(10, Span(0, 4), 0.4),)
    )


def test_retired_rows_count_only_when_all_are() -> None:
    old = replace(ROW, chunk=11, confidence=0.9, retired_at=DAY)
    older = replace(ROW, chunk=12, confidence=0.3, retired_at=NEXT)
    alive = aggregate_edge(EDGE, [old, ROW])
    assert alive == replace(EDGE, evidence=(Evidence(10, Span(0, 4), 0.4),))
    retired = aggregate_edge(EDGE, [older, old])
    assert retired == replace(
        EDGE,
        confidence=0.9,
        retired_at=NEXT,
        evidence=(Evidence(11, Span(0, 4), 0.9), Evidence(12, Span(0, 4), 0.3)),
    )
    assert aggregate_edge(EDGE, []) is None


def test_a_superseded_edge_is_retired_since_then() -> None:
    head = replace(EDGE, retired_at=DAY, superseded_by=6)
    in_force = aggregate_edge(head, [ROW])
    vanished = aggregate_edge(head, [replace(ROW, retired_at=NEXT)])
    assert in_force is not None
    assert vanished is not None
    assert in_force.retired_at == vanished.retired_at == DAY


def test_statements_are_evidence_or_a_word() -> None:
    stated = replace(EDGE, evidence=(Evidence(10, Span(0, 4), 0.7), Evidence(11, Span(1, 2), 0.3)))
    assert statements_of(stated, 77) == [
        replace(ROW, confidence=0.7),
        replace(ROW, chunk=11, span=Span(1, 2), confidence=0.3),
    ]
    assert statements_of(EDGE, 77) == []
    assumed = replace(EDGE, standing=Standing.ASSUMED)
    assert statements_of(assumed, 77) == [Statement(5, 77, None, Span(0, 0), 0.4, Standing.ASSUMED)]
    assert statements_of(replace(assumed, retired_at=DAY), 77) == []


def test_the_head_is_the_newest_but_first_recorded() -> None:
    early, late = replace(EDGE, recorded_at=DAY), replace(EDGE, recorded_at=NEXT, negated=True)
    assert merged_head(early, late) == replace(late, recorded_at=DAY)
    assert merged_head(late, early) == early
    assert merged_head(late, EDGE) == replace(EDGE, recorded_at=NEXT)
    assert merged_head(EDGE, late) == late
    assert merged_head(None, late) == late


@pytest.mark.parametrize(
    ("degrees", "threshold"),
    [
        ([], 1),
        ([0, 0], 1),
        ([3, 9, 1], 9),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 10),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 10),
    ],
)
def test_hubs_are_the_top_tenth(degrees: list[int], threshold: int) -> None:
    assert hub_threshold(degrees) == threshold
