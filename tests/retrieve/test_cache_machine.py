"""Model test of the cache: whatever is written, a cached answer is the one of a fresh search."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from clew.core.batches import CommunityBatch, GraphBatch, Vectors
from clew.core.documents import Span
from clew.core.knowledge import Community, Edge, EdgeType, Evidence, Mention, Standing
from clew.core.query import Filter, Principal, Query, RetrievalMode
from clew.retrieve.cached import CachedRetriever
from clew.retrieve.graph_aware_cache import GraphAwareCache
from clew.retrieve.modes import MODES, ModeRetriever
from clew.retrieve.recorded_store import RecordedStore
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import (
    MAIN,
    NEW_YEAR,
    Filed,
    edge,
    filed,
    id_array,
    mention,
    node_of,
    node_vectors,
    say,
    write,
)
from tests.retrieve.library import EMBEDDER

NOW = datetime(2026, 1, 2, tzinfo=UTC)
NAMES = ("Ada", "Bob", "Cy", "Dee", "Eve", "Flo", "Gil", "Hal", "Ida", "Jo")
SOURCES = "stuvw"
names = st.sampled_from(NAMES)
acls = st.sampled_from([(), (), ("staff",)])
principals = st.sampled_from([None, None, frozenset[str](), frozenset({"staff"})])
filters = st.sampled_from([Filter(), Filter(), Filter(labels=frozenset({"Person"}))])


class CacheMachine(RuleBasedStateMachine):
    """Writes through one store, asks through it or another, and compares every question so far."""

    def __init__(self, store, reader=None) -> None:
        super().__init__()
        self.store = store
        self.reader = reader or store
        self.plain = self._retriever(self.reader)
        self.cache = GraphAwareCache()
        self.cached = CachedRetriever(
            self._retriever(RecordedStore(self.reader)),
            self.cache,
            store=self.reader,
            clock=lambda: NOW,
        )
        self.here: dict[str, Filed] = {}
        self.roots: dict[int, int] = {}
        self.asked: dict[Query, None] = {}
        self.built = 0
        self.words = 0

    def _retriever(self, store):
        return ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER, clock=lambda: NOW)

    @initialize()
    def begin(self) -> None:
        """Start with a document for every two things, and one thing that is joined to all: small
        changes then leave the degree of hubs as it was."""
        for source, first, second in zip(SOURCES, NAMES[::2], NAMES[1::2], strict=True):
            self.add(source=source, first=first, second=second, acl=(), stated=True)
        told = [
            edge(NAMES[0], name, standing=Standing.ASSUMED, relation=f"{verb} {name}")
            for name in NAMES[1:]
            for verb in ("saw", "met")
        ]
        self.store.write_graph(MAIN, GraphBatch(9_999, edges=tuple(told)))

    @rule(
        source=st.sampled_from(SOURCES), first=names, second=names, acl=acls, stated=st.booleans()
    )
    def add(self, source, first, second, acl, stated) -> None:
        """File a document anew, with what it says."""
        entry = filed(source, f"{first} met {second} by the sea.", f"{second} left.", acl=acl)
        vectors = list(EMBEDDER.embed_passages([chunk.text for chunk in entry.chunks]))
        with self.store.transaction():
            self._forget(source)
            write(self.store, entry, vectors=vectors)
            page, more = entry.chunks
            rows: list[Mention | Edge] = [
                mention(page, first, label="Person"),
                mention(page, second),
                mention(more, second),
            ]
            if stated and first != second:
                rows.append(edge(first, second, page, kind=EdgeType.CAUSES))
            say(self.store, entry, *rows)
            sought = dict.fromkeys((first, second))
            known = list(EMBEDDER.embed_passages(list(sought)))
            self.store.write_node_vectors(
                MAIN,
                node_vectors(
                    entry.origin,
                    **{name: (vector, vector) for name, vector in zip(sought, known, strict=True)},
                ),
            )
        self.here[source] = entry

    @rule(source=st.sampled_from(SOURCES))
    def remove(self, source) -> None:
        """Erase a document."""
        with self.store.transaction():
            self._forget(source)
        self.here.pop(source, None)

    @rule(source=st.sampled_from(SOURCES))
    def retire(self, source) -> None:
        """Retire what a document states."""
        if source in self.here:
            self.store.retire(MAIN, self.here[source].ids, NEW_YEAR)

    @rule(source=st.sampled_from(SOURCES), name=names, other=names)
    def mention_more(self, source, name, other) -> None:
        """Say more of the things of a document, whose passages stay."""
        if source in self.here and name != other:
            page = self.here[source].chunks[0]
            say(
                self.store,
                self.here[source],
                mention(page, name, start=2),
                mention(page, other, start=3),
                edge(name, other, page, relation="knows", confidence=0.6),
            )

    @rule(first=names, second=names)
    def infer(self, first, second) -> None:
        """Write an edge on somebody's word."""
        if first != second:
            self.words += 1
            told = edge(first, second, standing=Standing.ASSUMED, relation="trusts")
            self.store.write_graph(MAIN, GraphBatch(10_000 + self.words, edges=(told,)))

    @rule()
    def take_back(self) -> None:
        """Erase the edge that was written last on a word."""
        if self.words:
            self.store.erase(MAIN, 10_000 + self.words)
            self.words -= 1

    @rule(first=names, second=names)
    def supersede(self, first, second) -> None:
        """Let one statement replace another, whether they are there or not."""
        older, newer = (
            edge(first, other, relation="trusts", standing=Standing.ASSUMED)
            for other in (second, "Ada")
        )
        known = {held.id for held in self.store.edges(MAIN, [older.id, newer.id])}
        if older.id != newer.id and known == {older.id, newer.id}:
            self.store.write_graph(
                MAIN,
                GraphBatch(
                    10_000,
                    edges=(replace(older, retired_at=NEW_YEAR, superseded_by=newer.id),),
                ),
            )

    @rule(first=names, second=names)
    def merge(self, first, second) -> None:
        """Read one thing as another."""
        if first != second:
            self.roots = {node_of(first): node_of(second)}
            self.store.set_merged(MAIN, self.roots)

    @rule()
    def unmerge(self) -> None:
        """Read all things as themselves."""
        self.store.set_merged(MAIN, {})

    @rule(members=st.lists(names, min_size=1, max_size=3, unique=True))
    def build_communities(self, members) -> None:
        """Summarise anew, as the engine does: the fact tells of it."""
        pages = [entry.chunks[0] for entry in self.here.values()][:1]
        self.built += 1
        community = Community(
            self.built % 3,
            0,
            f"level0_{self.built % 3}",
            tuple(node_of(name) for name in members),
            title=", ".join(members),
            summary=f"{members[0]} and others.",
            evidence=tuple(Evidence(page.id, Span(0, 3), 1.0) for page in pages),
        )
        vector = EMBEDDER.embed_passages([community.summary])
        with self.store.transaction():
            self.store.write_communities(
                MAIN, CommunityBatch((community,), Vectors(id_array(community.id), vector))
            )
            self.store.set_fact(MAIN, "communities", str(self.built))

    @rule()
    def compact(self) -> None:
        """Fold what is fresh into the indexes."""
        self.store.compact()

    @rule()
    def drop(self) -> None:
        """Remove the collection."""
        self.store.drop(MAIN)
        self.here.clear()

    @rule(name=names, mode=st.sampled_from(sorted(MODES)), groups=principals, scope=filters)
    def ask(self, name, mode, groups, scope) -> None:
        """Ask one more question."""
        query = Query(
            f"Whom did {name} meet?",
            mode=RetrievalMode(mode),
            collection=MAIN,
            principal=Principal(groups),
            filter=scope,
            top_k=3,
        )
        self.asked[query] = None

    @invariant()
    def cached_is_fresh(self) -> None:
        """Compare every question asked so far."""
        for query in self.asked:
            fresh, kept = self.plain.retrieve(query), self.cached.retrieve(query)
            assert replace(kept, timings={}) == replace(fresh, timings={}), query

    def teardown(self) -> None:
        """Close the stores."""
        self.reader.close()
        self.store.close()

    def _forget(self, source) -> None:
        if source in self.here:
            self.store.erase(MAIN, self.here[source].origin)
            self.store.remove_document(MAIN, self.here[source].document.id)


@pytest.mark.parametrize("kind", ["memory", "embedded", "another process"])
def test_cached_equals_fresh_under_random_writes_and_questions(kind, tmp_path):
    """ "another process" writes through a store of its own over the same folder: the reader knows of
    its writes by the change log alone, as of those of a process."""
    numbers = itertools.count()

    def machine():
        folder = tmp_path / f"{next(numbers)}.clew"
        if kind == "memory":
            return CacheMachine(MemoryStore())
        if kind == "embedded":
            return CacheMachine(EmbeddedStore(folder))
        return CacheMachine(EmbeddedStore(folder), EmbeddedStore(folder))

    run_state_machine_as_test(
        machine,  # type: ignore[arg-type]  # any maker of machines is taken
        settings=settings(
            deadline=None,
            max_examples=8 if kind == "memory" else 12,
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )
