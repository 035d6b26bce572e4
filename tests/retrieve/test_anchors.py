"""Anchors: passages by vector, keyword and named page, with the weights of the module."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from clew.core.calibration import Calibration
from clew.core.knowledge import MentionRole
from clew.core.query import Filter, Query
from clew.retrieve.anchors import (
    KEYWORD_WEIGHT,
    PAGE_WEIGHT,
    VECTOR_WEIGHT,
    Anchors,
    Relevance,
    find_anchors,
)
from clew.retrieve.hybrid import walked_first
from clew.retrieve.named_nodes import NamedNodes
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import GUEST, MAIN, Filed, filed, id_array, mention, say, write
from tests.retrieve.worlds import (
    EAST,
    at_cosine,
    hits,
    named,
    no_hits,
    nobody_named,
    ready,
    scores_of,
)

ASK = Query("walrus", collection=MAIN)


def anchors(
    store: MemoryStore,
    query: Query = ASK,
    *,
    names: NamedNodes | None = None,
    calibration: Calibration | None = None,
) -> Anchors:
    return find_anchors(
        ready(query),
        names or nobody_named(),
        chunks=store,
        graph=store,
        calibration=calibration or Calibration(),
    )


def passage(
    store: MemoryStore, source: str, text: str, cosine: float, *, page_of: str | None = None
) -> Filed:
    entry = filed(source, text, acl=["staff"] if source.startswith("secret") else [])
    write(store, entry, vectors=[at_cosine(cosine)])
    if page_of is not None:
        say(store, entry, mention(entry.chunks[0], page_of, role=MentionRole.TITLE))
    return entry


class TestFindAnchors:
    def test_vector_and_keyword_are_scaled_by_their_best(self) -> None:
        store = MemoryStore()
        near = passage(store, "near", "seal", 0.8)
        word = passage(store, "word", "walrus", 0.4)
        other = passage(store, "other", "fish", 0.2)
        found = anchors(store)
        assert scores_of(found.hits) == pytest.approx(
            {
                near.ids[0]: VECTOR_WEIGHT,
                word.ids[0]: VECTOR_WEIGHT * 0.5 + KEYWORD_WEIGHT,
                other.ids[0]: VECTOR_WEIGHT * 0.25,
            },
            abs=1e-5,
        )
        assert found.vector_hits.ids.tolist() == [*near.ids, *word.ids, *other.ids]
        assert found.relevance.keyword.ids.tolist() == word.ids

    def test_similarity_is_calibrated_first(self) -> None:
        store = MemoryStore()
        near = passage(store, "near", "seal", 0.9)
        far = passage(store, "far", "fish", 0.7)
        below = passage(store, "below", "crab", 0.5)
        found = anchors(store, calibration=Calibration(question_passage=0.6))
        # Calibrated: .75, .25 and less than nothing.
        assert scores_of(found.hits) == pytest.approx(
            {near.ids[0]: VECTOR_WEIGHT, far.ids[0]: VECTOR_WEIGHT / 3, below.ids[0]: 0.0}, abs=1e-5
        )

    def test_the_page_of_a_named_thing_has_a_bonus(self) -> None:
        store = MemoryStore()
        near = passage(store, "near", "seal", 1.0)
        page = passage(store, "page", "fish", 0.5, page_of="Ada")
        found = anchors(store, names=named(("Ada", 1.0)))
        assert scores_of(found.hits) == pytest.approx(
            {near.ids[0]: VECTOR_WEIGHT, page.ids[0]: VECTOR_WEIGHT * 0.5 + PAGE_WEIGHT}, abs=1e-5
        )

    def test_pages_of_an_often_used_name_part_the_bonus(self) -> None:
        store = MemoryStore()
        pages = [passage(store, f"page{place}", "fish", 0.0, page_of="Ada") for place in range(4)]
        found = anchors(store, names=named(("Ada", 1.0)))
        # 1 / sqrt(4) each; nothing fits the question itself.
        assert scores_of(found.hits) == pytest.approx(
            {page.ids[0]: PAGE_WEIGHT * 0.5 for page in pages}, abs=1e-5
        )

    def test_a_text_that_mentions_a_named_thing_has_none(self) -> None:
        store = MemoryStore()
        entry = passage(store, "text", "fish", 0.0)
        say(store, entry, mention(entry.chunks[0], "Ada", confidence=0.9))
        found = anchors(store, names=named(("Ada", 1.0)))
        assert scores_of(found.hits) == pytest.approx({entry.ids[0]: 0.0}, abs=1e-6)

    @pytest.mark.parametrize(
        "query",
        [replace(ASK, principal=GUEST), replace(ASK, filter=Filter(sources=frozenset("o")))],
    )
    def test_scope(self, query: Query) -> None:
        store = MemoryStore()
        passage(store, "secret", "walrus", 1.0, page_of="Ada")
        plain = passage(store, "o", "walrus", 0.1, page_of="Ada")
        found = anchors(store, query, names=named(("Ada", 1.0)))
        assert found.hits.ids.tolist() == plain.ids
        assert found.vector_hits.ids.tolist() == plain.ids
        assert found.relevance.keyword.ids.tolist() == plain.ids

    def test_nothing(self) -> None:
        found = anchors(MemoryStore())
        assert len(found.hits.ids) == 0


class TestRelevance:
    def relevance(self, *, best: float = 0.5) -> Relevance:
        return Relevance(EAST, Calibration(question_passage=0.2), best, hits((9, 8.0), (3, 2.0)))

    def test_similarity(self) -> None:
        vectors = np.stack([at_cosine(0.6), at_cosine(0.2), at_cosine(-1.0)])
        # Calibrated (.4 / .8, 0, below 0) over .5.
        assert self.relevance().similarity(vectors).tolist() == pytest.approx([1, 0, 0], abs=1e-6)

    def test_without_vectors_nothing_is_similar(self) -> None:
        assert self.relevance().similarity(np.empty((2, 0), np.float32)).tolist() == [0.0, 0.0]

    def test_keyword_score(self) -> None:
        found = self.relevance().keyword_score(id_array(3, 4, 9, 99, 1))
        assert found.tolist() == [0.25, 0.0, 1.0, 0.0, 0.0]

    def test_no_keyword_hits(self) -> None:
        silent = Relevance(EAST, Calibration(), 1.0, no_hits())
        assert silent.keyword_score(id_array(3, 4)).tolist() == [0.0, 0.0]


class TestWalkedFirst:
    def test_anchors_that_the_walk_missed_follow_below(self) -> None:
        found = walked_first(hits((5, 0.6), (6, 0.2)), hits((7, 0.8), (5, 0.7), (8, 0.4)))
        assert found.ids.tolist() == [5, 6, 7, 8]
        # The best anchor would be worth as much as the last that was walked to.
        assert found.scores.tolist() == pytest.approx([0.6, 0.2, 0.2, 0.1])

    def test_without_a_walk_anchors_stand_alone(self) -> None:
        found = walked_first(no_hits(), hits((7, 0.8), (8, 0.4)))
        assert found.ids.tolist() == [7, 8]
        assert found.scores.tolist() == pytest.approx([1.0, 0.5])

    def test_nothing(self) -> None:
        assert len(walked_first(no_hits(), no_hits()).ids) == 0
