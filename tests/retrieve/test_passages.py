"""From ranked ids to results."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.core.calibration import Calibration
from clew.core.query import Query
from clew.retrieve.passages import read_passages, read_results
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, id_array
from tests.retrieve.worlds import at_cosine, hits, ready, tell

ASK = Query("who", collection=MAIN, top_k=2)


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    tell(made, "open", [], vector=at_cosine(0.6))
    tell(made, "more", [], vector=at_cosine(0.2))
    tell(made, "secret", [], vector=at_cosine(1.0), acl=["staff"])
    return made


def chunk_of(store: MemoryStore, source: str) -> int:
    (document,) = store.documents(MAIN, sources=[source])
    (chunk,) = store.document_chunks(MAIN, document.id)
    return chunk.id


def test_order_scores_signals_and_cut(store: MemoryStore) -> None:
    first, second, third = (chunk_of(store, name) for name in ("more", "open", "secret"))
    ranked = hits((first, 3.0), (second, 2.0), (third, 1.0))
    found_by = {"vector": id_array(first, third), "graph": id_array(second, first)}
    found = read_results(ASK, ranked, found_by=found_by, chunks=store)
    assert [result.id for result in found] == [first, second]
    assert [result.score for result in found] == [3.0, 2.0]
    assert [result.signals for result in found] == [("vector", "graph"), ("graph",)]
    assert [result.content for result in found] == ["text of more", "text of open"]


def test_similarity_belongs_to_its_passage(store: MemoryStore) -> None:
    first, second = chunk_of(store, "more"), chunk_of(store, "open")
    found = read_passages(
        ready(ASK),
        hits((first, 3.0), (second, 2.0)),
        found_by={},
        chunks=store,
        calibration=Calibration(question_passage=0.2),
    )
    assert [result.similarity for result in found] == pytest.approx([0.2, 0.6], abs=1e-6)
    assert [result.calibrated for result in found] == pytest.approx([0.0, 0.5], abs=1e-6)


def test_what_the_principal_may_not_see_is_left_out(store: MemoryStore) -> None:
    secret, plain = chunk_of(store, "secret"), chunk_of(store, "open")
    found = read_passages(
        ready(replace(ASK, principal=GUEST)),
        hits((secret, 2.0), (plain, 1.0)),
        found_by={},
        chunks=store,
        calibration=Calibration(),
    )
    assert [result.id for result in found] == [plain]
    assert found[0].similarity == pytest.approx(0.6, abs=1e-6)


def test_what_vanished_is_left_out(store: MemoryStore) -> None:
    plain = chunk_of(store, "open")
    found = read_results(ASK, hits((1, 2.0), (plain, 1.0)), found_by={}, chunks=store)
    assert [result.id for result in found] == [plain]


def test_nothing(store: MemoryStore) -> None:
    calibration = Calibration()
    found = read_passages(ready(ASK), hits(), found_by={}, chunks=store, calibration=calibration)
    assert found == ()
