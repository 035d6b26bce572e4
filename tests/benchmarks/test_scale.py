"""The benchmark of scale: copies hold together, hit their questions and are written whole."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from benchmarks.scale import building, measuring
from benchmarks.scale.noise import DRIFT, perturbed
from benchmarks.scale.renaming import Renaming, entity_words
from benchmarks.scale.source import Asked, read_source
from clew import Clew
from clew.core.extraction import Extraction
from clew.core.ids import node_id
from clew.evaluate.datasets import load_dataset
from clew.stores.embedded.store import EmbeddedStore
from clew.testing.fakes import HashingEmbedder
from clew.text.names import name_key

PASSAGES = [
    {"title": "Ada Lovelace", "text": "Ada Lovelace was born in London. She met Babbage."},
    {"title": "Charles Babbage", "text": "Charles Babbage built an engine in London."},
    {"title": "Paris", "text": "Paris is the capital of France."},
]
ASKED = [{"question": "Who met Ada Lovelace?", "gold_titles": ["Ada Lovelace"]}]


@pytest.fixture
def source(tmp_path):
    """Give a data set of three passages, indexed without a language pipeline."""
    data = tmp_path / "data"
    data.mkdir()
    for name, rows in (("corpus", PASSAGES), ("questions", ASKED)):
        lines = "\n".join(json.dumps(row) for row in rows)
        (data / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    store = tmp_path / "base.clew"
    base = Clew.open(store, embedder=HashingEmbedder(), extractor=NoNames())
    records = [
        {"source": f"passage:{row}", "text": passage.text, "title": passage.title}
        for row, passage in enumerate(load_dataset(data).passages)
    ]
    base.add(records)
    base.close()
    return read_source(data, store)


class NoNames:
    """Implements `Extractor`: titles are the only names."""

    fingerprint = "none"

    def extract(self, texts, *, language, titles=()):
        return (Extraction() for _ in texts)


class TestRenaming:
    def test_entities_change_and_nothing_else(self) -> None:
        words = entity_words(["Ada Lovelace", "the engine", "The Times"])
        assert words == {"Ada", "Lovelace", "Times"}
        rename = Renaming(3, words)
        text = "Ada Lovelace saw the engine at 9, said The Times."
        renamed = rename(text)
        assert len(renamed) == len(text)
        changed = {
            (old, new)
            for old, new in zip(re.findall(r"\w+", text), re.findall(r"\w+", renamed), strict=True)
            if old != new
        }
        assert {old for old, _ in changed} <= words
        assert "Lovelace" in {old for old, _ in changed}
        assert all(new[0].isupper() for _, new in changed)

    def test_the_first_copy_is_the_corpus_itself(self) -> None:
        assert Renaming(0, frozenset({"Ada"}))("Ada") == "Ada"

    def test_copies_differ(self) -> None:
        names = {Renaming(copy, frozenset({"Lovelace"}))("Lovelace") for copy in range(6)}
        assert len(names) == 6


def test_noise_keeps_a_copy_together_and_apart_from_others() -> None:
    """Unrelated unit vectors have cosine 0; those of one copy share DRIFT^2 / (1 + DRIFT^2)."""
    rows = np.eye(200, dtype=np.float32)[:50]
    one, again = perturbed(rows, copy=1, stream=0), perturbed(rows, copy=1, stream=0)
    other = perturbed(rows, copy=2, stream=0)
    assert (one == again).all()
    assert (perturbed(rows, copy=0, stream=0) == rows).all()
    np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1.0, rtol=1e-5)
    within = one @ one.T
    apart = float((within.sum() - np.trace(within)) / (50 * 49))
    assert apart == pytest.approx(DRIFT**2 / (1 + DRIFT**2), abs=0.03)
    assert float((one * other).sum(axis=1).mean()) < float((one * rows).sum(axis=1).mean())


class TestBuilding:
    def test_copies_are_whole(self, source, tmp_path) -> None:
        store = tmp_path / "copies.clew"
        figures = building.build([source], passages=5, store=store)
        assert (figures["passages"], figures["chunks"]) == (5, 5)
        held = EmbeddedStore(store)
        try:
            counts = held.counts("default")
            assert (counts["documents"], counts["chunks"]) == (5, 5)
            renamed = Renaming(1, source.words)("Charles Babbage")
            known = held.find_names("default", ["charles babbage", name_key(renamed)])
            assert known[name_key(renamed)] == (node_id(name_key(renamed)),)
            assert known["charles babbage"] == (node_id("charles babbage"),)
            assert held.nodes_without_vectors("default", limit=9) == []
        finally:
            held.close()

    def test_questions_of_a_copy_find_its_passages(self, source, tmp_path) -> None:
        store = tmp_path / "copies.clew"
        building.build([source], passages=6, store=store)
        vectors = [HashingEmbedder().embed_questions([asked.text for asked in source.questions])]
        asked = building.questions([source], vectors, passages=6)
        assert len(asked) == 2
        assert asked[0].text == ASKED[0]["question"] != asked[1].text
        assert asked[0].gold.isdisjoint(asked[1].gold)
        model = measuring.Model("hashing-256", 256, HashingEmbedder().calibration)
        figures = measuring.measure(store, model, asked, warm_up=0)
        assert figures["hybrid_recall_at_5"] == 1.0
        assert figures["add_one_ms"] > 0
        held = EmbeddedStore(store)
        try:
            assert held.counts("default")["documents"] == 6
        finally:
            held.close()

    def test_questions_whose_answers_are_not_there_are_left_out(self, source) -> None:
        vectors = [np.zeros((1, 8), np.float32)]
        assert len(building.questions([source], vectors, passages=1)) == 1
        assert source.questions == (Asked(str(ASKED[0]["question"]), 0, frozenset({"passage:0"})),)
        assert building.questions([source], vectors, passages=0) == []
