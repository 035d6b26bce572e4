"""Repetitions among results: left out, reported, and replaced by what comes next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from clew.core.arrays import Hits, top_hits
from clew.core.query import Query, RetrievalMode
from clew.core.results import Suppressed
from clew.retrieve.distinct import distinct_hits, search_distinct
from clew.retrieve.modes import ModeRetriever
from clew.testing.store_samples import MAIN, MakeStore, filed, say, write
from tests.retrieve.asking import every_mode, ids
from tests.retrieve.library import EMBEDDER
from tests.retrieve.worlds import hits, said

ASK = Query("Acme ships", collection=MAIN, top_k=2)


@pytest.fixture
def shelf(make_store: MakeStore):
    """Give five documents on Acme: the first three say the same, the last two do not."""
    store = make_store()
    texts = [
        "Acme builds ships in London.",
        "ACME builds ships, in London",
        "Acme builds ships in London!",
        "Acme sells ships to nobody at all.",
        "Acme paints grain.",
    ]
    entries = [filed(f"s{place}", text) for place, text in enumerate(texts)]
    for entry, text in zip(entries, texts, strict=True):
        write(store, entry, vectors=[EMBEDDER.embed_passages([text])[0]])
        say(store, entry, *said(entry.chunks[0], "Acme"))
    return store, [entry.ids[0] for entry in entries]


class TestDistinctHits:
    def test_what_repeats_is_left_out_and_named(self, shelf) -> None:
        store, chunks = shelf
        ranked = hits(*((chunk, 1.0 - place / 10) for place, chunk in enumerate(chunks)))
        found = distinct_hits(ASK, ranked, chunks=store)
        assert found.hits.ids.tolist() == [chunks[0], chunks[3]]
        assert found.hits.scores.tolist() == pytest.approx([1.0, 0.7])
        assert found.suppressed == (
            Suppressed(chunks[1], chunks[0], 1.0),
            Suppressed(chunks[2], chunks[0], 1.0),
        )
        assert found.notes == (
            "2 passages that repeat a better ranked one left out (deduplicate=False shows all)",
        )

    def test_what_ranks_below_the_last_result_is_not_reported(self, shelf) -> None:
        store, chunks = shelf
        order = [chunks[3], chunks[0], chunks[1]]
        ranked = hits(*((chunk, 1.0 - place / 10) for place, chunk in enumerate(order)))
        found = distinct_hits(ASK, ranked, chunks=store)
        assert found.hits.ids.tolist() == order[:2]
        assert (found.suppressed, found.notes) == ((), ())

    def test_it_can_be_switched_off(self, shelf) -> None:
        store, chunks = shelf
        ranked = hits(*((chunk, 1.0) for chunk in sorted(chunks)))
        query = replace(ASK, deduplicate=False, top_k=3)
        assert distinct_hits(query, ranked, chunks=store).hits.ids.tolist() == sorted(chunks)[:3]

    def test_a_search_goes_deeper_until_it_has_enough(self, shelf) -> None:
        store, chunks = shelf
        limits: list[int] = []
        every = Hits(np.array(chunks), np.linspace(1, 0.5, 5, dtype=np.float32))

        def search(limit: int) -> Hits:
            limits.append(limit)
            return top_hits(every.ids, every.scores, limit)

        found = search_distinct(ASK, search, chunks=store)
        assert found.hits.ids.tolist() == [chunks[0], chunks[3]]
        assert limits == [2, 4]


class TestModes:
    @every_mode
    def test_in_every_mode(self, shelf, mode: RetrievalMode) -> None:
        store, chunks = shelf
        retriever = ModeRetriever(chunks=store, graph=store, embedder=EMBEDDER)
        query = replace(ASK, text="Acme builds ships in London", mode=mode, top_k=3)
        found = retriever.retrieve(query)
        same = set(chunks[:3])
        assert len(same & set(ids(found))) == 1
        assert len(found.results) == 3
        assert {row.id for row in found.suppressed} <= same
        assert {row.kept for row in found.suppressed} == same & set(ids(found))
        assert found.notes
        every = retriever.retrieve(replace(query, deduplicate=False, top_k=5))
        assert (every.suppressed, every.notes) == ((), ())
        if mode is not RetrievalMode.DUAL:
            assert same <= set(ids(every))
