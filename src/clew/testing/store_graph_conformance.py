"""What every `GraphStore` must keep: nodes, names, node vectors, claims, merges, communities."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from clew.core.batches import CommunityBatch, GraphBatch, no_vectors
from clew.core.documents import Span
from clew.core.errors import StoreError
from clew.core.knowledge import Claim, Community, MentionRole, Merge, Node, NodeType, Period
from clew.core.ports import Store
from clew.core.query import Filter
from clew.testing.store_samples import (
    DIMENSIONS,
    MAIN,
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
    random_units,
    say,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])


class TestNodes:
    """A node is the aggregate of its mentions."""

    def test_name_label_and_kind_are_the_most_frequent(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = filed("a", "one", "two"), filed("b", "three")
        write(store, a, b)
        one, two = a.chunks
        who = "World Health Organization"
        say(
            store,
            a,
            mention(one, "WHO", node=who, label="Agency", kind=NodeType.CONCEPT),
            mention(one, "WHO", node=who, start=9, label="Agency"),
            mention(two, who, label="Body"),
        )
        say(store, b, mention(b.chunks[0], "the WHO", node=who, label="Body"))
        assert store.nodes(MAIN, [node_of(who)]) == [
            Node(
                id=node_of(who),
                name="WHO",
                kind=NodeType.ENTITY,
                label="Agency",
                aliases=("World Health Organization", "the WHO"),
            )
        ]

    def test_come_in_the_order_of_the_ids(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(store, a, mention(a.chunks[0], "Ada"), mention(a.chunks[0], "Bob"))
        ids = [node_of("Bob"), 99, node_of("Ada"), node_of("Bob")]
        assert [node.name for node in store.nodes(MAIN, ids)] == ["Bob", "Ada", "Bob"]

    def test_links_alone_make_none_and_lend_no_name(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a)
        one, two = a.chunks
        say(
            store,
            a,
            mention(one, "Ada", role=MentionRole.LINK),
            mention(one, "Bob", role=MentionRole.TITLE),
            mention(two, "Bobby", node="Bob", role=MentionRole.LINK, label="Person"),
            mention(two, "Bobby", node="Bob", start=9, role=MentionRole.LINK),
        )
        nodes = store.nodes(MAIN, [node_of("Ada"), node_of("Bob")])
        assert nodes == [Node(node_of("Bob"), "Bob")]
        assert store.counts(MAIN)["nodes"] == 1
        assert [found.surface for found in store.mentions(MAIN, [one.id])] == ["Bob"]

    def test_writing_twice_changes_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        batch = GraphBatch(
            a.origin,
            (mention(a.chunks[0], "Ada"), mention(a.chunks[0], "Bob")),
            (edge("Ada", "Bob", a.chunks[0], confidence=0.5),),
            (Claim(7, a.ids[0], "Ada met Bob.", Span(0, 3), (node_of("Ada"),)),),
            (Merge("ada", node_of("Ada"), a.ids[0], 0.95, "same name"),),
        )
        store.write_graph(MAIN, batch)
        once = (store.counts(MAIN), store.nodes(MAIN, [node_of("Ada")]))
        store.write_graph(MAIN, batch)
        assert (store.counts(MAIN), store.nodes(MAIN, [node_of("Ada")])) == once
        assert once[0] == {
            "documents": 1,
            "chunks": 1,
            "nodes": 2,
            "edges": 1,
            "claims": 1,
            "mentions": 2,
            "merges": 1,
        }
        assert len(store.edges(MAIN, [batch.edges[0].id])[0].evidence) == 1

    def test_mentions_come_by_chunk_and_place(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a)
        one, two = a.chunks
        late = mention(one, "Ada", start=20, label="Person", confidence=0.5)
        early = mention(one, "Bob", start=3)
        title = mention(two, "Ada", role=MentionRole.TITLE, kind=NodeType.DOCUMENT)
        say(store, a, late, title, early)
        assert store.mentions(MAIN, [two.id, 99, one.id]) == [title, early, late]

    def test_counts_of_mentions_are_of_chunks(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two", "three")
        write(store, a)
        one, two, three = a.chunks
        say(
            store,
            a,
            mention(one, "Ada"),
            mention(one, "Ada", start=9),
            mention(two, "Ada", role=MentionRole.LINK),
            mention(three, "Ghost", role=MentionRole.LINK),
        )
        nodes = id_array(node_of("Ada"), node_of("Ghost"), 99)
        assert store.mention_counts(MAIN, nodes).tolist() == [2, 0, 0]


class TestNames:
    """A normalised name finds the nodes that it stands for."""

    def test_most_mentioned_first_then_by_id(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a)
        one, two = a.chunks
        say(
            store,
            a,
            mention(one, "Mercury", node="Mercury planet"),
            mention(one, "Mercury", node="Mercury planet", start=20),
            mention(two, "Mercury", node="Mercury element"),
            mention(two, "Mercury", node="Mercury god"),
            mention(two, "Hermes", node="Mercury god"),
        )
        tied = sorted([node_of("Mercury element"), node_of("Mercury god")])
        assert store.find_names(MAIN, ["mercury", "hermes", "nobody", ""]) == {
            "mercury": (node_of("Mercury planet"), *tied),
            "hermes": (node_of("Mercury god"),),
        }

    def test_links_do_not_count_but_the_canonical_key_does(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(
            store,
            a,
            mention(a.chunks[0], "WHO", node="World Health Organization"),
            mention(
                a.chunks[0], "the agency", node="World Health Organization", role=MentionRole.LINK
            ),
        )
        who = (node_of("World Health Organization"),)
        assert store.find_names(MAIN, ["world health organization", "agency", "who"]) == {
            "world health organization": who,
            "who": who,
        }


@fresh_and_compacted
class TestNodeVectors:
    """Nodes are found by meaning and by name, filters first."""

    def test_both_columns_are_searched(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(store, a, mention(a.chunks[0], "Ada"), mention(a.chunks[0], "Bob"))
        store.write_node_vectors(
            MAIN, node_vectors(a.origin, Ada=(axis(0), axis(1)), Bob=(axis(1), axis(0)))
        )
        settle(store)
        ada, bob = node_of("Ada"), node_of("Bob")
        by_meaning = store.search_nodes(MAIN, axis(0), limit=2)
        by_name = store.search_nodes(MAIN, axis(0), limit=2, by_name=True)
        assert by_meaning.ids.tolist() == [bob, ada]
        assert by_name.ids.tolist() == [ada, bob]
        np.testing.assert_allclose(by_name.scores, [1, 0], atol=1e-4)
        both = store.match_names(MAIN, np.stack([axis(0), -axis(2)]), least=-0.5)
        assert [hits.ids.tolist() for hits in both] == [[ada, bob], sorted([ada, bob])]
        (near,) = store.match_names(MAIN, axis(0)[None], least=0.9)
        assert near.ids.tolist() == [ada]
        zeros = [0.0] * DIMENSIONS
        found = store.node_vectors(MAIN, id_array(bob, 99, ada)).tolist()
        assert found == [axis(0).tolist(), zeros, axis(1).tolist()]
        assert store.search_nodes(MAIN, axis(0), limit=0).ids.tolist() == []

    def test_only_live_nodes_have_vectors(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(
            store,
            a,
            *(mention(a.chunks[0], name) for name in ("Ada", "Bob", "Cy")),
            mention(a.chunks[0], "Ghost", role=MentionRole.LINK),
        )
        store.write_node_vectors(
            MAIN, node_vectors(a.origin, Ada=(axis(0), axis(0)), Ghost=(axis(1), axis(1)))
        )
        settle(store)
        missing = sorted([node_of("Bob"), node_of("Cy")])
        assert store.nodes_without_vectors(MAIN, limit=9) == missing
        assert store.nodes_without_vectors(MAIN, limit=1) == missing[:1]
        assert store.search_nodes(MAIN, axis(1), limit=9).ids.tolist() == [node_of("Ada")]
        say(store, a, mention(a.chunks[0], "Ghost"))
        settle(store)
        assert node_of("Ghost") in store.nodes_without_vectors(MAIN, limit=9)
        assert not store.node_vectors(MAIN, id_array(node_of("Ghost"))).any()

    def test_sizes_must_agree(self, make_store: MakeStore, settle: Callable[[Store], None]) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(store, a, mention(a.chunks[0], "Ada"))
        store.write_node_vectors(MAIN, node_vectors(a.origin, Ada=(axis(0), axis(0))))
        settle(store)
        short = np.ones(3, np.float32)
        with pytest.raises(StoreError, match="dimensions"):
            store.write_node_vectors(MAIN, node_vectors(a.origin, Ada=(short, short)))
        with pytest.raises(StoreError, match="dimensions"):
            store.search_nodes(MAIN, short, limit=1)

    @pytest.mark.parametrize(
        ("scope", "passing"),
        [
            (Filter(labels=frozenset({"L1"})), {1, 4, 7, 10, 13, 16, 19}),
            (Filter(sources=frozenset({"doc2"})), {4, 5}),
            (
                Filter(sources=frozenset({"doc2", "doc3"}), labels=frozenset({"L1", "L0"})),
                {4, 6, 7},
            ),
            (Filter(sources=frozenset({"gone"})), set()),
            (Filter(), set(range(20))),
        ],
    )
    def test_filters_apply_before_top_k(
        self,
        make_store: MakeStore,
        settle: Callable[[Store], None],
        scope: Filter,
        passing: set[int],
    ) -> None:
        store = make_store()
        vectors = random_units(20, seed=4)
        entries = [filed(f"doc{number}", f"text {number}") for number in range(10)]
        write(store, *entries)
        for number, entry in enumerate(entries):
            names = [2 * number, 2 * number + 1]
            say(
                store,
                entry,
                *(mention(entry.chunks[0], f"n{name}", label=f"L{name % 3}") for name in names),
                mention(entry.chunks[0], "n19", role=MentionRole.LINK),
            )
            store.write_node_vectors(
                MAIN,
                node_vectors(
                    entry.origin, **{f"n{name}": (vectors[name], vectors[name]) for name in names}
                ),
            )
        settle(store)
        question = random_units(1, seed=5)[0]
        expected = sorted(passing, key=lambda name: -float(vectors[name] @ question))[:4]
        for by_name in (False, True):
            found = store.search_nodes(MAIN, question, limit=4, filter=scope, by_name=by_name)
            assert found.ids.tolist() == [node_of(f"n{name}") for name in expected]


class TestClaimsMergesCommunities:
    """Claims and merges rest on chunks; communities are replaced as a whole."""

    def test_claims_come_by_chunk_and_place(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a)
        one, two = a.ids
        period = Period(occurred_at=datetime(1984, 1, 1, tzinfo=UTC))
        late = Claim(1, one, "Late.", Span(9, 14), (5, 6), period, "denied", 0.25)
        early = Claim(2, one, "Early.", Span(0, 6))
        other = Claim(3, two, "Other.", Span(0, 6))
        say(store, a, late, early, other)
        assert store.claims(MAIN, [two, 99, one]) == [other, early, late]
        better = replace(late, confidence=0.75)
        say(store, a, better)
        assert store.claims(MAIN, [one]) == [early, better]

    def test_merges_come_by_key(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        first = Merge("ada l", 5, a.ids[0], 0.93, "similar")
        second = Merge("ada", 5, a.ids[0], 1.0, "equal")
        third = Merge("bob", 6, a.ids[0], 1.0, "equal")
        store.write_graph(MAIN, GraphBatch(a.origin, merges=(third, first, second)))
        assert store.merges(MAIN) == [second, first, third]
        assert store.merges(MAIN, node=5) == [second, first]
        assert store.merges(MAIN, node=99) == []

    def test_communities_are_replaced_and_give_nodes_their_path(
        self, make_store: MakeStore
    ) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(store, a, mention(a.chunks[0], "Ada"), mention(a.chunks[0], "Bob"))
        ada, bob = node_of("Ada"), node_of("Bob")
        old = Community(1, 0, "level0_9", (ada, bob))
        store.write_communities(MAIN, CommunityBatch((old,), no_vectors()))
        top = Community(2, 0, "level0_0", (ada, bob), summary="All of it.")
        deep = Community(3, 1, "level0_0.level1_0", (ada,), parent=2)
        store.write_communities(MAIN, CommunityBatch((deep, top), no_vectors()))
        assert store.communities(MAIN) == [top, deep]
        assert store.communities(MAIN, level=1) == [deep]
        nodes = store.nodes(MAIN, [ada, bob])
        assert [node.community for node in nodes] == ["level0_0.level1_0", "level0_0"]
