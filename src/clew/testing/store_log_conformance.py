"""What every store must keep beside knowledge: log, facts, collections; and hostile input."""

# ruff: noqa: S101, D102

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from clew.core.batches import ChunkBatch, GraphBatch
from clew.core.documents import Span, Stage
from clew.core.jobs import Job, JobState
from clew.core.knowledge import Claim, Merge
from clew.core.learning import Outcome, Profile
from clew.core.ports import Store
from clew.core.query import Comparison, Condition, Filter, RetrievalMode
from clew.testing.store_samples import (
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
    write,
)

HOSTILE = {
    "NUL": "before\x00after",
    "emoji": "family \U0001f469\u200d\U0001f469\u200d\U0001f467 flag \U0001f3f4\u200d\u2620\ufe0f",
    "SQL": "x'); DROP TABLE chunks; --",
    "quotes": "\"'`%_\\",
    "right to left": "שלום \u202e عالم",
    "combining": "e\u0301 \ufeff \u2028 \x1f \x7f",
    "lines": "a\r\nb\n\tc\x85d",
    "blank": " ",
    "empty": "",
}


class TestLog:
    """Outcomes, profiles and jobs are kept by id or name."""

    def test_outcomes_are_ordered_by_time(self, make_store: MakeStore) -> None:
        store = make_store()
        first = Outcome(
            2,
            "Who?",
            "factual",
            RetrievalMode.HYBRID,
            {"graph": 0.25, "vector": 0.75},
            None,
            NEW_YEAR,
        )
        tied = replace(first, id=1, feedback_score=0.5)
        later = replace(first, id=0, recorded_at=NEW_YEAR + timedelta(seconds=1))
        for outcome in (later, first, tied):
            store.record_outcome(MAIN, outcome)
        assert store.outcomes(MAIN) == [tied, first, later]
        assert store.outcomes(MAIN, since=later.recorded_at) == [later]
        judged = replace(first, feedback_score=1.0)
        store.record_outcome(MAIN, judged)
        assert store.outcomes(MAIN) == [tied, judged, later]

    def test_profiles_are_kept_by_name(self, make_store: MakeStore) -> None:
        store = make_store()
        fast = Profile(
            "fast", {"top_k": 5, "mode": "hybrid", "alpha": 0.5, "on": True}, {}, NEW_YEAR
        )
        exact = Profile("exact", {"top_k": 50}, {"recall@5": 0.9}, NEW_YEAR)
        store.save_profile(MAIN, fast)
        store.save_profile(MAIN, exact)
        assert store.profiles(MAIN) == [exact, fast]
        faster = replace(fast, parameters={"top_k": 3})
        store.save_profile(MAIN, faster)
        assert store.profiles(MAIN) == [exact, faster]

    def test_jobs_keep_their_latest_state(self, make_store: MakeStore) -> None:
        store = make_store()
        job = Job(2, "ingest", JobState.QUEUED, NEW_YEAR, NEW_YEAR, detail={"path": "docs", "n": 3})
        tied = replace(job, id=1)
        later = replace(job, id=0, created_at=NEW_YEAR + timedelta(seconds=1))
        for entry in (later, job, tied):
            store.save_job(MAIN, entry)
        failed = replace(job, state=JobState.FAILED, error="disk full", done=3, total=7)
        store.save_job(MAIN, failed)
        assert store.jobs(MAIN) == [tied, failed, later]


