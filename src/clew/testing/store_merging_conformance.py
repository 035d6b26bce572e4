"""What every `GraphStore` must keep: nodes that are read as another, and come back as they were."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from clew.core.batches import GraphBatch
from clew.core.documents import Span
from clew.core.errors import StoreError
from clew.core.ids import edge_id
from clew.core.knowledge import Claim, MentionRole, Merge
from clew.core.ports import Store
from clew.testing.store_agreement import Universe, require_agreement, require_alike
from clew.testing.store_samples import (
    ADA,
    BOB,
    CY,
    GUEST,
    LATER,
    MAIN,
    NEW_YEAR,
    STAFF,
    Filed,
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
    steps,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])

ADA_JOINS_CY = edge_id(ADA, CY, "related_to", "joins")
BOB_JOINS_CY = edge_id(BOB, CY, "related_to", "joins")
ADA_JOINS_BOB = edge_id(ADA, BOB, "related_to", "joins")


def two_spellings(store: Store) -> tuple[Filed, Filed]:
    """Write two documents: the first calls a person Ada, the second Bob; both know Cy."""
    a, b = filed("a", "a one", acl=("staff",)), filed("b", "b one", "b two")
    write(store, a, b)
    first, second, third = a.chunks[0], *b.chunks
    say(
        store,
        a,
        mention(first, "Ada", label="Person"),
        mention(first, "Cy", start=9),
        edge("Ada", "Cy", first),
    )
    say(
        store,
        b,
        mention(second, "Bob", label="Author"),
        mention(third, "Bob", label="Author"),
        mention(second, "Cy", start=9),
        mention(second, "Ada", start=20, role=MentionRole.LINK, confidence=0.5),
        edge("Bob", "Cy", second),
        edge("Ada", "Bob", second, relation="joins"),
        Claim(1, second.id, "Bob came.", Span(0, 3), (BOB, ADA)),
    )
    store.write_graph(MAIN, GraphBatch(b.origin, merges=(Merge("bob", BOB, 1, 0.93, "cosine"),)))
    store.write_node_vectors(
        MAIN, node_vectors(b.origin, Bob=(axis(1), axis(2)), Cy=(axis(3), axis(4)))
    )
    store.write_node_vectors(MAIN, node_vectors(a.origin, Ada=(axis(0), axis(5))))
    return a, b


def require_same(first: Store, second: Store, *entries: Filed) -> None:
    """Compare all reads of two stores."""
    universe = Universe(
        tuple(entry.document.source for entry in entries),
        tuple(node_of(name) for name in ("Ada", "Bob", "Cy", "Dee")),
        ("Ada", "Bob", "Cy", "Dee"),
        {entry.document.id for entry in entries},
        {chunk for entry in entries for chunk in entry.ids},
        {ADA_JOINS_CY, BOB_JOINS_CY, ADA_JOINS_BOB},
    )
    require_agreement(first, second, MAIN, universe)


class TestMergedNodes:
    """While they are set, merged nodes are read as their root in every way."""

    @fresh_and_compacted
    def test_mentions_names_and_labels_are_the_roots(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        _, b = two_spellings(store)
        settle(store)
        store.set_merged(MAIN, {BOB: ADA})
        assert store.merged(MAIN) == {BOB: ADA}
        (node,) = store.nodes(MAIN, [BOB, ADA])
        assert (node.id, node.name, node.aliases, node.label) == (ADA, "Bob", ("Ada",), "Author")
        assert store.find_names(MAIN, ["ada", "bob"]) == {"ada": (ADA,), "bob": (ADA,)}
        assert store.mention_counts(MAIN, id_array(ADA, BOB)).tolist() == [3, 0]
        assert {row.node for row in store.mentions(MAIN, b.ids)} == {ADA, CY}
        assert store.counts(MAIN)["nodes"] == 2

    @fresh_and_compacted
    def test_edges_run_from_the_root_and_the_one_between_both_is_hidden(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = two_spellings(store)
        settle(store)
        store.set_merged(MAIN, {BOB: ADA})
        found = {row for row in steps(store.expand(MAIN, id_array(ADA))) if row[1] == CY}
        assert found == {(ADA, CY, ADA_JOINS_CY), (ADA, CY, BOB_JOINS_CY)}
        assert store.edges(MAIN, [ADA_JOINS_BOB]) == []
        (turned,) = store.edges(MAIN, [BOB_JOINS_CY])
        assert (turned.source, turned.evidence[0].chunk) == (ADA, b.ids[0])
        assert store.degrees(MAIN, id_array(ADA, BOB, CY)).tolist() == [2, 0, 2]
        assert len(store.expand(MAIN, id_array(BOB)).edge) == 0
        mentioning = {row[1] for row in steps(store.expand(MAIN, id_array(ADA)))} - {CY}
        assert mentioning == {*a.ids, *b.ids}

    def test_claims_and_the_merge_log_name_the_root(self, make_store: MakeStore) -> None:
        store = make_store()
        _, b = two_spellings(store)
        store.set_merged(MAIN, {BOB: ADA})
        assert [claim.subjects for claim in store.claims(MAIN, b.ids)] == [(ADA,)]
        assert [row.node for row in store.merges(MAIN)] == [ADA]
        assert store.merges(MAIN, node=ADA) == [Merge("bob", ADA, 1, 0.93, "cosine")]
        assert store.merges(MAIN, node=BOB) == []

    @fresh_and_compacted
    def test_the_root_is_found_by_its_own_vectors_alone(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        two_spellings(store)
        settle(store)
        store.set_merged(MAIN, {BOB: ADA})
        for by_name in (False, True):
            hits = store.search_nodes(MAIN, axis(0), limit=9, by_name=by_name)
            assert sorted(hits.ids.tolist()) == sorted((ADA, CY))
        (near,) = store.match_names(MAIN, np.stack([axis(1)]), least=0.9)
        assert near.ids.tolist() == []
        assert not store.node_vectors(MAIN, id_array(BOB)).any()
        assert store.nodes_without_vectors(MAIN, limit=9) == []

    def test_a_principal_sees_what_stands_in_visible_chunks(self, make_store: MakeStore) -> None:
        store = make_store()
        two_spellings(store)
        store.set_merged(MAIN, {BOB: ADA})
        (node,) = store.nodes(MAIN, [ADA], principal=STAFF)
        assert node.aliases == ("Ada",)
        (node,) = store.nodes(MAIN, [ADA], principal=GUEST)
        assert (node.name, node.aliases) == ("Bob", ())

    def test_the_roots_own_mention_counts_where_both_become_the_same(
        self, make_store: MakeStore
    ) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(
            store,
            a,
            mention(a.chunks[0], "Cy", node="Ada", label="Person", confidence=0.3),
            mention(a.chunks[0], "Cy", node="Bob", label="City", confidence=0.9),
        )
        store.set_merged(MAIN, {BOB: ADA})
        (row,) = store.mentions(MAIN, a.ids)
        assert (row.label, row.confidence) == ("Person", 0.3)
        store.set_merged(MAIN, {ADA: BOB})
        (row,) = store.mentions(MAIN, a.ids)
        assert (row.label, row.confidence) == ("City", 0.9)

    def test_a_chain_is_refused(self, make_store: MakeStore) -> None:
        store = make_store()
        two_spellings(store)
        with pytest.raises(StoreError, match="merged itself"):
            store.set_merged(MAIN, {BOB: ADA, CY: BOB})
        assert store.merged(MAIN) == {}

    def test_facts_do_not_show_it_and_other_collections_do_not_know_it(
        self, make_store: MakeStore
    ) -> None:
        store = make_store()
        two_spellings(store)
        store.set_merged(MAIN, {BOB: ADA})
        assert store.facts(MAIN) == {}
        assert store.merged("other") == {}
        store.drop(MAIN)
        assert store.merged(MAIN) == {}
        assert MAIN not in store.collections()

    def test_it_counts_as_a_change(self, make_store: MakeStore) -> None:
        store = make_store()
        two_spellings(store)
        before = store.revision(MAIN)
        store.set_merged(MAIN, {BOB: ADA})
        assert store.revision(MAIN) > before

    def test_an_error_undoes_it(self, make_store: MakeStore) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)

        def fail_halfway() -> None:
            with store.transaction():
                store.set_merged(MAIN, {BOB: ADA})
                raise RuntimeError("halfway")

        with pytest.raises(RuntimeError, match="halfway"):
            fail_halfway()
        require_same(untouched, store, *entries)


class TestUnmergedNodes:
    """What is no longer merged is as if it had never been."""

    @fresh_and_compacted
    @pytest.mark.parametrize(
        "steps_between",
        [
            [{BOB: ADA}],
            [{ADA: BOB}],
            [{BOB: ADA}, {ADA: BOB}],
            [{BOB: ADA, CY: ADA}, {BOB: ADA}],
            [{BOB: CY}, {BOB: ADA}, {ADA: CY, BOB: CY}],
        ],
    )
    def test_every_read_is_as_before(
        self,
        make_store: MakeStore,
        settle: Callable[[Store], None],
        steps_between: list[dict[int, int]],
    ) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)
        for roots in steps_between:
            store.set_merged(MAIN, roots)
            settle(store)
        with pytest.raises(AssertionError):
            require_same(untouched, store, *entries)
        store.set_merged(MAIN, {})
        require_same(untouched, store, *entries)

    def test_what_is_written_meanwhile_goes_to_its_own_node(self, make_store: MakeStore) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)
        c = filed("c", "c one")
        store.set_merged(MAIN, {BOB: ADA})
        for place in (store, untouched):
            write(place, c)
            chunk = c.chunks[0]
            say(
                place,
                c,
                mention(chunk, "Bob"),
                mention(chunk, "Dee", start=9),
                edge("Bob", "Dee", chunk),
                edge("Bob", "Cy", chunk, confidence=0.7),
            )
        assert store.mention_counts(MAIN, id_array(ADA)).tolist() == [4]
        (turned,) = store.edges(MAIN, [BOB_JOINS_CY])
        assert [found.chunk for found in turned.evidence] == [entries[1].ids[0], c.ids[0]]
        store.set_merged(MAIN, {})
        require_same(untouched, store, *entries, c)

    def test_vectors_written_meanwhile_go_with_the_merge(self, make_store: MakeStore) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)
        store.set_merged(MAIN, {BOB: ADA})
        written = node_vectors(entries[1].origin, Ada=(axis(6), axis(7)), Bob=(axis(6), axis(7)))
        store.write_node_vectors(MAIN, written)
        near = store.search_nodes(MAIN, axis(7), limit=1)
        assert (near.ids.tolist(), near.scores.tolist()) == ([ADA], [1.0])
        store.set_merged(MAIN, {})
        require_same(untouched, store, *entries)

    @pytest.mark.parametrize("removed", [0, 1])
    def test_what_is_removed_meanwhile_does_not_come_back(
        self, make_store: MakeStore, removed: int
    ) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)
        store.set_merged(MAIN, {BOB: ADA})
        gone = entries[removed]
        for place in (store, untouched):
            place.remove_document(MAIN, gone.document.id)
            place.erase(MAIN, gone.origin)
        store.set_merged(MAIN, {})
        require_same(untouched, store, *entries)

    def test_what_vanished_with_a_version_does_not_come_back(self, make_store: MakeStore) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)
        store.set_merged(MAIN, {BOB: ADA})
        for place in (store, untouched):
            place.retire(MAIN, entries[1].ids[:1], LATER)
            place.remove_chunks(MAIN, entries[1].ids[:1])
        store.set_merged(MAIN, {})
        require_same(untouched, store, *entries)

    def test_what_was_known_is_read_alike_and_comes_back(self, make_store: MakeStore) -> None:
        store, untouched = make_store(), make_store()
        entries = two_spellings(store)
        two_spellings(untouched)
        store.set_merged(MAIN, {BOB: ADA})
        for place in (store, untouched):
            place.retire(MAIN, entries[1].ids, LATER)
        with store.as_of(MAIN, NEW_YEAR) as known:
            assert known.find_names(MAIN, ["bob"]) == {"bob": (ADA,)}
            assert known.mention_counts(MAIN, id_array(ADA, BOB)).tolist() == [3, 0]
        store.set_merged(MAIN, {})
        with store.as_of(MAIN, NEW_YEAR) as known, untouched.as_of(MAIN, NEW_YEAR) as expected:
            require_same(expected, known, *entries)

    def test_vectors_of_an_earlier_model_do_not_come_back(self, make_store: MakeStore) -> None:
        store = make_store()
        entries = two_spellings(store)
        store.set_merged(MAIN, {BOB: ADA})
        other = node_vectors(entries[0].origin, Ada=(axis(6), axis(7)), Cy=(axis(6), axis(7)))
        assert store.replace_node_vectors(MAIN, [other]) == 2
        store.set_merged(MAIN, {})
        assert store.nodes_without_vectors(MAIN, limit=9) == sorted((ADA, BOB))

    def test_an_edge_written_as_it_is_read_keeps_its_own_ends(self, make_store: MakeStore) -> None:
        store = make_store()
        _, b = two_spellings(store)
        before = store.edges(MAIN, [BOB_JOINS_CY])
        store.set_merged(MAIN, {BOB: ADA})
        say(store, b, *store.edges(MAIN, [BOB_JOINS_CY]))
        store.set_merged(MAIN, {})
        require_alike("edges", before, store.edges(MAIN, [BOB_JOINS_CY]))
