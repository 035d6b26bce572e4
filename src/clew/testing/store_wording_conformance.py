"""What every `GraphStore` must say of names and relations, and what a steady read may rely on."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable

import pytest

from clew.core.arrays import NO_CHUNK
from clew.core.batches import GraphBatch
from clew.core.knowledge import Standing
from clew.core.ports import Store
from clew.core.query import Principal
from clew.testing.store_samples import (
    MAIN,
    MakeStore,
    compact,
    edge,
    filed,
    id_array,
    leave_fresh,
    mention,
    node_of,
    say,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])


@fresh_and_compacted
class TestWording:
    """Edges and nodes in words, as columns."""

    def test_the_surest_passage_speaks_for_an_edge(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "one", "two", "three")
        write(store, a)
        one, two, three = a.chunks
        say(store, a, *(mention(one, name) for name in ("Ada", "Bob", "Cy")))
        met = edge("Ada", "Bob", one, relation="MET", confidence=0.5)
        say(store, a, met)
        say(store, a, edge("Ada", "Bob", two, three, relation="MET", confidence=0.75))
        guess = edge("Ada", "Cy", relation="KNOWS", standing=Standing.INFERRED)
        say(store, a, guess)
        settle(store)
        found = store.edge_labels(MAIN, id_array(guess.id, 99, met.id, guess.id))
        assert found.known.tolist() == [True, False, True, True]
        assert found.relations == ("KNOWS", "", "MET", "KNOWS")
        surest = min(two.id, three.id)
        assert found.chunks.tolist() == [NO_CHUNK, NO_CHUNK, surest, NO_CHUNK]

    def test_a_change_is_seen_at_once(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = filed("a", "one"), filed("b", "two")
        write(store, a)
        write(store, b)
        (one,), (two,) = a.chunks, b.chunks
        say(store, a, mention(one, "Ada"), mention(one, "Bob"))
        met = edge("Ada", "Bob", one, relation="MET", confidence=0.5)
        say(store, a, met)
        settle(store)
        say(
            store,
            b,
            mention(two, "Ada L.", node="Ada"),
            mention(two, "Ada L.", node="Ada", start=9),
        )
        say(store, b, edge("Ada", "Bob", two, relation="MET", confidence=0.75))
        assert store.edge_labels(MAIN, id_array(met.id)).chunks.tolist() == [two.id]
        nodes = id_array(node_of("Bob"), 99, node_of("Ada"))
        assert store.node_names(MAIN, nodes) == {node_of("Ada"): "Ada L.", node_of("Bob"): "Bob"}
        store.erase(MAIN, b.origin)
        assert store.edge_labels(MAIN, id_array(met.id)).chunks.tolist() == [one.id]
        assert store.node_names(MAIN, nodes) == {node_of("Ada"): "Ada", node_of("Bob"): "Bob"}
        store.erase(MAIN, a.origin)
        assert not store.edge_labels(MAIN, id_array(met.id)).known.any()
        assert store.node_names(MAIN, nodes) == {}

    def test_a_principal_sees_its_own_evidence_alone(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = filed("a", "one"), filed("b", "two", acl=("board",))
        write(store, a)
        write(store, b)
        (one,), (two,) = a.chunks, b.chunks
        say(store, a, mention(one, "Ada"), mention(one, "Bob"))
        say(
            store,
            b,
            mention(two, "Ms. Ada", node="Ada"),
            mention(two, "Ms. Ada", node="Ada", start=9),
        )
        met = edge("Ada", "Bob", one, relation="MET", confidence=0.5)
        say(store, a, met)
        say(store, b, edge("Ada", "Bob", two, relation="MET"))
        settle(store)
        anybody = Principal(frozenset({"staff"}))
        found = store.edge_labels(MAIN, id_array(met.id), principal=anybody)
        assert found.chunks.tolist() == [one.id]
        names = store.node_names(MAIN, id_array(node_of("Ada")), principal=anybody)
        assert names == {node_of("Ada"): "Ada"}
        assert store.node_names(MAIN, id_array(node_of("Ada")))[node_of("Ada")] == "Ms. Ada"

    def test_several_sources_at_once_are_as_one_after_the_other(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        a, b = filed("a", "one"), filed("b", "two")
        (one,), (two,) = a.chunks, b.chunks
        batches = [
            GraphBatch(
                entry.origin,
                (mention(chunk, "Ada"), mention(chunk, name), mention(chunk, name, start=9)),
                (edge("Ada", name, chunk), edge("Ada", "Ada", chunk, confidence=trust)),
            )
            for entry, chunk, name, trust in ((a, one, "Bob", 0.5), (b, two, "Cy", 0.75))
        ]
        # The last one speaks of a chunk of the first, and again as its origin.
        batches.append(GraphBatch(a.origin, (mention(one, "Bobby", node="Bob"),)))
        together, in_turn = make_store(), make_store()
        for store in (together, in_turn):
            write(store, a, b)
        together.write_graphs(MAIN, batches)
        for batch in batches:
            in_turn.write_graph(MAIN, batch)
        nodes = [node_of(name) for name in ("Ada", "Bob", "Cy")]
        edges = [stated.id for batch in batches for stated in batch.edges]
        for erased in (None, a.origin):
            if erased is not None:
                assert together.erase(MAIN, erased) == in_turn.erase(MAIN, erased)
            settle(together)
            settle(in_turn)
            assert together.nodes(MAIN, nodes) == in_turn.nodes(MAIN, nodes)
            assert together.edges(MAIN, edges) == in_turn.edges(MAIN, edges)
            assert together.counts(MAIN) == in_turn.counts(MAIN)
            counts = together.mention_counts(MAIN, id_array(*nodes)).tolist()
            assert counts == ([2, 1, 1] if erased is None else [1, 0, 1])

    def test_steady_reads_agree_and_end(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a)
        say(store, a, mention(a.chunks[0], "Ada"))
        settle(store)
        nodes = id_array(node_of("Ada"), node_of("Bob"))
        with store.steady(), store.steady():
            first = store.node_names(MAIN, nodes)
            assert store.mention_counts(MAIN, nodes).tolist() == [1, 0]
        assert first == {node_of("Ada"): "Ada"}
        say(store, a, mention(a.chunks[0], "Bob"))
        assert store.mention_counts(MAIN, nodes).tolist() == [1, 1]
        with store.steady():
            assert store.node_names(MAIN, nodes)[node_of("Bob")] == "Bob"
