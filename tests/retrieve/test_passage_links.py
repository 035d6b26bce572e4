"""Links between passages over the names that they share."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.arrays import Ids
from clew.core.knowledge import MentionRole
from clew.core.query import Filter, Query
from clew.retrieve.passage_links import links_of, passage_links
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, filed, id_array, mention, say, write
from tests.retrieve.worlds import named, nobody_named

ASK = Query("Who owns it?", collection=MAIN)
HELD_BY_TWO = 1.0 / (1.0 + math.log(2))


def told(store: MemoryStore) -> Ids:
    """Write three passages: the page of the Ark, one that names the Ark and Bath, and the page of
    Bath, which names Cork; return their ids."""
    page, log, bath = (filed(name, f"text of {name}") for name in ("ark", "log", "bath"))
    for entry in (page, log, bath):
        write(store, entry)
    say(store, page, mention(page.chunks[0], "Ark", role=MentionRole.TITLE))
    say(
        store,
        log,
        mention(log.chunks[0], "Ark", confidence=0.8),
        mention(log.chunks[0], "Bath", confidence=0.5),
    )
    say(
        store,
        bath,
        mention(bath.chunks[0], "Bath", role=MentionRole.TITLE),
        mention(bath.chunks[0], "Cork", confidence=0.8),
    )
    return id_array(page.ids[0], log.ids[0], bath.ids[0])


def test_shared_names_link_both_ways_and_pages_one() -> None:
    store = MemoryStore()
    found = passage_links(ASK, told(store), nobody_named(), graph=store)
    # Each shared name is in two passages. A page's confidence of 1 counts as .9.
    ark, bath = HELD_BY_TWO * 0.9 * 0.8, HELD_BY_TWO * 0.9 * 0.5
    assert found.links == pytest.approx(np.array([[0, ark, 0], [ark, 0, bath], [0, bath, 0]]))
    to_ark, to_bath = math.sqrt(HELD_BY_TWO) * 0.8**2, math.sqrt(HELD_BY_TWO) * 0.5**2
    assert found.pages == pytest.approx(np.array([[0, 0, 0], [to_ark, 0, to_bath], [0, 0, 0]]))


def test_the_order_of_the_passages_is_that_of_the_rows() -> None:
    store = MemoryStore()
    ids = told(store)
    straight = passage_links(ASK, ids, nobody_named(), graph=store)
    turned = passage_links(ASK, ids[::-1].copy(), nobody_named(), graph=store)
    assert turned.links.tolist() == straight.links[::-1, ::-1].tolist()
    assert turned.pages.tolist() == straight.pages[::-1, ::-1].tolist()


def test_what_the_question_names_links_nothing() -> None:
    store = MemoryStore()
    found = passage_links(ASK, told(store), named(("Ark", 1.0)), graph=store)
    assert found.links[0, 1] == 0.0
    assert found.pages[1, 0] == 0.0
    assert found.links[1, 2] > 0.0


def test_a_passage_out_of_scope_links_nothing() -> None:
    store = MemoryStore()
    ids = told(store)
    scoped = Query(
        "Who owns it?", collection=MAIN, filter=Filter(sources=frozenset({"ark", "log"}))
    )
    found = passage_links(scoped, ids, nobody_named(), graph=store)
    assert found.links[0, 1] > 0.0
    assert not found.links[2].any()


def test_no_passages_and_passages_without_names() -> None:
    store = MemoryStore()
    entry = filed("plain", "text")
    write(store, entry)
    assert passage_links(ASK, id_array(), nobody_named(), graph=store).links.shape == (0, 0)
    found = passage_links(ASK, id_array(entry.ids[0]), nobody_named(), graph=store)
    assert found.links.tolist() == [[0.0]]


mentions = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 3)),
    st.sampled_from([0.3, 0.6, 0.9, 1.0]),
    max_size=15,
)


@given(mentions, st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=4, max_size=4))
@settings(max_examples=100, deadline=None)
def test_links_are_the_strongest_over_any_name(
    held: dict[tuple[int, int], float], rare: list[float]
) -> None:
    found = links_of(
        5,
        np.array([passage for passage, _ in held], np.int64),
        np.array([node for _, node in held], np.int64),
        np.array(list(held.values()), np.float32),
        np.array(rare, np.float32),
    )
    for first in range(5):
        for second in range(5):
            link = page = 0.0
            for node in range(4):
                one, other = held.get((first, node)), held.get((second, node))
                if first == second or one is None or other is None:
                    continue
                link = max(link, rare[node] * min(one, 0.9) * min(other, 0.9))
                if other == 1.0:
                    pages = sum(held.get((row, node)) == 1.0 for row in range(5))
                    page = max(page, math.sqrt(rare[node] / pages) * min(one, 0.9) ** 2)
            assert found.links[first, second] == pytest.approx(link, abs=1e-6)
            assert found.pages[first, second] == pytest.approx(page, abs=1e-6)
