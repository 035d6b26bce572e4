"""Random operations on two stores at once, after each of which all reads must agree.

    compare_stores(MemoryStore, lambda: MyStore(fresh_folder()))

Documents are written as the engine writes them: a version with all of its chunks, those of the
older version removed in the same transaction. Everything else is as random as the ports allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from clew.core.batches import (
    ChunkBatch,
    CommunityBatch,
    GraphBatch,
    NodeVectors,
    Vectors,
    no_vectors,
)
from clew.core.documents import Chunk, Span, Stage
from clew.core.errors import StoreError
from clew.core.knowledge import (
    Claim,
    Community,
    Merge,
)
from clew.core.ports import Store
from clew.testing.store_agreement import Universe, require_agreement, require_alike
from clew.testing.store_samples import (
    NEW_YEAR,
    Filed,
    MakeStore,
    filed,
    id_array,
    mention,
    node_of,
    random_units,
    write,
)
from clew.testing.store_strategies import (
    COLLECTIONS,
    NAMES,
    SOURCES,
    SURFACES,
    WORDS,
    EdgeDraft,
    MentionDraft,
    bare_documents,
    chunk_places,
    collection_names,
    drafted_edge,
    drafted_mention,
    edge_drafts,
    mention_drafts,
    source_names,
    texts_of_words,
)

Result = TypeVar("Result")


class StoreMachine(RuleBasedStateMachine):
    """Applies each random operation to both stores and compares what they answer."""

    def __init__(self, make_expected: MakeStore, make_actual: MakeStore) -> None:
        super().__init__()
        self.expected = make_expected()
        self.actual = make_actual()
        self.universe = Universe(
            SOURCES, tuple(node_of(name) for name in NAMES), (*SURFACES, *WORDS, "New York")
        )
        self.filed: dict[tuple[str, str], Filed] = {}
        self.versions = 0
        self.touched = COLLECTIONS[0]

    @initialize(
        mentions=st.lists(mention_drafts, min_size=4, max_size=8),
        edges=st.lists(edge_drafts, min_size=1, max_size=3),
    )
    def begin(self, mentions: list[MentionDraft], edges: list[EdgeDraft]) -> None:
        """Start with two documents that speak of much the same."""
        for source in SOURCES:
            self.write_document(
                collection=COLLECTIONS[0],
                entry=filed(source, title="Tide"),
                texts=["ocean New York", "the river's"],
                embedded=True,
                removal="retire",
            )
            self.write_graph(COLLECTIONS[0], source, mentions, edges, [], [])

    @rule(
        collection=collection_names,
        entry=bare_documents,
        texts=st.lists(texts_of_words, max_size=4),
        embedded=st.booleans(),
        removal=st.sampled_from(("retire", "erase")),
    )
    def write_document(
        self, *, collection: str, entry: Filed, texts: list[str], embedded: bool, removal: str
    ) -> None:
        """Write a new version of a source; its vanished chunks are retired, or all is erased."""
        old = self.filed.get((collection, entry.document.source))
        new = self._version(entry, texts)
        vectors = random_units(len(new.chunks), seed=self.versions) if embedded and texts else None

        def replace_version(store: Store) -> None:
            with store.transaction():
                write(store, new, collection=collection, vectors=vectors)
                gone = [] if old is None else [chunk for chunk in old.ids if chunk not in new.ids]
                store.remove_chunks(collection, gone)
                if removal == "retire":
                    store.retire(collection, gone, self._now())
                else:
                    store.erase(collection, new.origin)

        self._apply(collection, replace_version)
        self.filed[collection, entry.document.source] = new

    @rule(
        collection=collection_names,
        source=source_names,
        mentions=st.lists(mention_drafts, max_size=6),
        edges=st.lists(edge_drafts, max_size=4),
        claims=st.lists(st.tuples(st.integers(1, 3), chunk_places, texts_of_words), max_size=2),
        merges=st.lists(st.tuples(st.sampled_from(NAMES), chunk_places), max_size=2),
        timed=st.booleans(),
    )
    def write_graph(
        self,
        collection: str,
        source: str,
        mentions: list[MentionDraft],
        edges: list[EdgeDraft],
        claims: list[tuple[int, int, str]],
        merges: list[tuple[str, int]],
        timed: bool = True,  # noqa: FBT001 - drawn by hypothesis
    ) -> None:
        """State knowledge that rests on the chunks of one source, or on its word."""
        entry = self.filed.get((collection, source)) or filed(source, "never written")
        chunks = entry.chunks or filed(source, "never written").chunks

        def chunk_at(place: int) -> Chunk:
            return chunks[place % len(chunks)]

        batch = GraphBatch(
            entry.origin,
            tuple(drafted_mention(row, chunk_at(row[-1])) for row in mentions),
            tuple(drafted_edge(row, [chunk_at(place) for place in row[-1]]) for row in edges),
            tuple(
                Claim(number, chunk_at(place).id, text, Span(place, place + 1))
                for number, place, text in claims
            ),
            tuple(
                Merge(name.lower(), node_of(name), chunk_at(place).id, 0.5, "test")
                for name, place in merges
            ),
            self._now() if timed else None,
        )
        self.universe.edges |= {edge.id for edge in batch.edges}
        self._apply(collection, lambda store: store.write_graph(collection, batch))

    @precondition(lambda self: self.universe.edges)
    @rule(collection=collection_names, source=source_names, data=st.data())
    def supersede(self, collection: str, source: str, data: st.DataObject) -> None:
        """Write an edge that is there as superseded, and without evidence."""
        entry = filed(source)
        known = sorted(self.universe.edges)
        chosen = data.draw(st.sampled_from(known))
        successor = data.draw(st.sampled_from([None, *known]))
        at = self._now()

        def retire_edge(store: Store) -> None:
            for found in store.edges(collection, [chosen]):
                update = replace(found, evidence=(), retired_at=at, superseded_by=successor)
                store.write_graph(collection, GraphBatch(entry.origin, edges=(update,)))

        self._apply(collection, retire_edge)

    @rule(collection=collection_names, source=source_names, names=st.sets(st.sampled_from(NAMES)))
    def write_node_vectors(self, collection: str, source: str, names: set[str]) -> None:
        """Give some nodes vectors, live or not."""
        ids = [node_of(name) for name in sorted(names)]
        self.versions += 1
        rows = np.stack(random_units(2 * len(ids) + 1, seed=self.versions))
        origin = filed(source).origin
        vectors = NodeVectors(
            np.array(ids, np.int64),
            rows[: len(ids)],
            rows[len(ids) : 2 * len(ids)],
            np.full(len(ids), origin, np.int64),
        )
        self._apply(collection, lambda store: store.write_node_vectors(collection, vectors))

    @rule(
        collection=collection_names,
        groups=st.lists(st.sets(st.sampled_from(NAMES), min_size=1), max_size=3),
        acl=st.sampled_from((frozenset[str](), frozenset({"staff"}))),
        replaced=st.none() | st.lists(st.integers(0, 3), max_size=2),
        with_vectors=st.booleans(),
    )
    def write_communities(
        self,
        collection: str,
        groups: list[set[str]],
        acl: frozenset[str],
        replaced: list[int] | None,
        with_vectors: bool,  # noqa: FBT001 - a strategy's draw
    ) -> None:
        """Replace all communities, or some."""
        communities = tuple(
            Community(
                number,
                number % 2,
                f"level{number % 2}_{number}",
                tuple(sorted(node_of(name) for name in group)),
                acl=acl,
            )
            for number, group in enumerate(groups)
        )
        ids = id_array(*(community.id for community in communities))
        vectors = Vectors(ids, np.array(random_units(len(ids), seed=len(acl)), np.float32))
        batch = CommunityBatch(
            communities,
            vectors if with_vectors and len(ids) else no_vectors(),
            None if replaced is None else tuple(replaced),
        )
        self._apply(collection, lambda store: store.write_communities(collection, batch))

    @rule(
        collection=collection_names,
        into=st.sampled_from(NAMES),
        merged=st.sets(st.sampled_from(NAMES), max_size=3),
        others=st.sets(st.sampled_from(NAMES), max_size=1),
    )
    def set_merged(self, collection: str, into: str, merged: set[str], others: set[str]) -> None:
        """Read some nodes as one, and perhaps one as another; a chain is refused."""
        roots = {node_of(name): node_of(into) for name in merged - {into}}
        free = sorted(set(NAMES) - merged - {into})
        roots |= {node_of(name): node_of(free[-1]) for name in others & set(free[:-1])}
        self._apply(collection, lambda store: store.set_merged(collection, roots))

    @rule(collection=collection_names, source=source_names, stage=st.sampled_from(Stage))
    def set_stage(self, collection: str, source: str, stage: Stage) -> None:
        """Move the chunks of a source to a stage."""
        ids = tuple(self._chunks_of(collection, source))
        batch = ChunkBatch(stage=stage, staged=ids)
        self._apply(collection, lambda store: store.write_chunks(collection, batch))

    @rule(
        collection=collection_names, source=source_names, places=st.sets(chunk_places, max_size=3)
    )
    def remove_chunks(self, collection: str, source: str, places: set[int]) -> None:
        """Remove some chunks and retire what they said."""
        ids = self._chunks_of(collection, source)
        gone = [chunk for place, chunk in enumerate(ids) if place in places]
        at = self._now()

        def remove(store: Store) -> int:
            store.retire(collection, gone, at)
            return store.remove_chunks(collection, gone)

        self._apply(collection, remove)

    @rule(collection=collection_names, source=source_names, erased=st.booleans())
    def remove_document(self, *, collection: str, source: str, erased: bool) -> None:
        """Remove a document, and erase what rests on it at once or later."""
        entry = self.filed.pop((collection, source), None) or filed(source)

        def remove(store: Store) -> list[object]:
            found: list[object] = [dict(store.remove_document(collection, entry.document.id))]
            if erased:
                found.append(dict(store.erase(collection, entry.origin)))
            return found

        self._apply(collection, remove)

    @rule(collection=collection_names, source=source_names)
    def erase(self, collection: str, source: str) -> None:
        """Erase what came from a source."""
        self._apply(collection, lambda store: dict(store.erase(collection, filed(source).origin)))

    @rule(
        collection=collection_names,
        entry=bare_documents,
        texts=st.lists(texts_of_words, min_size=1, max_size=3),
    )
    def fail_halfway(self, collection: str, entry: Filed, texts: list[str]) -> None:
        """Leave a transaction by an error: nothing of it may stay."""
        new = self._version(entry, texts)
        row = mention(new.chunks[0], "Ada")

        def fail(store: Store) -> None:
            with store.transaction():
                vectors = random_units(len(texts), seed=self.versions)
                write(store, new, collection=collection, vectors=vectors)
                store.erase(collection, new.origin)
                store.write_graph(collection, GraphBatch(new.origin, (row,)))
                store.set_fact(collection, "lost", "yes")
                raise StoreError("halfway")

        self._apply(collection, fail)

    @rule(collection=collection_names, name=st.sampled_from(("model", "x")), value=texts_of_words)
    def set_fact(self, collection: str, name: str, value: str) -> None:
        """Set a fact."""
        self._apply(collection, lambda store: store.set_fact(collection, name, value))

    @rule(collection=collection_names, days=st.integers(-1, 12))
    def read_what_was_known(self, collection: str, days: int) -> None:
        """Compare all reads of an earlier moment, and the versions of each source."""
        moment = NEW_YEAR + timedelta(days=days)
        with (
            self.expected.as_of(collection, moment) as expected,
            self.actual.as_of(collection, moment) as actual,
        ):
            require_agreement(expected, actual, collection, self.universe)
        for source in SOURCES:
            require_alike(
                "versions",
                self.expected.versions(collection, source),
                self.actual.versions(collection, source),
            )

    @rule()
    def compact(self) -> None:
        """Fold fresh writes into the indexes of both."""
        self._apply(self.touched, lambda store: store.compact())

    @rule(collection=collection_names)
    def drop(self, collection: str) -> None:
        """Drop a collection."""
        self._apply(collection, lambda store: store.drop(collection))
        self.filed = {key: entry for key, entry in self.filed.items() if key[0] != collection}

    @invariant()
    def all_reads_agree(self) -> None:
        """Compare every read of the collection that was touched last."""
        require_alike("collections", self.expected.collections(), self.actual.collections())
        require_agreement(self.expected, self.actual, self.touched, self.universe)

    def teardown(self) -> None:
        """Compare both collections once more, and close the stores."""
        for collection in COLLECTIONS:
            require_agreement(self.expected, self.actual, collection, self.universe)
        self.expected.close()
        self.actual.close()

    def _apply(self, collection: str, operation: Callable[[Store], object]) -> None:
        """Run an operation on both stores: they must return the same, or refuse it both."""
        self.touched = collection
        require_alike(
            "the operation", _outcome(operation, self.expected), _outcome(operation, self.actual)
        )

    def _version(self, entry: Filed, texts: Sequence[str]) -> Filed:
        self.versions += 1
        document = entry.document
        new = filed(
            document.source,
            *texts,
            title=document.title,
            version=str(self.versions),
            language=document.language,
            published_at=document.published_at,
            metadata=document.metadata,
            acl=document.acl,
            recorded_at=self._now() if self.versions % 4 else None,
        )
        self.universe.documents.add(new.document.id)
        self.universe.chunks |= set(new.ids)
        return new

    def _chunks_of(self, collection: str, source: str) -> list[int]:
        entry = self.filed.get((collection, source))
        return [] if entry is None else entry.ids

    def _now(self) -> datetime:
        return NEW_YEAR + timedelta(days=self.versions)


OPTIONS = settings(
    max_examples=50,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
"""How long to look; derive others from it: `settings(OPTIONS, max_examples=500)`."""


def compare_stores(
    make_expected: MakeStore, make_actual: MakeStore, *, options: settings = OPTIONS
) -> None:
    """Run random operations on pairs of new stores.

    Raises:
        AssertionError: a read differs; the message names it, and hypothesis the operations.
    """

    class Pair(StoreMachine):
        def __init__(self) -> None:
            super().__init__(make_expected, make_actual)

    run_state_machine_as_test(Pair, settings=options)


def _outcome(operation: Callable[[Store], Result], store: Store) -> Result | str:
    try:
        return operation(store)
    except StoreError:
        return "refused"
