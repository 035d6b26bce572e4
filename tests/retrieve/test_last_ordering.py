"""The last ordering: which passages it takes, what it knows of them, and what scores it gives."""

from __future__ import annotations

import numpy as np
import pytest

from clew.core.arrays import Hits
from clew.core.calibration import Calibration
from clew.core.knowledge import MentionRole
from clew.core.query import Query
from clew.retrieve.anchors import find_anchors
from clew.retrieve.choice import Candidates, ChoiceWeights
from clew.retrieve.hybrid import walked_first
from clew.retrieve.last_ordering import SIMILAR, WALKED, Pool, gather_pool, put_in_order
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, filed, id_array, mention, say, write
from tests.retrieve.worlds import at_cosine, hits, nobody_named, ready

BY_WALK = ChoiceWeights(4.0, 0.0, 0.0, 0.0, 0.0, 0.0)
BY_LINK = ChoiceWeights(4.0, 0.0, 0.0, 0.0, 4.0, 0.0)


def pool(ranked: Hits, *, links: np.ndarray | None = None) -> Pool:
    count = len(ranked.ids)
    nothing = np.zeros((count, count), np.float32)
    return Pool(
        ranked.ids,
        Candidates(
            walk=ranked.scores,
            similarity=np.zeros(count, np.float32),
            presence=np.zeros((count, 0), bool),
            links=nothing if links is None else links,
            pages=nothing,
        ),
    )


def test_scores_fall_with_the_odds_of_being_chosen() -> None:
    ranked = hits((7, 1.0), (5, 0.1), (9, 0.01))
    found = put_in_order(ranked, pool(ranked), BY_WALK)
    # Choice scores 4, 3, 2: shown are 1 / (1 + 0), 1 / (1 + 1), 1 / (1 + 2).
    assert found.ids.tolist() == [7, 5, 9]
    assert found.scores == pytest.approx([1.0, 1 / 2, 1 / 3])


def test_a_choice_that_scores_higher_than_one_before_shows_no_higher() -> None:
    ranked = hits((7, 1.0), (5, 0.1), (9, 0.01))
    links = np.zeros((3, 3), np.float32)
    links[0, 2] = 0.75
    found = put_in_order(ranked, pool(ranked, links=links), BY_LINK)
    # 4; then 2 + 3 = 5, shown as what was before it; then 3.
    assert found.ids.tolist() == [7, 9, 5]
    assert found.scores == pytest.approx([1.0, 1.0, 1 / 2])


def test_what_lies_behind_the_pool_keeps_its_order_below() -> None:
    ranked = hits((7, 0.9), (5, 0.5), (9, 0.4), (8, 0.2))
    front = Hits(ranked.ids[:2], ranked.scores[:2])
    found = put_in_order(ranked, pool(front), BY_WALK)
    assert found.ids.tolist() == [7, 5, 9, 8]
    assert found.scores[2] == pytest.approx(found.scores[1])
    assert found.scores[3] == pytest.approx(found.scores[2] / 2)


def test_nothing_to_order() -> None:
    assert len(put_in_order(hits(), pool(hits())).ids) == 0


def test_the_pool_joins_walk_similarity_and_keyword() -> None:
    store = MemoryStore()
    near = filed("near", "fish")
    write(store, near, vectors=[at_cosine(0.9)])
    word = filed("word", "walrus")
    write(store, word, vectors=[at_cosine(0.3)])
    far = filed("far", "stone")
    write(store, far, vectors=[at_cosine(0.0)])
    say(store, near, mention(near.chunks[0], "Ark", role=MentionRole.TITLE))
    say(store, far, mention(far.chunks[0], "Ark", confidence=0.5))
    question = ready(Query("walrus", collection=MAIN))
    anchors = find_anchors(
        question, nobody_named(), chunks=store, graph=store, calibration=Calibration()
    )
    ranked = hits((far.ids[0], 0.8), (near.ids[0], 0.2))
    found = gather_pool(question, ranked, anchors, nobody_named(), chunks=store, graph=store)
    assert found.ids.tolist() == [far.ids[0], near.ids[0], word.ids[0]]
    assert found.candidates.walk == pytest.approx([0.8, 0.2, 0.0])
    assert found.candidates.similarity == pytest.approx([0.0, 1.0, 1 / 3], abs=1e-6)
    assert found.candidates.presence.tolist() == [[False], [False], [True]]
    assert found.candidates.pages[0, 1] > 0.0
    assert not found.candidates.pages[1].any()


def test_the_pool_is_bounded() -> None:
    store = MemoryStore()
    entries = [filed(f"{place:03}", "walrus") for place in range(WALKED + 30)]
    for entry in entries:
        write(store, entry, vectors=[at_cosine(0.5)])
    question = ready(Query("walrus", collection=MAIN))
    anchors = find_anchors(
        question, nobody_named(), chunks=store, graph=store, calibration=Calibration()
    )
    ids = id_array(*(entry.ids[0] for entry in entries))
    ranked = walked_first(Hits(ids, np.linspace(1, 0.1, len(ids)).astype(np.float32)), anchors.hits)
    found = gather_pool(question, ranked, anchors, nobody_named(), chunks=store, graph=store)
    assert found.ids[:WALKED].tolist() == ids[:WALKED].tolist()
    assert WALKED <= len(found.ids) <= WALKED + 2 * SIMILAR
    assert len(set(found.ids.tolist())) == len(found.ids)
