"""What every `GraphStore` must put out of sight and keep as history: retired evidence."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from clew.core.batches import CommunityBatch, GraphBatch, no_vectors
from clew.core.documents import Span
from clew.core.errors import StoreError
from clew.core.knowledge import Claim, Community, Edge, MentionRole, Merge, Standing
from clew.core.ports import Store
from clew.testing.store_samples import (
    ADA,
    BOB,
    CY,
    LATER,
    MAIN,
    NEW_YEAR,
    MakeStore,
    axis,
    compact,
    edge,
    filed,
    id_array,
    leave_fresh,
    mention,
    node_of,
    node_vectors,
    say,
    two_sources,
    visible_edges,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])


@fresh_and_compacted
class TestRetire:
    """What vanished chunks said is out of sight, and kept as history where it was evidence."""

    def test_mentions_claims_and_merges_go_and_edges_retire(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        stated = edge("Ada", "Bob", a.chunks[0], confidence=0.5)
        say(store, a, stated, Claim(1, a.ids[0], "Ada is.", Span(0, 3)))
        merge = Merge("bobby", BOB, a.ids[0], 1.0, "equal")
        store.write_graph(MAIN, GraphBatch(a.origin, merges=(merge,)))
        settle(store)
        store.retire(MAIN, [a.ids[0], 99], LATER)
        settle(store)
        assert [found.surface for found in store.mentions(MAIN, a.ids)] == sorted(
            ["Ada", "Bob"], key=node_of
        )
        assert store.claims(MAIN, a.ids) == []
        assert store.merges(MAIN) == []
        assert visible_edges(store, ADA, BOB) == set()
        assert store.degrees(MAIN, id_array(ADA, BOB)).tolist() == [0, 0]
        assert store.counts(MAIN)["edges"] == 0
        assert store.edges(MAIN, [stated.id]) == [replace(stated, retired_at=LATER)]

    def test_other_evidence_keeps_the_edge(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        say(store, a, edge("Ada", "Bob", a.chunks[0], confidence=0.9))
        weaker = edge("Ada", "Bob", a.chunks[1], confidence=0.3)
        say(store, a, weaker)
        settle(store)
        store.retire(MAIN, [a.ids[0]], LATER)
        settle(store)
        assert store.edges(MAIN, [weaker.id]) == [weaker]
        assert visible_edges(store, ADA) == {weaker.id}
        store.retire(MAIN, [a.ids[0]], LATER + timedelta(days=1))
        store.retire(MAIN, [a.ids[1]], LATER + timedelta(days=2))
        settle(store)
        (found,) = store.edges(MAIN, [weaker.id])
        assert found.retired_at == LATER + timedelta(days=2)
        assert [item.chunk for item in found.evidence] == [a.ids[0], a.ids[1]]
        assert found.confidence == pytest.approx(0.9)

    def test_again_keeps_the_first_date(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        stated = edge("Ada", "Bob", a.chunks[0])
        say(store, a, stated)
        for day in (0, 1):
            store.retire(MAIN, [a.ids[0]], LATER + timedelta(days=day))
            settle(store)
        assert store.edges(MAIN, [stated.id]) == [replace(stated, retired_at=LATER)]

    @pytest.mark.parametrize("again", ["same chunk", "other source"])
    def test_stated_again_it_revives(
        self, make_store: MakeStore, settle: Callable[[Store], None], again: str
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        stated = edge("Ada", "Bob", a.chunks[0])
        say(store, a, stated)
        settle(store)
        store.retire(MAIN, [a.ids[0]], LATER)
        settle(store)
        author, chunk = (a, a.chunks[0]) if again == "same chunk" else (b, b.chunks[0])
        say(store, author, edge("Ada", "Bob", chunk))
        settle(store)
        (found,) = store.edges(MAIN, [stated.id])
        assert found.retired_at is None
        assert [item.chunk for item in found.evidence] == [chunk.id]
        assert visible_edges(store, ADA) == {stated.id}

    def test_hidden_links_and_edges_return_with_their_node(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        links = edge("Ada", "Cy", *b.chunks)
        say(store, b, mention(b.chunks[0], "Ada", role=MentionRole.LINK), links)
        settle(store)
        store.retire(MAIN, a.ids, LATER)
        settle(store)
        assert store.nodes(MAIN, [ADA]) == []
        assert store.edges(MAIN, [links.id]) == [], "in force, but an end is dead"
        assert visible_edges(store, ADA, CY) == set()
        new = filed("a", "a three", version="2")
        say(store, new, mention(new.chunks[0], "Ada"))
        settle(store)
        assert store.edges(MAIN, [links.id]) == [links]
        assert visible_edges(store, CY) == {links.id}
        assert store.mention_counts(MAIN, id_array(ADA)).tolist() == [2]

    def test_vectors_of_what_changed_go(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        row = (axis(0), axis(1))
        store.write_node_vectors(MAIN, node_vectors(a.origin, Ada=row))
        store.write_node_vectors(MAIN, node_vectors(b.origin, Bob=row, Cy=row))
        settle(store)
        store.retire(MAIN, [a.ids[0]], LATER)
        assert store.nodes_without_vectors(MAIN, limit=9) == [ADA]
        store.retire(MAIN, b.ids, LATER)
        settle(store)
        assert store.search_nodes(MAIN, axis(1), limit=9).ids.tolist() == []
        assert store.nodes_without_vectors(MAIN, limit=9) == sorted([ADA, BOB])

    def test_vectors_of_a_dead_node_go_whatever_their_origin(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        store.write_node_vectors(MAIN, node_vectors(a.origin, Cy=(axis(0), axis(1))))
        settle(store)
        store.retire(MAIN, b.ids, LATER)
        say(store, b, mention(b.chunks[0], "Cy"))
        settle(store)
        assert CY in store.nodes_without_vectors(MAIN, limit=9)
        assert store.search_nodes(MAIN, axis(1), limit=9).ids.tolist() == []

    def test_communities_of_what_changed_go(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        changed = Community(1, 0, "level0_0", (ADA,), summary="Ada, as a says.")
        other = Community(2, 0, "level0_1", (CY,))
        store.write_communities(MAIN, CommunityBatch((changed, other), no_vectors()))
        settle(store)
        store.retire(MAIN, [a.ids[0]], LATER)
        assert store.communities(MAIN) == [other]


@fresh_and_compacted
class TestSupersession:
    """A newer statement may retire an edge whose evidence stands."""

    @pytest.mark.parametrize("given", ["with evidence", "without"])
    def test_retires_and_revives_by_writing(
        self, make_store: MakeStore, settle: Callable[[Store], None], given: str
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        older = edge("Ada", "Bob", a.chunks[0], relation="leads")
        newer = edge("Cy", "Bob", *b.chunks, relation="leads")
        say(store, a, older)
        say(store, b, newer)
        settle(store)
        superseded = replace(older, retired_at=LATER, superseded_by=newer.id)
        written: Edge = superseded if given == "with evidence" else replace(superseded, evidence=())
        say(store, a, written)
        settle(store)
        assert store.edges(MAIN, [older.id]) == [superseded]
        assert visible_edges(store, BOB) == {newer.id}
        assert store.degrees(MAIN, id_array(ADA)).tolist() == [0]
        say(store, a, older)
        settle(store)
        assert store.edges(MAIN, [older.id]) == [older]
        assert visible_edges(store, BOB) == {newer.id, older.id}

    @pytest.mark.parametrize("way", ["erased", "retired"])
    def test_ends_with_the_evidence_of_what_superseded(
        self, make_store: MakeStore, settle: Callable[[Store], None], way: str
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        older = edge("Ada", "Bob", a.chunks[0], relation="leads")
        newer = edge("Cy", "Bob", *b.chunks, relation="leads")
        say(store, a, older)
        say(store, b, newer)
        say(store, a, replace(older, evidence=(), retired_at=LATER, superseded_by=newer.id))
        settle(store)
        if way == "erased":
            store.erase(MAIN, b.origin)
        else:
            store.retire(MAIN, b.ids, LATER + timedelta(days=1))
        settle(store)
        assert store.edges(MAIN, [older.id]) == [older]
        assert visible_edges(store, ADA) == {older.id}

    def test_passes_on_along_a_chain(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        c = filed("c", "c one")
        write(store, c)
        first = edge("Ada", "Bob", a.chunks[0], relation="leads")
        second = edge("Cy", "Bob", *b.chunks, relation="leads")
        third = edge("Bob", "Bob", *c.chunks, relation="leads")
        for entry, stated in ((a, first), (b, second), (c, third)):
            say(store, entry, stated)
        at = LATER + timedelta(days=1)
        say(store, a, replace(first, evidence=(), retired_at=LATER, superseded_by=second.id))
        say(store, b, replace(second, evidence=(), retired_at=at, superseded_by=third.id))
        settle(store)
        store.erase(MAIN, b.origin)
        settle(store)
        assert store.edges(MAIN, [first.id]) == [
            replace(first, retired_at=LATER, superseded_by=third.id)
        ]
        store.erase(MAIN, c.origin)
        settle(store)
        assert store.edges(MAIN, [first.id]) == [first]

    def test_an_edge_must_rest_on_something(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        for bare in (
            edge("Ada", "Bob"),
            edge("Ada", "Bob", standing=Standing.INFERRED, retired_at=LATER),
        ):
            with pytest.raises(StoreError, match="evidence"):
                say(store, a, mention(a.chunks[0], "Dee"), bare)
            settle(store)
            assert store.nodes(MAIN, [node_of("Dee")]) == []
            assert store.edges(MAIN, [bare.id]) == []


def test_dates_come_back_in_utc(make_store: MakeStore) -> None:
    """Erasure compares dates, so that each must come back as the instant that it was."""
    store = make_store()
    a, _ = two_sources(store)
    elsewhere = datetime.fromisoformat("2024-01-01T05:30:00.000001+05:30")
    say(store, a, edge("Ada", "Bob", a.chunks[0], recorded_at=elsewhere))
    (found,) = store.edges(MAIN, [edge("Ada", "Bob").id])
    assert found.recorded_at == NEW_YEAR + timedelta(microseconds=1)
