"""Cross-store reranking: every term by hand on vectors whose cosines are exact."""

from __future__ import annotations

import numpy as np
import pytest

from clew.core.calibration import Calibration
from clew.core.knowledge import EdgeType
from clew.core.results import Path, PathStep, Result
from clew.retrieve.cross_store_reranker import (
    CrossStoreReranker,
    RerankTerms,
    novel_first,
    path_coherence,
)
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, Filed, filed, node_of, write
from tests.retrieve.worlds import StubEmbedder, at_cosine, ids_of, place, tell


def step(source: str, target: str, confidence: float = 1.0) -> PathStep:
    return PathStep(
        node_of(source),
        node_of(target),
        source,
        target,
        1,
        EdgeType.RELATED_TO,
        "joins",
        forward=True,
        confidence=confidence,
    )


def passages(store: MemoryStore, **cosines: float) -> dict[str, Result]:
    """Write one document a passage, whose vector has that cosine to the question."""
    found: dict[str, Result] = {}
    for name, cosine in cosines.items():
        entry: Filed = filed(name, f"text of {name}")
        write(store, entry, vectors=[at_cosine(cosine)])
        found[name] = Result(entry.ids[0], entry.document.id, entry.chunks[0].text, 0.0)
    return found


def reranker(store: MemoryStore, calibration: Calibration | None = None) -> CrossStoreReranker:
    return CrossStoreReranker(
        collection=MAIN,
        embedder=StubEmbedder(calibration=calibration or Calibration()),
        chunks=store,
        graph=store,
    )


class TestTerms:
    def test_similarity_and_agreement_by_hand(self) -> None:
        """Vectors at .9, .5 and 0: none of two is nearer to another than .8."""
        store = MemoryStore()
        one = passages(store, near=0.9, both=0.5, far=0.0)
        found = reranker(store).rerank("who", [one["near"], one["both"]], [one["far"], one["both"]])
        # near .6 * .9; both .6 * .5 + .15; far 0. near and both have cosine
        # .9 * .5 + sqrt(.19 * .75) = .8275: .1 * (.8275 - .8) / .2 is both's penalty.
        penalty = 0.1 * (0.45 + np.sqrt(0.19 * 0.75) - 0.8) / 0.2
        expected = {"near": 0.54, "both": 0.45 - penalty, "far": None}
        assert [row.result.id for row in found[:2]] == [one["near"].id, one["both"].id]
        assert found[0].score == pytest.approx(expected["near"], abs=1e-6)
        assert found[1].score == pytest.approx(expected["both"], abs=1e-5)
        assert found[1].result.score_parts == pytest.approx(
            {
                "similarity": 0.5,
                "agreement": 1.0,
                "path_coherence": 0.0,
                "novelty_penalty": penalty,
            },
            abs=1e-5,
        )

    def test_similarity_is_calibrated_and_never_negative(self) -> None:
        store = MemoryStore()
        one = passages(store, near=0.8, far=0.1)
        calibration = Calibration(question_passage=0.5)
        found = reranker(store, calibration).rerank("who", list(one.values()), [])
        assert [row.result.score_parts["similarity"] for row in found] == pytest.approx(
            [0.6, 0.0], abs=1e-6
        )

    def test_a_coherent_path_lifts_its_evidence(self) -> None:
        store = MemoryStore()
        entry = tell(store, "graph", ["Ada", "Bob"])
        place(store, entry, {"Ada": 1.0, "Bob": 0.8})
        one = passages(store, told=0.0, other=0.1)
        path = Path((step("Ada", "Bob", confidence=0.5),))
        told = Result(one["told"].id, one["told"].document, "told", 0.0, path=path)
        found = reranker(store).rerank("who", [one["other"]], [told])
        # Ada and Bob have cosine .8, times .5 confidence.
        assert found[0].result.id == told.id
        assert found[0].result.score_parts["path_coherence"] == pytest.approx(0.4, abs=1e-6)
        assert found[0].score == pytest.approx(0.25 * 0.4, abs=1e-6)

    def test_the_path_of_the_graphs_copy_is_kept(self) -> None:
        store = MemoryStore()
        entry = tell(store, "graph", ["Ada", "Bob"])
        place(store, entry, {"Ada": 1.0, "Bob": 1.0})
        one = passages(store, told=0.5)["told"]
        from_graph = Result(
            one.id, one.document, one.content, 0.0, path=Path((step("Ada", "Bob"),))
        )
        (found,) = reranker(store).rerank("who", [one], [from_graph])
        assert found.score == pytest.approx(0.6 * 0.5 + 0.15 + 0.25, abs=1e-6)

    def test_the_same_text_counts_once(self) -> None:
        store = MemoryStore()
        one = passages(store, first=0.5, second=0.4)
        copy = Result(one["second"].id, one["second"].document, "TEXT of first!", 0.0)
        found = reranker(store).rerank("who", [one["first"]], [copy])
        assert [row.result.id for row in found] == [one["first"].id]

    def test_top_k_and_nothing(self) -> None:
        store = MemoryStore()
        one = passages(store, a=0.9, b=0.2, c=-0.5)
        assert len(reranker(store).rerank("who", list(one.values()), [], top_k=2)) == 2
        assert reranker(store).rerank("who", [], []) == []


class TestNovelty:
    def test_a_repetition_falls_behind_what_is_new(self) -> None:
        base = np.array([0.9, 0.85, 0.8], np.float32)
        alike = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], np.float32)
        chosen = novel_first(base, alike, terms=RerankTerms(), limit=3)
        assert [row for row, _ in chosen] == [0, 2, 1]
        assert [penalty for _, penalty in chosen] == pytest.approx([0.0, 0.0, 0.1])

    @pytest.mark.parametrize(("similarity", "penalty"), [(0.8, 0.0), (0.9, 0.05), (1.0, 0.1)])
    def test_it_grows_from_point_eight(self, similarity: float, penalty: float) -> None:
        alike = np.array([[1, similarity], [similarity, 1]], np.float32)
        chosen = novel_first(np.array([1, 0], np.float32), alike, terms=RerankTerms(), limit=2)
        assert chosen[1][1] == pytest.approx(penalty, abs=1e-6)


class TestCoherence:
    def test_a_mean_over_neighbours_times_a_mean_over_edges(self) -> None:
        nodes = np.sort(ids_of("Ada", "Bob", "Cy"))
        vector = {"Ada": at_cosine(1.0), "Bob": at_cosine(0.6), "Cy": at_cosine(-0.8)}
        rows = {node_of(name): value for name, value in vector.items()}
        vectors = np.stack([rows[node] for node in nodes.tolist()])
        path = Path((step("Ada", "Bob", 0.9), step("Bob", "Cy", 0.5)))
        # Ada and Bob .6; Bob and Cy .6 * -.8 + .8 * .6 = 0; mean .3, times .7.
        assert path_coherence(path, nodes, vectors, Calibration()) == pytest.approx(0.21, abs=1e-6)

    def test_a_node_without_vector_is_like_nothing(self) -> None:
        nodes = np.sort(ids_of("Ada", "Bob"))
        assert path_coherence(
            Path((step("Ada", "Bob"),)),
            nodes,
            np.zeros((2, 2), np.float32),
            Calibration(-1.0, -1.0),
        ) == pytest.approx(0.0)