class TestCatalogue:
    """Collections are apart from each other, and go as a whole."""

    def test_facts_are_set_by_name(self, make_store: MakeStore) -> None:
        store = make_store()
        store.set_fact(MAIN, "model", "one")
        store.set_fact(MAIN, "model", "two")
        store.set_fact(MAIN, "language", "en")
        assert dict(store.facts(MAIN)) == {"model": "two", "language": "en"}

    def test_nothing_is_wrong_and_mending_changes_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        assert store.examine(full=True) == []
        a, b = filed("a", "a one", "a two"), filed("b", "b one")
        write(store, a, b, vectors=[axis(0), axis(1), axis(2)], stage=Stage.LINKED)
        joins = edge("Ada", "Bob", a.chunks[0])
        say(store, a, mention(a.chunks[0], "Ada"), mention(a.chunks[0], "Bob"), joins)
        say(store, b, mention(b.chunks[0], "Cy"))
        store.retire(MAIN, b.ids, NEW_YEAR)
        store.remove_document(MAIN, b.document.id)
        for _ in range(2):
            assert store.examine(full=True) == []
            names = store.nodes(MAIN, [node_of(name) for name in ("Ada", "Bob", "Cy")])
            assert [node.name for node in names] == ["Ada", "Bob"]
            assert store.edges(MAIN, [joins.id]) == [joins]
            assert store.search_text(MAIN, "two", limit=9).ids.tolist() == a.ids[1:]
            assert store.degrees(MAIN, id_array(node_of("Ada"))).tolist() == [1]
            store.mend()

    def test_an_unknown_collection_reads_as_empty(self, make_store: MakeStore) -> None:
        store = make_store()
        gone = "gone"
        ids = id_array(1, 2)
        assert store.documents(gone) == []
        assert store.chunks(gone, [1]) == []
        assert store.document_chunks(gone, 1) == []
        assert store.pending(gone, Stage.LINKED) == []
        assert store.stages(gone, 1) == {}
        assert store.vectors(gone, ids).shape[0] == 2
        assert store.search_vector(gone, axis(0), limit=3).ids.tolist() == []
        assert store.search_text(gone, "river", limit=3).ids.tolist() == []
        assert store.find_phrases(gone, ["river"]) == {}
        assert store.nodes(gone, [1]) == []
        assert store.find_names(gone, ["ada"]) == {}
        assert store.nodes_without_vectors(gone, limit=3) == []
        assert store.search_nodes(gone, axis(0), limit=3).ids.tolist() == []
        assert store.node_vectors(gone, ids).shape[0] == 2
        assert store.expand(gone, ids).edge.tolist() == []
        assert store.degrees(gone, ids).tolist() == [0, 0]
        assert store.hub_degree(gone) == 1
        assert store.mention_counts(gone, ids).tolist() == [0, 0]
        assert store.edges(gone, [1]) == []
        assert store.mentions(gone, [1]) == []
        assert store.claims(gone, [1]) == []
        assert store.merges(gone) == []
        assert store.communities(gone) == []
        assert store.community_vectors(gone, ids).shape[0] == 2
        assert store.search_communities(gone, axis(0), limit=3).ids.tolist() == []
        assert store.revision(gone) == 0
        assert store.outcomes(gone) == []
        assert store.profiles(gone) == []
        assert store.jobs(gone) == []
        assert dict(store.facts(gone)) == {}
        assert set(store.counts(gone).values()) == {0}
        assert store.remove_chunks(gone, [1]) == 0
        assert set(store.remove_document(gone, 1).values()) == {0}
        assert set(store.erase(gone, 1).values()) == {0}
        store.retire(gone, [1], NEW_YEAR)
        store.drop(gone)
        assert store.collections() == []

    @pytest.mark.parametrize("settle", [leave_fresh, compact])
    def test_collections_share_nothing(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", "river one")
        for collection, place in (("x", 0), ("y", 1)):
            write(store, entry, collection=collection, vectors=[axis(place)])
            say(store, entry, mention(entry.chunks[0], "Ada"), collection=collection)
            store.write_node_vectors(
                collection, node_vectors(entry.origin, Ada=(axis(place), axis(place)))
            )
        write(store, filed("b", "river two"), collection="y")
        settle(store)
        assert store.collections() == ["x", "y"]
        assert len(store.search_text("x", "river", limit=9).ids) == 1
        assert store.search_vector("x", axis(1), limit=9).scores == pytest.approx([0.0], abs=1e-4)
        assert store.search_nodes("y", axis(1), limit=9).scores == pytest.approx([1.0], abs=1e-4)
        store.erase("x", entry.origin)
        store.remove_document("x", entry.document.id)
        settle(store)
        assert store.counts("x")["documents"] == store.counts("x")["nodes"] == 0
        assert store.counts("y")["documents"] == 2
        assert [node.name for node in store.nodes("y", [node_of("Ada")])] == ["Ada"]

    @pytest.mark.parametrize("settle", [leave_fresh, compact])
    def test_drop_takes_everything(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", "river one")
        for collection in ("x", "y"):
            write(store, entry, collection=collection, vectors=[axis(0)])
            say(store, entry, mention(entry.chunks[0], "Ada"), collection=collection)
            say(store, entry, edge("Ada", "Ada", entry.chunks[0]), collection=collection)
            store.set_fact(collection, "model", "one")
            store.save_profile(collection, Profile("fast", {}, {}, NEW_YEAR))
        settle(store)
        store.drop("x")
        settle(store)
        assert store.collections() == ["y"]
        assert set(store.counts("x").values()) == {0}
        assert dict(store.facts("x")) == {}
        assert store.profiles("x") == []
        assert store.search_text("x", "river", limit=9).ids.tolist() == []
        assert store.search_vector("x", axis(0), limit=9).ids.tolist() == []
        assert store.expand("x", id_array(node_of("Ada"))).edge.tolist() == []
        assert store.search_text("y", "river", limit=9).ids.tolist() == entry.ids
        assert len(store.expand("y", id_array(node_of("Ada"))).edge) == 2

    def test_empty_batches_change_nothing(self, make_store: MakeStore) -> None:
        store = make_store()
        write(store, filed("a", "one"))
        counts = dict(store.counts(MAIN))
        store.write_chunks(MAIN, ChunkBatch())
        store.write_graph(MAIN, GraphBatch(1))
        store.remove_chunks(MAIN, [])
        store.retire(MAIN, [], NEW_YEAR)
        store.compact()
        store.compact()
        assert store.counts(MAIN) == counts
        assert store.nodes(MAIN, []) == []
        assert store.edges(MAIN, []) == []
        assert store.find_names(MAIN, []) == {}
        assert store.vectors(MAIN, id_array()).shape[0] == 0
        assert store.degrees(MAIN, id_array()).tolist() == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("settle", [leave_fresh, compact])
class TestHostileInput:
    """Any text is data: it comes back exactly, and breaks nothing."""

    def test_comes_back_exactly(
        self, make_store: MakeStore, settle: Callable[[Store], None], text: str
    ) -> None:
        store = make_store()
        entry = filed(
            f"source {text}",
            text,
            title=text,
            metadata={text or "key": text, "list": [text]},
            acl={text or "group"},
        )
        write(store, entry, vectors=[axis(0)])
        spoken = replace(mention(entry.chunks[0], "Ada", label=text), surface=text, key=text)
        stated = edge("Ada", "Ada", *entry.chunks, relation=text)
        claim = Claim(1, entry.ids[0], text, Span(0, 1), status=text)
        merge = Merge(text, spoken.node, entry.ids[0], 1.0, text)
        store.write_graph(MAIN, GraphBatch(entry.origin, (spoken,), (stated,), (claim,), (merge,)))
        store.set_fact(MAIN, text, text)
        settle(store)
        assert store.documents(MAIN, sources=[f"source {text}"]) == [entry.document]
        assert store.chunks(MAIN, entry.ids) == list(entry.chunks)
        assert store.mentions(MAIN, entry.ids) == [spoken]
        assert [node.name for node in store.nodes(MAIN, [spoken.node])] == [text]
        assert store.find_names(MAIN, [text])[text] == (spoken.node,)
        assert store.edges(MAIN, [stated.id]) == [stated]
        assert store.claims(MAIN, entry.ids) == [claim]
        assert store.merges(MAIN) == [merge]
        assert dict(store.facts(MAIN)) == {text: text}
        same = Condition("list", Comparison.CONTAINS, text)
        scope = Filter(
            sources=frozenset({f"source {text}"}), labels=frozenset({text}), metadata=same
        )
        assert store.search_vector(MAIN, axis(0), limit=1, filter=scope).ids.tolist() == entry.ids

    def test_searches_do_not_fail(
        self, make_store: MakeStore, settle: Callable[[Store], None], text: str
    ) -> None:
        store = make_store()
        entry = filed("a", f"river {text} stone")
        write(store, entry)
        settle(store)
        found = store.search_text(MAIN, f"river {text}", limit=1)
        assert found.ids.tolist() == entry.ids
        assert set(store.find_phrases(MAIN, [text, "river"])) >= {"river"}
        assert store.documents(MAIN, sources=[text]) == []

    def test_names_a_collection(
        self, make_store: MakeStore, settle: Callable[[Store], None], text: str
    ) -> None:
        store = make_store()
        name = f"c{text}"
        write(store, filed("a", "river"), collection=name, vectors=[axis(0)])
        settle(store)
        assert store.collections() == [name]
        assert len(store.search_text(name, "river", limit=1).ids) == 1
        assert len(store.search_vector(name, axis(0), limit=1).ids) == 1


@pytest.mark.parametrize("settle", [leave_fresh, compact])
class TestLargeInput:
    """Size alone is no reason to fail."""

    def test_a_megabyte_of_text(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        text = "needle " + "hay stack " * 100_000
        entry = filed("a", text)
        write(store, entry)
        settle(store)
        assert store.chunks(MAIN, entry.ids)[0].text == text
        assert store.search_text(MAIN, "needle", limit=1).ids.tolist() == entry.ids
        assert store.find_phrases(MAIN, ["stack hay", "needle stack"]) == {"stack hay": entry.ids}
        assert store.search_text(MAIN, "absent " * 10_000, limit=1).ids.tolist() == []

    def test_thousands_of_ids_in_one_call(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        entry = filed("a", *(f"text {number}" for number in range(3_000)))
        write(store, entry, stage=Stage.EMBEDDED)
        names = [f"n{number}" for number in range(3_000)]
        say(
            store,
            entry,
            *(mention(chunk, name) for chunk, name in zip(entry.chunks, names, strict=True)),
        )
        settle(store)
        nodes = [node_of(name) for name in names]
        scope = Filter(documents=frozenset({entry.document.id, *range(3_000)}))
        assert len(store.chunks(MAIN, entry.ids)) == 3_000
        assert [node.id for node in store.nodes(MAIN, nodes)] == nodes
        assert len(store.find_names(MAIN, names)) == 3_000
        assert len(store.expand(MAIN, np.array(nodes, np.int64)).edge) == 3_000
        assert len(store.mentions(MAIN, entry.ids)) == 3_000
        assert len(store.search_text(MAIN, "text", limit=5_000, filter=scope).ids) == 3_000
        assert len(store.find_phrases(MAIN, [f"text {number}" for number in range(3_000)])) == 3_000
        assert store.remove_chunks(MAIN, entry.ids) == 3_000
