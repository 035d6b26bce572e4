"""What every `History` must remember, and forget: versions, and the collection as it was known."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from clew.core.batches import CommunityBatch, GraphBatch, no_vectors
from clew.core.documents import DocumentVersion, Span, Stage
from clew.core.knowledge import Claim, Community, Merge
from clew.core.ports import Store
from clew.testing.store_samples import (
    ADA,
    BOB,
    CY,
    GUEST,
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
    node_vectors,
    say,
    visible_edges,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])

FIRST, SECOND, THIRD = (NEW_YEAR + timedelta(days=days) for days in (0, 10, 20))
BEFORE = timedelta(microseconds=-1)


def _replace_version(store: Store, old: Filed, new: Filed) -> None:
    """Write a new version of a source as the engine does."""
    gone = [chunk for chunk in old.ids if chunk not in new.ids]
    at = new.document.recorded_at
    assert at is not None
    with store.transaction():
        write(store, new, vectors=[axis(5) for _ in new.chunks])
        store.retire(MAIN, gone, at)
        store.remove_chunks(MAIN, gone)


def _two_versions(store: Store) -> tuple[Filed, Filed]:
    """Write "left right", which joins Ada and Bob, and then "right new", which joins Bob and Cy."""
    old = filed("a", "left", "right", title="Old", recorded_at=FIRST, acl=("staff", "guest"))
    write(store, old, vectors=[axis(0), axis(1)], stage=Stage.LINKED)
    say(
        store,
        old,
        *(mention(chunk, name) for chunk, name in zip(old.chunks, ("Ada", "Bob"), strict=True)),
        edge("Ada", "Bob", old.chunks[0]),
        Claim(1, old.ids[0], "Ada is.", Span(0, 3), (ADA,)),
        recorded_at=FIRST,
    )
    new = filed("a", "right", "new", title="New", version="2", recorded_at=SECOND, acl=("staff",))
    _replace_version(store, old, new)
    fresh = new.chunks[1]
    say(store, new, mention(fresh, "Cy"), edge("Bob", "Cy", fresh), recorded_at=SECOND)
    return old, new


class TestVersions:
    """The versions of a source."""

    def test_oldest_first_each_with_its_successor(self, make_store: MakeStore) -> None:
        store = make_store()
        old, new = _two_versions(store)
        assert store.versions(MAIN, "a") == [
            DocumentVersion(
                old.document.id, "a", "Old", "1", FIRST, SECOND, superseded_by=new.document.id
            ),
            DocumentVersion(new.document.id, "a", "New", "2", SECOND),
        ]
        assert store.versions(MAIN, "b") == []
        assert store.versions("unknown", "a") == []

    def test_the_same_version_again_is_no_version(self, make_store: MakeStore) -> None:
        store = make_store()
        entry = filed("a", "x", recorded_at=FIRST)
        again = replace(entry.document, recorded_at=SECOND)
        write(store, entry)
        write(store, replace(entry, document=again))
        assert [version.recorded_at for version in store.versions(MAIN, "a")] == [SECOND]

    def test_without_a_time_the_old_version_is_not_kept(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, filed("a", "x", recorded_at=FIRST))
        write(store, filed("a", "y", version="2"))
        assert [version.content_hash for version in store.versions(MAIN, "a")] == ["2"]

    def test_go_with_the_document(self, make_store: MakeStore) -> None:
        store = make_store()
        _, new = _two_versions(store)
        removed = store.remove_document(MAIN, new.document.id)
        assert (removed["past_documents"], removed["past_chunks"]) == (1, 2)
        assert store.versions(MAIN, "a") == []


@fresh_and_compacted
class TestAsOf:
    """A collection as it was known at a moment."""

    def test_passages_of_the_version_that_stood(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        old, new = _two_versions(store)
        settle(store)
        for moment in (FIRST, SECOND + BEFORE):
            with store.as_of(MAIN, moment) as past:
                (document,) = past.documents(MAIN)
                assert document == replace(old.document, acl=new.document.acl)
                assert past.document_chunks(MAIN, document.id) == list(old.chunks)
                assert past.search_text(MAIN, "left", limit=9).ids.tolist() == [old.ids[0]]
                assert past.search_text(MAIN, "new", limit=9).ids.tolist() == []
                assert past.search_vector(MAIN, axis(0), limit=1).ids.tolist() == [old.ids[0]]
                assert set(past.stages(MAIN, document.id).values()) == {Stage.LINKED}
        with store.as_of(MAIN, SECOND) as past:
            assert past.documents(MAIN) == [new.document]
            assert past.document_chunks(MAIN, new.document.id) == list(new.chunks)
            assert past.search_text(MAIN, "left", limit=9).ids.tolist() == []

    def test_nodes_edges_and_evidence_that_stood(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        old, new = _two_versions(store)
        settle(store)
        stated, later = edge("Ada", "Bob", old.chunks[0]), edge("Bob", "Cy", new.chunks[1])
        with store.as_of(MAIN, FIRST) as past:
            assert [node.name for node in past.nodes(MAIN, [ADA, BOB, CY])] == ["Ada", "Bob"]
            assert past.edges(MAIN, [stated.id, later.id]) == [replace(stated, recorded_at=FIRST)]
            assert visible_edges(past, ADA, BOB, CY) == {stated.id}
            assert past.degrees(MAIN, id_array(ADA, BOB, CY)).tolist() == [1, 1, 0]
            assert [claim.id for claim in past.claims(MAIN, old.ids)] == [1]
            assert past.counts(MAIN)["nodes"] == 2
        with store.as_of(MAIN, SECOND) as past:
            assert [node.name for node in past.nodes(MAIN, [ADA, BOB, CY])] == ["Bob", "Cy"]
            (retired, live) = past.edges(MAIN, [stated.id, later.id])
            assert (retired.retired_at, live.retired_at) == (SECOND, None)
            assert visible_edges(past, ADA, BOB, CY) == {later.id}
            assert past.claims(MAIN, old.ids) == []

    def test_nothing_before_anything_was_recorded(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        _two_versions(store)
        settle(store)
        with store.as_of(MAIN, FIRST + BEFORE) as past:
            assert set(past.counts(MAIN).values()) == {0}
        with store.as_of("unknown", FIRST) as past:
            assert set(past.counts("unknown").values()) == {0}

    def test_rows_without_a_time_were_always_known(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", "x")
        write(store, entry)
        say(store, entry, mention(entry.chunks[0], "Ada"))
        settle(store)
        with store.as_of(MAIN, FIRST - timedelta(days=9_000)) as past:
            assert [node.name for node in past.nodes(MAIN, [ADA])] == ["Ada"]
            assert past.search_text(MAIN, "x", limit=9).ids.tolist() == entry.ids

    def test_more_evidence_later_does_not_raise_confidence_before(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", "one", "two", recorded_at=FIRST)
        write(store, entry)
        ends = [mention(entry.chunks[0], name) for name in ("Ada", "Bob")]
        weak = edge("Ada", "Bob", entry.chunks[0], confidence=0.3)
        say(store, entry, *ends, weak, recorded_at=FIRST)
        strong = edge("Ada", "Bob", entry.chunks[1], confidence=0.9)
        say(store, entry, strong, recorded_at=THIRD)
        settle(store)
        with store.as_of(MAIN, SECOND) as past:
            assert past.edges(MAIN, [weak.id]) == [replace(weak, recorded_at=FIRST)]
        with store.as_of(MAIN, THIRD) as past:
            (found,) = past.edges(MAIN, [weak.id])
            assert found.confidence == pytest.approx(0.9)

    def test_what_was_superseded_later_was_in_force(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", "one", recorded_at=FIRST)
        write(store, entry)
        chunk = entry.chunks[0]
        older = edge("Ada", "Bob", chunk, recorded_at=FIRST)
        newer = edge("Ada", "Cy", chunk, recorded_at=SECOND)
        names = [mention(chunk, name) for name in ("Ada", "Bob", "Cy")]
        say(store, entry, *names, older, newer, recorded_at=FIRST)
        gone = replace(older, evidence=(), retired_at=SECOND, superseded_by=newer.id)
        say(store, entry, gone)
        settle(store)
        assert visible_edges(store, ADA) == {newer.id}
        with store.as_of(MAIN, SECOND + BEFORE) as past:
            assert past.edges(MAIN, [older.id, newer.id]) == [older]
            assert visible_edges(past, ADA) == {older.id}
        with store.as_of(MAIN, SECOND) as past:
            assert past.edges(MAIN, [older.id])[0].superseded_by == newer.id

    def test_stated_again_after_a_gap(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", "one", recorded_at=FIRST)
        write(store, entry)
        stated = edge("Ada", "Bob", entry.chunks[0])
        rows = [*(mention(entry.chunks[0], name) for name in ("Ada", "Bob"))]
        merge = Merge("bobby", BOB, entry.ids[0], 1.0, "equal")
        say(store, entry, *rows, stated, recorded_at=FIRST)
        store.write_graph(MAIN, GraphBatch(entry.origin, merges=(merge,), recorded_at=FIRST))
        store.retire(MAIN, entry.ids, SECOND)
        say(store, entry, *rows, stated, recorded_at=THIRD)
        settle(store)
        for moment, live in ((FIRST, 1), (SECOND, 0), (THIRD + BEFORE, 0), (THIRD, 1)):
            with store.as_of(MAIN, moment) as past:
                assert past.counts(MAIN)["edges"] == live
                assert past.counts(MAIN)["nodes"] == 2 * live
                assert past.merges(MAIN) == ([merge] if moment == FIRST else [])

    def test_the_present_acl_guards_the_past(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        old, _ = _two_versions(store)
        settle(store)
        with store.as_of(MAIN, FIRST) as past:
            assert past.chunks(MAIN, old.ids, principal=GUEST) == []
            assert past.nodes(MAIN, [ADA], principal=GUEST) == []
            assert len(past.chunks(MAIN, old.ids, principal=STAFF)) == 2

    def test_what_was_erased_was_never_known(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        old, new = _two_versions(store)
        settle(store)
        with store.as_of(MAIN, FIRST) as past:
            assert past.counts(MAIN)["nodes"] == 2
        store.remove_document(MAIN, new.document.id)
        removed = store.erase(MAIN, new.origin)
        assert (removed["past_mentions"], removed["past_claims"]) == (1, 1)
        settle(store)
        for moment in (FIRST, SECOND):
            with store.as_of(MAIN, moment) as past:
                assert set(past.counts(MAIN).values()) == {0}
                assert past.edges(MAIN, [edge("Ada", "Bob", old.chunks[0]).id]) == []

    def test_vectors_of_living_nodes_and_no_communities(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        _, new = _two_versions(store)
        store.write_node_vectors(
            MAIN, node_vectors(new.origin, Bob=(axis(0), axis(1)), Cy=(axis(2), axis(3)))
        )
        grouped = Community(1, 0, "level0_0", (BOB, CY), summary="Bob and Cy.")
        store.write_communities(MAIN, CommunityBatch((grouped,), no_vectors()))
        store.set_fact(MAIN, "embedder", "x")
        settle(store)
        with store.as_of(MAIN, FIRST) as past:
            assert past.search_nodes(MAIN, axis(1), limit=9).ids.tolist() == [BOB]
            assert past.nodes_without_vectors(MAIN, limit=9) == [ADA]
            assert past.communities(MAIN) == []
            assert past.nodes(MAIN, [BOB])[0].community is None
            assert past.facts(MAIN) == {"embedder": "x"}

    def test_writing_to_the_past_changes_nothing(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        _two_versions(store)
        settle(store)
        counts = dict(store.counts(MAIN))
        with store.as_of(MAIN, THIRD) as past:
            write(past, filed("b", "fresh"))
        assert store.counts(MAIN) == counts
