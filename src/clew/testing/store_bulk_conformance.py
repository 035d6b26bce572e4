"""What every store must do for whole collections: listing, statements as they are, new vectors."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest

from clew.core.arrays import Floats
from clew.core.batches import ChunkBatch, NodeVectors, Vectors
from clew.core.documents import Span
from clew.core.errors import StoreError
from clew.core.ids import origin_id
from clew.core.knowledge import Standing, Statement
from clew.core.ports import Store
from clew.testing.store_samples import (
    ADA,
    BOB,
    CY,
    DIMENSIONS,
    GUEST,
    LATER,
    MAIN,
    NEW_YEAR,
    STAFF,
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
    write,
)

Settle: TypeAlias = Callable[[Store], None]

_WIDER = DIMENSIONS + 3


def _wide(place: int) -> Floats:
    vector = np.zeros(_WIDER, np.float32)
    vector[place] = 1.0
    return vector


def _bare(statement: Statement) -> tuple[int | None, int, float, Standing]:
    return statement.chunk, statement.origin, statement.confidence, statement.standing


class TestListing:
    """What there is, by id, for those who may see it."""

    def test_documents_come_by_source(self, make_store: MakeStore) -> None:
        store = make_store()
        b, a, secret = filed("b", "x"), filed("a", "y"), filed("c", "z", acl=("staff",))
        write(store, b, a, secret)
        ids = [entry.document.id for entry in (a, b, secret)]
        assert store.document_ids(MAIN) == ids
        assert store.document_ids(MAIN, principal=STAFF) == ids
        assert store.document_ids(MAIN, principal=GUEST) == ids[:2]
        assert store.document_ids("other") == []

    def test_nodes_are_live_visible_and_sorted(self, make_store: MakeStore) -> None:
        store = make_store()
        a, _ = two_sources(store)
        secret = filed("s", "Dee", acl=("staff",))
        write(store, secret)
        say(store, secret, mention(secret.chunks[0], "Dee"))
        dee = mention(secret.chunks[0], "Dee").node
        assert store.node_ids(MAIN).tolist() == sorted([ADA, BOB, CY, dee])
        assert store.node_ids(MAIN, principal=GUEST).tolist() == sorted([ADA, BOB, CY])
        store.erase(MAIN, a.origin)
        assert store.node_ids(MAIN).tolist() == sorted([BOB, CY, dee])
        assert store.node_ids("other").tolist() == []

    def test_edges_are_those_with_statements(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = two_sources(store)
        first, second = edge("Ada", "Bob", a.chunks[0]), edge("Bob", "Cy", b.chunks[0])
        say(store, a, first)
        say(store, b, second)
        store.retire(MAIN, a.ids, LATER)
        assert store.edge_ids(MAIN).tolist() == sorted([first.id, second.id])
        store.erase(MAIN, a.origin)
        assert store.edge_ids(MAIN).tolist() == [second.id]
        assert store.edge_ids("other").tolist() == []


class TestStatements:
    """Rows that edges rest on, read and written as they are."""

    def test_tell_origin_standing_and_retirement(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = two_sources(store)
        stated = edge("Ada", "Bob", a.chunks[0], confidence=0.5)
        say(store, a, stated)
        say(store, b, replace(edge("Ada", "Bob", b.chunks[0], confidence=0.75)))
        guessed = edge("Bob", "Cy", standing=Standing.INFERRED, confidence=0.25)
        say(store, b, guessed)
        store.retire(MAIN, a.ids, LATER)
        found = store.statements(MAIN, [guessed.id, stated.id])
        assert [row.edge for row in found] == [guessed.id, stated.id, stated.id]
        assert _bare(found[0]) == (None, b.origin, 0.25, Standing.INFERRED)
        by_chunk = {row.chunk: row for row in found[1:]}
        assert by_chunk[a.ids[0]].retired_at == LATER
        assert _bare(by_chunk[a.ids[0]]) == (a.ids[0], a.origin, 0.5, Standing.REPORTED)
        assert by_chunk[b.ids[0]].retired_at is None
        assert [row.chunk or -1 for row in found[1:]] == sorted(a.ids[:1] + b.ids[:1])

    @pytest.mark.parametrize("settle", [leave_fresh, compact])
    def test_written_again_elsewhere_give_the_same_edges(
        self, make_store: MakeStore, settle: Settle
    ) -> None:
        """What a store tells of its edges is enough to make them again, history included."""
        store, other = make_store(), make_store()
        a, b = two_sources(store)
        two_sources(other)
        retired = edge("Ada", "Bob", a.chunks[1], recorded_at=NEW_YEAR)
        kept = edge("Bob", "Cy", b.chunks[0], confidence=0.5)
        replaced = edge("Ada", "Cy", a.chunks[0], relation="led")
        guessed = edge("Ada", "Cy", relation="knew", standing=Standing.ASSUMED, confidence=0.75)
        say(store, a, retired, replaced)
        say(store, b, kept, guessed)
        say(store, b, replace(replaced, retired_at=LATER, superseded_by=kept.id, evidence=()))
        store.retire(MAIN, [a.ids[1]], LATER)
        other.retire(MAIN, [a.ids[1]], LATER)
        ids = store.edge_ids(MAIN).tolist()
        heads = [
            replace(found, evidence=(), retired_at=LATER if found.superseded_by else None)
            for found in store.edges(MAIN, ids)
        ]
        for _ in range(2):
            other.write_statements(MAIN, heads, store.statements(MAIN, ids))
            settle(other)
            assert other.edges(MAIN, ids) == store.edges(MAIN, ids)
            assert other.statements(MAIN, ids) == store.statements(MAIN, ids)
        nodes = store.node_ids(MAIN)
        assert other.degrees(MAIN, nodes).tolist() == store.degrees(MAIN, nodes).tolist()
        other.erase(MAIN, a.origin)
        assert other.edge_ids(MAIN).tolist() == sorted([kept.id])

    def test_of_an_unknown_edge_are_refused(self, make_store: MakeStore) -> None:
        store = make_store()
        a, _ = two_sources(store)
        lost = Statement(77, a.origin, a.ids[0], Span(0, 1), 1.0, Standing.REPORTED)
        with pytest.raises(StoreError, match="unknown edge 000000000000004d"):
            store.write_statements(MAIN, [], [lost])
        assert store.edge_ids(MAIN).tolist() == []

    def test_an_edge_without_any_leaves_no_trace(self, make_store: MakeStore) -> None:
        store = make_store()
        two_sources(store)
        store.write_statements(MAIN, [edge("Ada", "Bob")], [])
        assert store.edge_ids(MAIN).tolist() == []
        assert store.counts(MAIN)["edges"] == 0


def _shelf(store: Store) -> tuple[list[int], list[int]]:
    """Write two documents with vectors of chunks and nodes; return their chunks."""
    a, b = two_sources(store)
    store.write_chunks(MAIN, _batch(Vectors(id_array(*a.ids), np.stack([axis(0), axis(1)]))))
    store.write_chunks(MAIN, _batch(Vectors(id_array(*b.ids), np.stack([axis(2)]))))
    store.write_node_vectors(
        MAIN, node_vectors(a.origin, Ada=(axis(0), axis(1)), Bob=(axis(2), axis(3)))
    )
    return a.ids, b.ids


def _batch(vectors: Vectors) -> ChunkBatch:
    return ChunkBatch(vectors=vectors)


@pytest.mark.parametrize("settle", [leave_fresh, compact])
class TestReplacedVectors:
    """Other vectors in the place of all, of other dimensions, before and after compaction."""

    def test_of_chunks_are_the_only_ones_found(self, make_store: MakeStore, settle: Settle) -> None:
        store = make_store()
        a, b = _shelf(store)
        settle(store)
        first = Vectors(id_array(a[0]), np.stack([_wide(9)]))
        second = Vectors(id_array(b[0], 4711), np.stack([_wide(10), _wide(0)]))
        assert store.replace_vectors(MAIN, iter([first, second])) == 2
        for _ in range(2):
            hits = store.search_vector(MAIN, _wide(10), limit=5)
            assert (hits.ids[0], hits.scores[0]) == (b[0], 1.0)
            assert set(hits.ids.tolist()) == {a[0], b[0]}
            held = store.vectors(MAIN, id_array(*a, *b))
            assert held.tolist() == [_wide(9).tolist(), [0.0] * _WIDER, _wide(10).tolist()]
            with pytest.raises(StoreError, match="dimensions"):
                store.search_vector(MAIN, axis(0), limit=5)
            settle(store)

    def test_of_nodes_are_the_only_ones_found(self, make_store: MakeStore, settle: Settle) -> None:
        store = make_store()
        _shelf(store)
        settle(store)
        origin = origin_id("b")
        fresh = NodeVectors(
            id_array(CY, 4711),
            np.stack([_wide(8), _wide(0)]),
            np.stack([_wide(9), _wide(0)]),
            id_array(origin, origin),
        )
        assert store.replace_node_vectors(MAIN, [fresh]) == 1
        for _ in range(2):
            assert store.search_nodes(MAIN, _wide(9), limit=5).ids.tolist() == [CY]
            by_name = store.search_nodes(MAIN, _wide(8), limit=5, by_name=True)
            assert (by_name.ids.tolist(), by_name.scores.tolist()) == ([CY], [1.0])
            (matched,) = store.match_names(MAIN, np.stack([_wide(8)]), least=0.5)
            assert matched.ids.tolist() == [CY]
            assert store.node_vectors(MAIN, id_array(ADA, CY)).tolist() == [
                [0.0] * _WIDER,
                _wide(9).tolist(),
            ]
            assert store.nodes_without_vectors(MAIN, limit=9) == sorted([ADA, BOB])
            settle(store)

    def test_none_at_all_leave_nothing_to_find(self, make_store: MakeStore, settle: Settle) -> None:
        store = make_store()
        _shelf(store)
        settle(store)
        assert store.replace_vectors(MAIN, []) == 0
        assert store.replace_node_vectors(MAIN, []) == 0
        assert store.search_vector(MAIN, _wide(0), limit=5).ids.tolist() == []
        assert store.search_nodes(MAIN, _wide(0), limit=5).ids.tolist() == []
        assert store.match_names(MAIN, np.stack([_wide(0)]), least=0.0)[0].ids.tolist() == []

    def test_are_undone_with_their_transaction(self, make_store: MakeStore, settle: Settle) -> None:
        store = make_store()
        a, _ = _shelf(store)
        settle(store)

        def fail_at_the_end() -> None:
            with store.transaction():
                store.replace_vectors(MAIN, [Vectors(id_array(a[0]), np.stack([_wide(9)]))])
                assert store.search_vector(MAIN, _wide(9), limit=1).ids.tolist() == [a[0]]
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail_at_the_end()
        assert store.search_vector(MAIN, axis(1), limit=1).ids.tolist() == [a[1]]

    def test_of_mixed_dimensions_change_nothing(
        self, make_store: MakeStore, settle: Settle
    ) -> None:
        store = make_store()
        a, _ = _shelf(store)
        settle(store)
        wide, narrow = (
            Vectors(id_array(chunk), np.stack([vector]))
            for chunk, vector in zip(a, (_wide(9), axis(0)), strict=True)
        )
        with pytest.raises(StoreError, match="dimensions"):
            store.replace_vectors(MAIN, [wide, narrow])
        assert store.search_vector(MAIN, axis(1), limit=1).ids.tolist() == [a[1]]

    def test_new_rows_join_them(self, make_store: MakeStore, settle: Settle) -> None:
        store = make_store()
        a, b = _shelf(store)
        settle(store)
        store.replace_vectors(MAIN, [Vectors(id_array(a[0]), np.stack([_wide(9)]))])
        store.write_chunks(MAIN, _batch(Vectors(id_array(b[0]), np.stack([_wide(10)]))))
        settle(store)
        assert store.search_vector(MAIN, _wide(10), limit=1).ids.tolist() == [b[0]]
        with pytest.raises(StoreError, match="dimensions"):
            store.write_chunks(MAIN, _batch(Vectors(id_array(b[0]), np.stack([axis(0)]))))
