"""Reading what was known equals the state that the same writes had led to by then.

The second method is replay: the writes up to a moment are done again in an empty store.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from clew.core.batches import GraphBatch
from clew.core.knowledge import MentionRole
from clew.core.ports import Store
from clew.stores.embedded.store import EmbeddedStore
from clew.stores.memory import MemoryStore
from clew.testing.store_agreement import Universe, require_agreement
from clew.testing.store_samples import (
    NEW_YEAR,
    Filed,
    edge,
    filed,
    mention,
    node_of,
    random_units,
    write,
)

MAIN = "main"
SOURCES = ("a", "b")
NAMES = ("Ada", "Bob", "Cy")
WORDS = ("ocean", "tide", "river", "salt")
PAIRS = tuple(itertools.permutations(NAMES, 2))

texts = st.lists(st.sampled_from(WORDS), max_size=3, unique=True)
versions = st.tuples(st.just("version"), st.sampled_from(SOURCES), texts)
statements = st.tuples(
    st.just("state"),
    st.sampled_from(SOURCES),
    st.lists(st.tuples(st.sampled_from(PAIRS), st.integers(0, 2)), min_size=1, max_size=3),
)
supersessions = st.tuples(st.just("supersede"), st.sampled_from(PAIRS), st.sampled_from(PAIRS))
BEGIN = (("version", "a", ["ocean", "tide"]), ("version", "b", ["river"]))
events = st.lists(
    st.one_of(versions, statements, statements, statements, supersessions),
    min_size=2,
    max_size=10,
).map(lambda more: [*BEGIN, *more])


@dataclass
class Writer:
    """Does what events say, one a day, to a store."""

    store: Store
    universe: Universe

    def __post_init__(self) -> None:
        self.filed: dict[str, Filed] = {}
        self.superseded: set[int] = set()

    def run(self, happened: Sequence[tuple[object, ...]]) -> None:
        for day, (kind, *rest) in enumerate(happened):
            actions: dict[object, Callable[..., None]] = {
                "version": self.version,
                "state": self.state,
                "supersede": self.supersede,
            }
            actions[kind](NEW_YEAR + timedelta(days=day), *rest)

    def version(self, at: datetime, source: str, words: list[str]) -> None:
        old = self.filed.get(source)
        new = filed(source, *words, title=source, version=at.isoformat(), recorded_at=at)
        gone = [] if old is None else [chunk for chunk in old.ids if chunk not in new.ids]
        with self.store.transaction():
            # A chunk's vector follows from its text, as it does with a real model.
            vectors = [random_units(1, seed=chunk % 2**32)[0] for chunk in new.ids]
            write(self.store, new, vectors=vectors or None)
            self.store.retire(MAIN, gone, at)
            self.store.remove_chunks(MAIN, gone)
        self.filed[source] = new
        self.universe.documents.add(new.document.id)
        self.universe.chunks |= set(new.ids)

    def state(self, at: datetime, source: str, drafts: list[tuple[tuple[str, str], int]]) -> None:
        entry = self.filed.get(source)
        if entry is None or not entry.chunks:
            return
        mentions, edges = [], []
        for pair, place in drafts:
            chunk = entry.chunks[place % len(entry.chunks)]
            # What a row says follows from its key, so that writing it again overwrites nothing.
            confidence = 0.25 + (chunk.id % 3) / 4
            stated = edge(*pair, chunk, confidence=confidence)
            if stated.id in self.superseded:
                continue
            role = MentionRole.LINK if pair[0] == "Cy" else MentionRole.TEXT
            mentions += [mention(chunk, name, role=role) for name in pair]
            edges.append(stated)
            self.universe.edges.add(stated.id)
        batch = GraphBatch(entry.origin, tuple(mentions), tuple(edges), recorded_at=at)
        self.store.write_graph(MAIN, batch)

    def supersede(self, at: datetime, first: tuple[str, str], second: tuple[str, str]) -> None:
        old, new = edge(*first), edge(*second)
        known = {found.id: found for found in self.store.edges(MAIN, [old.id, new.id])}
        if len(known) < 2 or any(found.retired_at is not None for found in known.values()):
            return
        # A supersession that ends again leaves no trace, so nothing here may end it.
        if any(found.superseded_by for found in known.values()) or new.id in self.superseded:
            return
        gone = replace(known[old.id], evidence=(), retired_at=at, superseded_by=new.id)
        self.store.write_graph(MAIN, GraphBatch(0, edges=(gone,)))
        self.superseded |= {old.id}


def _universe() -> Universe:
    return Universe(SOURCES, tuple(node_of(name) for name in NAMES), (*NAMES, *WORDS))


@pytest.mark.parametrize("make", ["memory", "embedded", "embedded, compacted"])
def test_equals_replay(make: str, tmp_path: Path) -> None:
    numbers = itertools.count()

    @settings(
        deadline=None,
        max_examples=60 if make == "memory" else 30,
        suppress_health_check=list(HealthCheck),
    )
    @given(happened=events, data=st.data())
    def check(happened: list[tuple[object, ...]], data: st.DataObject) -> None:
        embedded = make != "memory"
        store: Store = EmbeddedStore(tmp_path / str(next(numbers))) if embedded else MemoryStore()
        writer = Writer(store, _universe())
        writer.run(happened)
        # A supersession that ended with its evidence leaves no trace.
        assume(all(found.superseded_by for found in store.edges(MAIN, sorted(writer.superseded))))
        if make.endswith("compacted"):
            store.compact()
        day = data.draw(st.integers(0, len(happened)))
        replayed = MemoryStore()
        Writer(replayed, _universe()).run(happened[:day])
        moment = NEW_YEAR + timedelta(days=day) - timedelta(seconds=1)
        with store.as_of(MAIN, moment) as past:
            require_agreement(replayed, past, MAIN, writer.universe)
        store.close()

    check()
