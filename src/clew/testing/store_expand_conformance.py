"""What every `GraphStore` must reach from a frontier: edges, columns, limits, times, degrees."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from clew.core.ids import edge_id
from clew.core.knowledge import (
    EDGE_TYPE_CODES,
    Edge,
    EdgeType,
    MentionRole,
    Period,
    Standing,
)
from clew.core.ports import Store
from clew.core.query import EdgeFilter
from clew.testing.store_samples import (
    MAIN,
    NEW_YEAR,
    Filed,
    MakeStore,
    compact,
    edge,
    filed,
    id_array,
    leave_fresh,
    mention,
    node_of,
    say,
    steps,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])

KNOWLEDGE = EdgeFilter(kinds=frozenset(EdgeType) - {EdgeType.MENTIONS})


def _town(store: Store, *names: str) -> Filed:
    """Write a document of one chunk that mentions each name once."""
    town = filed("town", "Everybody lives here.")
    write(store, town)
    say(store, town, *(mention(town.chunks[0], name) for name in names))
    return town


def _reached(store: Store, name: str, *, at: datetime | None = None) -> list[int]:
    found = store.expand(MAIN, id_array(node_of(name)), at=at, edge_filter=KNOWLEDGE)
    return [identifier for _, _, identifier in steps(found)]


@fresh_and_compacted
class TestExpand:
    """A frontier gives its live edges in both directions, as columns."""

    def test_rows_stand_by_frontier_confidence_and_id(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada", "Bob", "Cy")
        weak = edge("Ada", "Bob", *town.chunks, confidence=0.25)
        strong = edge("Cy", "Ada", *town.chunks, confidence=0.75)
        tied = [edge("Ada", "Cy", *town.chunks, relation=name, confidence=0.5) for name in "xyz"]
        say(store, town, weak, strong, *tied)
        settle(store)
        ada, bob, cy = (node_of(name) for name in ("Ada", "Bob", "Cy"))
        ties = sorted(item.id for item in tied)
        from_ada = [
            (ada, cy, strong.id),
            *((ada, cy, identifier) for identifier in ties),
            (ada, bob, weak.id),
        ]
        found = store.expand(MAIN, id_array(bob, ada, 99), edge_filter=KNOWLEDGE)
        assert steps(found) == [(bob, ada, weak.id), *from_ada]
        assert found.forward.tolist() == [False, False, True, True, True, True]
        np.testing.assert_allclose(found.confidence, [0.25, 0.75, 0.5, 0.5, 0.5, 0.25])
        assert set(found.kind.tolist()) == {EDGE_TYPE_CODES[EdgeType.RELATED_TO]}
        assert np.isnat(found.occurred_at).all()
        capped = store.expand(MAIN, id_array(ada), edge_filter=KNOWLEDGE, limit=3)
        assert steps(capped) == from_ada[:3]
        one_each = store.expand(MAIN, id_array(bob, ada), edge_filter=KNOWLEDGE, limit=1)
        assert steps(one_each) == [(bob, ada, weak.id), from_ada[0]]
        twice = store.expand(MAIN, id_array(bob, bob), edge_filter=KNOWLEDGE)
        assert steps(twice) == [(bob, ada, weak.id)] * 2

    def test_columns_have_their_types_even_when_empty(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        _town(store, "Ada")
        settle(store)
        for nodes in (id_array(), id_array(99)):
            found = store.expand(MAIN, nodes)
            assert found.source.dtype == found.target.dtype == found.edge.dtype == np.int64
            assert found.kind.dtype == np.int8
            assert found.forward.dtype == np.bool_
            assert found.confidence.dtype == np.float32
            for column in (found.occurred_at, found.valid_from, found.valid_to):
                assert column.dtype == np.dtype("datetime64[us]")
                assert len(column) == 0

    def test_an_edge_to_itself_comes_once(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada")
        loop = edge("Ada", "Ada", *town.chunks)
        say(store, town, loop)
        settle(store)
        ada = node_of("Ada")
        found = store.expand(MAIN, id_array(ada), edge_filter=KNOWLEDGE)
        assert steps(found) == [(ada, ada, loop.id)]
        assert found.forward.tolist() == [True]
        assert store.degrees(MAIN, id_array(ada)).tolist() == [1]

    def test_chunks_take_part_by_mentions(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = filed("a", "one", "two"), filed("b", "three")
        write(store, a, b)
        one, two = a.chunks
        say(
            store,
            a,
            mention(one, "Ada", confidence=0.5),
            mention(one, "Ada", start=9, confidence=0.75),
            mention(two, "Ada", role=MentionRole.TITLE, confidence=0.25),
            mention(one, "Bob"),
        )
        say(
            store,
            b,
            mention(b.chunks[0], "Ada", role=MentionRole.LINK),
            mention(b.chunks[0], "Ghost", role=MentionRole.LINK),
        )
        settle(store)
        ada, bob = node_of("Ada"), node_of("Bob")

        def step(chunk: int, node: int) -> int:
            return edge_id(chunk, node, "mentions", "")

        from_chunk = store.expand(MAIN, id_array(one.id))
        assert steps(from_chunk) == [
            (one.id, bob, step(one.id, bob)),
            (one.id, ada, step(one.id, ada)),
        ]
        assert from_chunk.forward.tolist() == [True, True]
        assert from_chunk.confidence.tolist() == [1.0, 0.75]
        from_node = store.expand(MAIN, id_array(ada))
        assert steps(from_node) == [
            (ada, chunk, step(chunk, ada)) for chunk in (b.ids[0], one.id, two.id)
        ]
        assert from_node.forward.tolist() == [False] * 3
        assert set(from_node.kind.tolist()) == {EDGE_TYPE_CODES[EdgeType.MENTIONS]}
        from_link = store.expand(MAIN, id_array(b.ids[0], node_of("Ghost")))
        assert steps(from_link) == [(b.ids[0], ada, step(b.ids[0], ada))]
        assert store.degrees(MAIN, id_array(ada, one.id)).tolist() == [0, 0]
        assert store.edges(MAIN, [step(one.id, ada)]) == []

    def test_mentions_and_edges_share_the_limit(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada", "Bob", "Cy")
        weak = edge("Ada", "Bob", *town.chunks, confidence=0.5)
        sure = edge("Ada", "Cy", *town.chunks, confidence=0.9)
        say(store, town, weak, sure)
        settle(store)
        ada = node_of("Ada")
        mentions = edge_id(town.ids[0], ada, "mentions", "")
        found = store.expand(MAIN, id_array(ada), limit=2)
        assert found.edge.tolist() == [mentions, sure.id]
        assert store.expand(MAIN, id_array(ada), limit=0).edge.tolist() == []
        reported = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))
        assert store.expand(MAIN, id_array(ada), edge_filter=reported).edge.tolist() == [mentions]

    def test_edge_filters_apply_before_the_limit(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada", "Bob")
        causes = edge("Ada", "Bob", *town.chunks, kind=EdgeType.CAUSES, confidence=0.7)
        related = edge("Ada", "Bob", *town.chunks, confidence=0.8)
        guessed = edge("Ada", "Bob", relation="r", standing=Standing.INFERRED, confidence=0.9)
        assumed = edge("Ada", "Bob", relation="s", standing=Standing.ASSUMED, confidence=0.6)
        say(store, town, causes, related, guessed, assumed)
        settle(store)

        def reached(edge_filter: EdgeFilter, limit: int | None = None) -> list[int]:
            nodes = id_array(node_of("Ada"))
            found = store.expand(MAIN, nodes, edge_filter=edge_filter, limit=limit)
            return [identifier for _, _, identifier in steps(found)]

        kinds = KNOWLEDGE.kinds
        assert reached(KNOWLEDGE) == [related.id, causes.id, assumed.id]
        assert reached(EdgeFilter(frozenset({EdgeType.CAUSES})), limit=1) == [causes.id]
        assert reached(EdgeFilter(kinds, minimum_confidence=0.7)) == [related.id, causes.id]
        assert reached(EdgeFilter(kinds, frozenset({Standing.INFERRED})), limit=1) == [guessed.id]
        assert len(reached(EdgeFilter(kinds, frozenset(Standing)))) == 4
        assert reached(EdgeFilter(frozenset())) == []
        assumptions = EdgeFilter(standings=frozenset({Standing.ASSUMED}))
        assert reached(assumptions) == [assumed.id], "mentions count as reported"

    def test_times_are_columns_and_filter_on_request(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada", "Bob")
        year = timedelta(days=365)
        point = edge("Ada", "Bob", *town.chunks, period=Period(occurred_at=NEW_YEAR))
        period = edge(
            "Ada", "Bob", *town.chunks, period=Period(None, NEW_YEAR - year, NEW_YEAR + year)
        )
        since = edge("Ada", "Bob", *town.chunks, period=Period(valid_from=NEW_YEAR))
        until = edge("Ada", "Bob", *town.chunks, period=Period(valid_to=NEW_YEAR))
        always = edge("Ada", "Bob", *town.chunks)
        named = {
            point.id: "point",
            period.id: "period",
            since.id: "since",
            until.id: "until",
            always.id: "always",
        }
        say(store, town, point, period, since, until, always)
        settle(store)

        def at(moment: datetime | None) -> set[str]:
            return {named[found] for found in _reached(store, "Ada", at=moment)}

        tick = timedelta(microseconds=1)
        assert at(None) == set(named.values())
        assert at(NEW_YEAR) == {"point", "period", "since", "always"}
        assert at(NEW_YEAR - tick) == {"period", "until", "always"}
        assert at(NEW_YEAR + year) == {"point", "since", "always"}
        assert at(NEW_YEAR - year) == {"period", "until", "always"}
        assert at(NEW_YEAR - year - tick) == {"until", "always"}
        assert at(datetime(1, 1, 2, tzinfo=UTC)) == {"until", "always"}
        found = store.expand(MAIN, id_array(node_of("Ada")), edge_filter=KNOWLEDGE)
        rows = dict(zip(found.edge.tolist(), range(5), strict=True))
        row = rows[period.id]
        assert found.valid_from[row] == np.datetime64("2023-01-01", "us")
        assert found.valid_to[row] == np.datetime64("2024-12-31", "us")
        assert found.occurred_at[rows[point.id]] == np.datetime64("2024-01-01", "us")
        mentions = store.expand(MAIN, id_array(town.ids[0]), at=datetime(1, 1, 2, tzinfo=UTC))
        assert len(mentions.edge) == 2, "mentions have no dates"


@fresh_and_compacted
class TestDegrees:
    """Degrees count live knowledge edges of every standing."""

    def test_count_live_edges_at_both_ends(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada", "Bob", "Cy")
        say(
            store,
            town,
            edge("Ada", "Bob", *town.chunks),
            edge("Bob", "Ada", *town.chunks),
            edge("Ada", "Cy", standing=Standing.INFERRED),
            edge("Ada", "Nobody", *town.chunks),
        )
        settle(store)
        nodes = id_array(*(node_of(name) for name in ("Ada", "Bob", "Cy", "Nobody")), 99)
        found = store.degrees(MAIN, nodes)
        assert found.tolist() == [3, 2, 1, 0, 0]
        assert found.dtype == np.int64

    def test_hub_degree_is_that_of_the_top_tenth(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        assert store.hub_degree(MAIN) == 1
        names = [f"n{number}" for number in range(11)]
        town = _town(store, *names)
        settle(store)
        assert store.hub_degree(MAIN) == 1
        # n0 has degree 5, n1 has 3 (one of them to n0), the others at most 1
        say(store, town, *(edge("n0", name, *town.chunks) for name in names[1:6]))
        say(store, town, *(edge("n1", name, *town.chunks) for name in names[6:8]))
        settle(store)
        # eleven nodes: the top tenth, rounded up, is two of them
        assert store.hub_degree(MAIN) == 3


@fresh_and_compacted
class TestEdges:
    """An edge is the aggregate of its statements."""

    def test_evidence_adds_up(self, make_store: MakeStore, settle: Callable[[Store], None]) -> None:
        store = make_store()
        a, b = filed("a", "one", "two"), filed("b", "three")
        write(store, a, b)
        one, two = a.chunks
        say(store, a, mention(one, "Ada"), mention(one, "Bob"))

        def stated(*chunks: object, day: int, confidence: float) -> Edge:
            return edge(
                "Ada",
                "Bob",
                *(chunk for chunk in (one, two, *b.chunks) if chunk in chunks),
                confidence=confidence,
                recorded_at=NEW_YEAR + timedelta(days=day),
            )

        say(store, a, stated(one, day=2, confidence=0.5))
        settle(store)
        say(store, b, stated(*b.chunks, day=1, confidence=0.9))
        say(store, a, stated(two, day=3, confidence=0.5))
        settle(store)
        identifier = edge("Ada", "Bob").id
        (found,) = store.edges(MAIN, [99, identifier])
        assert found.confidence == pytest.approx(0.9)
        assert found.recorded_at == NEW_YEAR + timedelta(days=1)
        assert [item.chunk for item in found.evidence] == [b.ids[0], *sorted([one.id, two.id])]
        assert [item.confidence for item in found.evidence] == pytest.approx([0.9, 0.5, 0.5])
        nodes = id_array(node_of("Ada"))
        assert store.expand(MAIN, nodes, edge_filter=KNOWLEDGE).confidence == pytest.approx(0.9)

    def test_a_person_raises_the_standing(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        town = _town(store, "Ada", "Bob")
        person = filed("person")
        reported = edge("Ada", "Bob", *town.chunks, confidence=0.5)
        say(store, person, edge("Ada", "Bob", standing=Standing.ASSUMED, confidence=0.4))
        say(store, town, reported)
        settle(store)
        (found,) = store.edges(MAIN, [reported.id])
        assert found.standing is Standing.ASSUMED
        assert [item.chunk for item in found.evidence] == town.ids
        store.erase(MAIN, person.origin)
        settle(store)
        (found,) = store.edges(MAIN, [reported.id])
        assert found.standing is Standing.REPORTED
