"""What every `GraphStore` must forget: erasure is for good."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from clew.core.batches import CommunityBatch, GraphBatch, no_vectors
from clew.core.documents import Span
from clew.core.knowledge import Claim, Community, MentionRole, Merge, Standing
from clew.core.ports import Store
from clew.testing.store_samples import (
    ADA,
    BOB,
    CY,
    LATER,
    MAIN,
    MakeStore,
    axis,
    compact,
    edge,
    filed,
    id_array,
    leave_fresh,
    mention,
    node_vectors,
    say,
    two_sources,
    visible_edges,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])


def _removed(**rows: int) -> dict[str, int]:
    """Return a whole receipt in which tables that are not named lost nothing."""
    tables = (
        "mentions claims merges statements edges nodes node_vectors communities "
        "past_mentions past_claims past_merges past_statements"
    )
    return dict.fromkeys(tables.split(), 0) | rows


@fresh_and_compacted
class TestErase:
    """What came from a source goes with it, and what rested on it alone."""

    def test_rows_nodes_and_edges_go(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        own = edge("Ada", "Bob", *a.chunks)
        shared = edge("Bob", "Cy", a.chunks[0], confidence=0.9)
        say(store, a, own, shared, Claim(1, a.ids[0], "Ada is.", Span(0, 3), (ADA,)))
        say(store, b, edge("Bob", "Cy", *b.chunks, confidence=0.4))
        merge = Merge("bobby", BOB, a.ids[0], 1.0, "equal")
        store.write_graph(MAIN, GraphBatch(a.origin, merges=(merge,)))
        settle(store)
        removed = store.erase(MAIN, a.origin)
        assert removed == _removed(mentions=4, claims=1, merges=1, statements=3, edges=1, nodes=1)
        settle(store)
        assert [node.name for node in store.nodes(MAIN, [ADA, BOB, CY])] == ["Bobby", "Cy"]
        assert store.find_names(MAIN, ["ada", "bob", "bobby"]) == {"bob": (BOB,), "bobby": (BOB,)}
        (left,) = store.edges(MAIN, [own.id, shared.id])
        assert left.id == shared.id
        assert left.confidence == pytest.approx(0.4)
        assert [found.chunk for found in left.evidence] == b.ids
        assert store.mentions(MAIN, a.ids) == []
        assert store.claims(MAIN, a.ids) == []
        assert store.merges(MAIN) == []
        assert visible_edges(store, ADA, BOB, CY) == {shared.id}
        assert store.degrees(MAIN, id_array(ADA, BOB, CY)).tolist() == [0, 1, 1]
        assert store.expand(MAIN, id_array(*a.ids)).edge.tolist() == []

    def test_twice_or_of_an_unknown_origin_changes_nothing(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        store.erase(MAIN, a.origin)
        settle(store)
        counts = dict(store.counts(MAIN))
        assert store.erase(MAIN, a.origin) == _removed()
        assert store.erase(MAIN, 99) == _removed()
        assert store.counts(MAIN) == counts

    def test_a_dead_node_takes_links_and_edges_of_others_along(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        links = edge("Ada", "Cy", *b.chunks)
        say(store, b, mention(b.chunks[0], "Ada", role=MentionRole.LINK), links)
        settle(store)
        removed = store.erase(MAIN, a.origin)
        assert removed == _removed(mentions=5, statements=1, edges=1, nodes=1)
        say(store, a, mention(a.chunks[0], "Ada"))
        settle(store)
        assert store.edges(MAIN, [links.id]) == []
        assert visible_edges(store, ADA, CY) == set()
        assert store.mention_counts(MAIN, id_array(ADA)).tolist() == [1]

    def test_counts_nodes_that_were_live(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        say(store, b, mention(b.chunks[0], "Ada", role=MentionRole.LINK))
        store.retire(MAIN, a.ids, LATER)
        settle(store)
        removed = store.erase(MAIN, b.origin)
        assert removed == _removed(mentions=3, nodes=2)

    def test_vectors_go_with_their_origin_or_node(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        row = (axis(0), axis(1))
        store.write_node_vectors(MAIN, node_vectors(a.origin, Bob=row))
        store.write_node_vectors(MAIN, node_vectors(b.origin, Cy=row, Ada=row))
        settle(store)
        assert store.erase(MAIN, a.origin)["node_vectors"] == 2, "Bob's by origin, Ada's by death"
        settle(store)
        assert store.search_nodes(MAIN, axis(1), limit=9).ids.tolist() == [CY]
        assert store.search_nodes(MAIN, axis(0), limit=9, by_name=True).ids.tolist() == [CY]
        assert store.nodes_without_vectors(MAIN, limit=9) == [BOB]
        assert not store.node_vectors(MAIN, id_array(ADA, BOB)).any()
        say(store, a, mention(a.chunks[0], "Ada"))
        assert ADA in store.nodes_without_vectors(MAIN, limit=9)

    def test_words_go_with_their_origin_and_ends(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        person = filed("person")
        kept = edge("Bob", "Cy", standing=Standing.ASSUMED)
        ended = edge("Ada", "Bob", standing=Standing.ASSUMED)
        say(store, person, kept, ended)
        settle(store)
        assert visible_edges(store, BOB) == {kept.id, ended.id}
        store.erase(MAIN, a.origin)
        settle(store)
        assert [found.id for found in store.edges(MAIN, [kept.id, ended.id])] == [kept.id]
        assert store.erase(MAIN, person.origin)["edges"] == 1
        assert store.edges(MAIN, [kept.id]) == []
        assert visible_edges(store, BOB) == set()

    def test_communities_of_what_was_touched_go(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, _ = two_sources(store)
        touched = Community(1, 0, "level0_0", (BOB, CY), summary="Bob, as a says.")
        other = Community(2, 0, "level0_1", (CY,))
        store.write_communities(MAIN, CommunityBatch((touched, other), no_vectors()))
        settle(store)
        assert store.erase(MAIN, a.origin)["communities"] == 1
        assert store.communities(MAIN) == [other]
        assert store.nodes(MAIN, [BOB])[0].community is None

    def test_history_goes_with_its_origin_not_before(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        say(store, b, mention(b.chunks[0], "Ada"))
        shared = edge("Ada", "Bob", a.chunks[0])
        say(store, a, shared)
        say(store, b, edge("Ada", "Bob", *b.chunks))
        store.retire(MAIN, [a.ids[0]], LATER)
        settle(store)
        assert store.erase(MAIN, b.origin)["edges"] == 0
        settle(store)
        assert store.edges(MAIN, [shared.id]) == [replace(shared, retired_at=LATER)]
        assert store.erase(MAIN, a.origin)["edges"] == 1
        settle(store)
        assert store.edges(MAIN, [shared.id]) == []

    def test_retired_evidence_of_a_dead_node_goes_too(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_sources(store)
        shared = edge("Bob", "Cy", a.chunks[0])
        say(store, a, shared)
        say(store, b, edge("Bob", "Cy", *b.chunks))
        store.retire(MAIN, [a.ids[0]], LATER)
        settle(store)
        store.erase(MAIN, b.origin)
        settle(store)
        assert store.edges(MAIN, [shared.id]) == [], "its end Cy is gone"
