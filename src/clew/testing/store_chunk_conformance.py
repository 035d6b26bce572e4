"""What every `ChunkStore` must do: documents, chunks, stages, vectors and transactions."""

# ruff: noqa: S101, D102

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from clew.core.batches import ChunkBatch, Vectors
from clew.core.documents import Page, Span, Stage
from clew.core.errors import StoreError
from clew.core.query import Filter
from clew.testing.store_samples import (
    DIMENSIONS,
    MAIN,
    NEW_YEAR,
    MakeStore,
    axis,
    edge,
    filed,
    id_array,
    mention,
    say,
    write,
)


class TestDocuments:
    """Documents come back as they were written, one a source."""

    def test_every_column_comes_back(self, make_store: MakeStore) -> None:
        store = make_store()
        plain = filed("a.md", "Ada wrote notes.", title="Notes", language="en").document
        full = replace(
            plain,
            authors=("Ada", "Børge"),
            published_at=NEW_YEAR,
            authority=0.75,
            metadata={"year": 1843, "tags": ["x", "y"], "draft": False, "by": None, "share": 0.5},
            acl=frozenset({"staff", "guest"}),
            pages=(Page(1, Span(0, 9)), Page(2, Span(9, 16))),
            recorded_at=NEW_YEAR,
        )
        store.write_chunks(MAIN, ChunkBatch(documents=(full,)))
        assert store.documents(MAIN) == [full]

    def test_are_ordered_by_source_by_code_point(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, *(filed(source, "x") for source in ("b", "a", "é", "B")))
        assert [document.source for document in store.documents(MAIN)] == ["B", "a", "b", "é"]

    def test_every_argument_restricts(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b, c = filed("a", "x", language="en"), filed("b", "y"), filed("c", "z", language="en")
        write(store, a, b, c)
        ids = [a.document.id, b.document.id]
        english = Filter(languages=frozenset({"en"}))
        assert store.documents(MAIN, ids=ids) == [a.document, b.document]
        assert store.documents(MAIN, sources=["c", "gone"]) == [c.document]
        assert store.documents(MAIN, ids=ids, sources=["b", "c"]) == [b.document]
        assert store.documents(MAIN, ids=ids, filter=english) == [a.document]
        assert store.documents(MAIN, ids=[]) == []
        assert store.documents(MAIN, sources=[]) == []

    def test_labels_ask_for_a_mentioned_node(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = filed("a", "Ada.", "x"), filed("b", "Bob.")
        write(store, a, b)
        say(store, a, mention(a.chunks[0], "Ada", label="Person"))
        say(store, b, mention(b.chunks[0], "Bob", label="Robot"))
        people = Filter(labels=frozenset({"Person"}))
        assert store.documents(MAIN, filter=people) == [a.document]

    def test_a_new_version_replaces_the_row_of_its_source(self, make_store: MakeStore) -> None:
        store = make_store()
        old, new = filed("a", "one", version="1"), filed("a", "one", "two", version="2")
        write(store, old, filed("b", "other"))
        store.write_chunks(MAIN, ChunkBatch(documents=(new.document,)))
        assert [document.content_hash for document in store.documents(MAIN)] == ["2", "1"]
        assert store.documents(MAIN, ids=[old.document.id]) == []
        assert [chunk.document for chunk in store.chunks(MAIN, old.ids)] == [old.document.id]
        write(store, new)
        assert store.document_chunks(MAIN, new.document.id) == list(new.chunks)
        assert store.document_chunks(MAIN, old.document.id) == []

    def test_removal_takes_the_chunks_along(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = filed("a", "left", "right"), filed("b", "right")
        write(store, a, b, vectors=[axis(0), axis(1), axis(2)])
        removed = store.remove_document(MAIN, a.document.id)
        past = {"past_documents": 0, "past_chunks": 0}
        assert removed == {"documents": 1, "chunks": 2, "chunk_vectors": 2, **past}
        assert store.documents(MAIN) == [b.document]
        assert store.chunks(MAIN, [*a.ids, *b.ids]) == list(b.chunks)
        assert store.search_text(MAIN, "left", limit=9).ids.tolist() == []
        assert store.search_vector(MAIN, axis(0), limit=9).ids.tolist() == b.ids
        assert store.find_phrases(MAIN, ["right"]) == {"right": b.ids}
        assert not store.vectors(MAIN, id_array(*a.ids)).any()

    def test_removing_what_is_not_there_changes_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, filed("a", "x"))
        assert set(store.remove_document(MAIN, 12345).values()) == {0}
        assert store.remove_chunks(MAIN, [12345]) == 0
        assert store.counts(MAIN)["chunks"] == 1


class TestChunks:
    """Chunks come back in the order asked for, and keep what a later batch does not set."""

    def test_come_in_the_order_of_the_ids(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two", "three")
        write(store, a)
        one, two, three = a.chunks
        assert store.chunks(MAIN, [three.id, 99, one.id]) == [three, one]
        assert store.chunks(MAIN, [two.id, two.id]) == [two, two]
        assert store.chunks(MAIN, []) == []

    def test_every_column_comes_back(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "hello")
        full = replace(a.chunks[0], page=7, original="olá", span=Span(3, 8))
        store.write_chunks(MAIN, ChunkBatch(documents=(a.document,), chunks=(full,)))
        assert store.chunks(MAIN, [full.id]) == [full]

    def test_of_a_document_are_ordered_by_ordinal(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two", "three")
        store.write_chunks(MAIN, ChunkBatch((a.document,), tuple(reversed(a.chunks))))
        assert store.document_chunks(MAIN, a.document.id) == list(a.chunks)
        assert store.document_chunks(MAIN, 99) == []

    def test_written_again_move_and_keep_vector_and_stage(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one")
        write(store, a, vectors=[axis(3)], stage=Stage.EXTRACTED)
        moved = replace(a.chunks[0], ordinal=4, span=Span(10, 13), page=2)
        store.write_chunks(MAIN, ChunkBatch(chunks=(moved,)))
        assert store.chunks(MAIN, a.ids) == [moved]
        assert store.stages(MAIN, a.document.id) == {moved.id: Stage.EXTRACTED}
        assert store.vectors(MAIN, id_array(*a.ids)).tolist() == [axis(3).tolist()]

    def test_removal_counts_and_clears(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a, vectors=[axis(0), axis(1)])
        first, second = a.ids
        assert store.remove_chunks(MAIN, [first, first, 99]) == 1
        assert store.chunks(MAIN, a.ids) == [a.chunks[1]]
        assert store.stages(MAIN, a.document.id) == {second: Stage.CHUNKED}
        assert store.search_vector(MAIN, axis(0), limit=9).ids.tolist() == [second]

    def test_vectors_come_in_order_with_zeros_for_none(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a)
        first, second = a.ids
        store.write_chunks(
            MAIN, ChunkBatch(vectors=Vectors(id_array(second, 99), np.stack([axis(5), axis(6)])))
        )
        found = store.vectors(MAIN, id_array(second, first, 99, second))
        zeros = [0.0] * DIMENSIONS
        assert found.dtype == np.float32
        assert found.tolist() == [axis(5).tolist(), zeros, zeros, axis(5).tolist()]

    def test_vectors_of_another_size_are_refused(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a, vectors=[axis(0), axis(1)])
        short = Vectors(id_array(a.ids[0]), np.ones((1, 3), np.float32))
        with pytest.raises(StoreError, match="dimensions"):
            store.write_chunks(MAIN, ChunkBatch(vectors=short))
        with pytest.raises(StoreError, match="dimensions"):
            store.search_vector(MAIN, np.ones(3, np.float32), limit=1)
        assert store.vectors(MAIN, id_array(a.ids[0])).tolist() == [axis(0).tolist()]


class TestStages:
    """The stage of each chunk tells a resumed run where to go on."""

    def test_start_at_chunked_and_change_where_staged(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a)
        first, second = a.ids
        store.write_chunks(MAIN, ChunkBatch(stage=Stage.LINKED, staged=(second, 99)))
        assert store.stages(MAIN, a.document.id) == {first: Stage.CHUNKED, second: Stage.LINKED}
        store.write_chunks(MAIN, ChunkBatch(stage=Stage.EMBEDDED, staged=(second,)))
        assert store.stages(MAIN, a.document.id)[second] is Stage.EMBEDDED
        assert store.stages(MAIN, 99) == {}

    def test_pending_lists_documents_with_a_chunk_behind(self, make_store: MakeStore) -> None:
        store = make_store()
        linked, mixed, fresh = filed("z", "one"), filed("m", "two", "three"), filed("b", "four")
        write(store, linked, stage=Stage.LINKED)
        write(store, fresh)
        write(store, mixed, filed("empty"), stage=Stage.LINKED)
        store.write_chunks(MAIN, ChunkBatch(stage=Stage.EMBEDDED, staged=(mixed.ids[1],)))
        b, m = fresh.document.id, mixed.document.id
        assert store.pending(MAIN, Stage.CHUNKED) == []
        assert store.pending(MAIN, Stage.EMBEDDED) == [b]
        assert store.pending(MAIN, Stage.EXTRACTED) == [b, m]
        assert store.pending(MAIN, Stage.LINKED) == [b, m]


class TestTransactions:
    """A transaction is kept whole or not at all."""

    def test_keeps_all_writes(self, make_store: MakeStore) -> None:
        store = make_store()
        a, b = filed("a", "one"), filed("b", "two")
        with store.transaction():
            write(store, a, vectors=[axis(0)])
            write(store, b)
            assert store.chunks(MAIN, [*a.ids, *b.ids]) == [*a.chunks, *b.chunks]
            assert store.search_text(MAIN, "two", limit=1).ids.tolist() == b.ids
            assert store.search_vector(MAIN, axis(0), limit=1).ids.tolist() == a.ids
        assert store.chunks(MAIN, [*a.ids, *b.ids]) == [*a.chunks, *b.chunks]

    def test_an_error_undoes_all_of_them(self, make_store: MakeStore) -> None:
        store = make_store()
        kept, lost = filed("kept", "one"), filed("lost", "two")
        write(store, kept, vectors=[axis(0)])
        say(store, kept, mention(kept.chunks[0], "Ada"))
        before = dict(store.counts(MAIN))

        def fail_halfway() -> None:
            with store.transaction():
                write(store, lost, vectors=[axis(1)])
                say(store, lost, mention(lost.chunks[0], "Bob"))
                store.set_fact(MAIN, "model", "other")
                store.remove_document(MAIN, kept.document.id)
                store.erase(MAIN, kept.origin)
                write(store, lost, collection="second")
                raise RuntimeError("halfway")

        with pytest.raises(RuntimeError, match="halfway"):
            fail_halfway()
        assert store.counts(MAIN) == before
        assert store.facts(MAIN) == {}
        assert store.collections() == [MAIN]
        assert store.documents(MAIN) == [kept.document]
        assert store.search_text(MAIN, "one two", limit=9).ids.tolist() == kept.ids
        assert store.search_vector(MAIN, axis(1), limit=9).ids.tolist() == kept.ids
        assert list(store.find_names(MAIN, ["ada", "bob"])) == ["ada"]

    def test_an_inner_one_joins_the_outer(self, make_store: MakeStore) -> None:
        store = make_store()

        def fail_late() -> None:
            with store.transaction():
                with store.transaction():
                    write(store, filed("a", "one"))
                raise RuntimeError("late")

        with pytest.raises(RuntimeError, match="late"):
            fail_late()
        assert store.documents(MAIN) == []
        with store.transaction(), store.transaction():
            write(store, filed("a", "one"))
        assert store.counts(MAIN)["chunks"] == 1

    def test_an_error_caught_outside_undoes_the_inner_part(self, make_store: MakeStore) -> None:
        store = make_store()

        def fail_inside() -> None:
            with store.transaction():
                write(store, filed("b", "two"))
                raise RuntimeError("inside")

        with store.transaction():
            a = filed("a", "one")
            write(store, a)
            with pytest.raises(RuntimeError, match="inside"):
                fail_inside()
            with pytest.raises(StoreError):
                say(store, a, mention(a.chunks[0], "Ada"), edge("Ada", "Ada"))
            write(store, filed("c", "three"))
        assert [document.source for document in store.documents(MAIN)] == ["a", "c"]
        assert store.counts(MAIN)["mentions"] == 0

    def test_a_refused_batch_leaves_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, filed("a", "one"), vectors=[axis(0)])
        b = filed("b", "two")
        with pytest.raises(StoreError):
            store.write_chunks(
                MAIN,
                ChunkBatch(
                    (b.document,),
                    b.chunks,
                    Vectors(id_array(*b.ids), np.ones((1, 3), np.float32)),
                ),
            )
        assert [document.source for document in store.documents(MAIN)] == ["a"]
        assert store.chunks(MAIN, b.ids) == []

    def test_writing_twice_changes_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        a = filed("a", "one two", "two three")
        write(store, a, vectors=[axis(0), axis(1)], stage=Stage.EMBEDDED)
        once = store.search_text(MAIN, "two three", limit=9)
        write(store, a, vectors=[axis(0), axis(1)], stage=Stage.EMBEDDED)
        twice = store.search_text(MAIN, "two three", limit=9)
        assert store.counts(MAIN)["chunks"] == 2
        assert twice.ids.tolist() == once.ids.tolist()
        np.testing.assert_allclose(twice.scores, once.scores, rtol=0.02)
