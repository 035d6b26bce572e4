"""Stage 1: seeds, with fused scores by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clew.core.errors import NotFoundError
from clew.core.ids import format_id
from clew.core.ports import Store
from clew.core.query import Filter, Principal, Query
from clew.retrieve.seeds import Seeds, find_seeds
from clew.stores.memory import MemoryStore
from clew.testing.store_samples import MAIN, edge, filed, mention, node_of, say, write
from tests.retrieve.worlds import (
    hits,
    named,
    no_hits,
    nobody_named,
    place,
    ready,
    said,
    scores_of,
    tell,
)

A, B, C, D = (node_of(name) for name in ("Ada", "Bob", "Cy", "Dee"))


@pytest.fixture
def store() -> MemoryStore:
    """Cosines .9 Ada, .8 Bob, .7 Cy, .6 Dee; degrees 1 Ada, 2 Bob, 3 Cy, 2 Dee."""
    made = MemoryStore()
    entry = tell(
        made,
        "all",
        ["Ada", "Bob", "Cy", "Dee"],
        edge("Cy", "Ada"),
        edge("Cy", "Bob"),
        edge("Cy", "Dee"),
        edge("Bob", "Dee"),
    )
    place(made, entry, {"Ada": 0.9, "Bob": 0.8, "Cy": 0.7, "Dee": 0.6})
    return made


def seeds_of(store: Store, query: Query) -> Seeds:
    """Return the seeds by vector and degree alone."""
    return find_seeds(ready(query), nobody_named(), no_hits(), graph=store)


def ask(
    *,
    alpha: float = 0.5,
    seed_k: int = 5,
    filter: Filter | None = None,
    given: tuple[int, ...] = (),
    principal: Principal | None = None,
) -> Query:
    return Query(
        "who",
        collection=MAIN,
        fusion_alpha=alpha,
        seed_k=seed_k,
        filter=filter or Filter(),
        seed_node_ids=given,
        principal=principal or Principal(),
    )


class TestFusion:
    def test_vector_and_degree_by_the_guides_formula(self, store: MemoryStore) -> None:
        found = seeds_of(store, ask(alpha=0.25))
        # Degree ranks: Cy 1, then Bob and Dee by id, then Ada 4.
        bob, dee = (2, 3) if B < D else (3, 2)
        assert scores_of(found.fused) == pytest.approx(
            {
                A: 61 * (0.75 / 61 + 0.25 / 64),
                B: 61 * (0.75 / 62 + 0.25 / (60 + bob)),
                C: 61 * (0.75 / 63 + 0.25 / 61),
                D: 61 * (0.75 / 64 + 0.25 / (60 + dee)),
            },
            rel=1e-6,
        )

    def test_first_by_every_signal_has_one(self, store: MemoryStore) -> None:
        entry = tell(store, "more", ["Cy"])
        place(store, entry, {"Cy": 1.0})
        question = ready(ask())
        (chunk,) = entry.chunks
        found = find_seeds(question, named(("Cy", 1.0)), hits((chunk.id, 2.0)), graph=store)
        assert found.fused.ids[0] == C
        assert found.fused.scores[0] == pytest.approx(1.0)
        assert found.signals[0] == ("vector", "keyword", "entity", "degree")

    def test_alpha_zero_is_the_order_of_cosines(self, store: MemoryStore) -> None:
        assert seeds_of(store, ask(alpha=0.0)).fused.ids.tolist() == [A, B, C, D]

    def test_alpha_one_is_the_order_of_degrees(self, store: MemoryStore) -> None:
        found = seeds_of(store, ask(alpha=1.0))
        assert found.fused.ids.tolist() == [C, *sorted([B, D]), A]
        assert found.fused.scores.tolist() == pytest.approx([1.0, 61 / 62, 61 / 63, 61 / 64])

    @pytest.mark.parametrize(("alpha", "first"), [(0.2, A), (0.8, B)])
    def test_pool_is_twice_seed_k_and_each_signal_gives_seed_k(
        self, store: MemoryStore, alpha: float, first: int
    ) -> None:
        found = seeds_of(store, ask(alpha=alpha, seed_k=1))
        # The pool holds Ada and Bob: Cy has more edges and is not in it.
        assert found.fused.ids.tolist() == [first]
        assert scores_of(found.fused)[first] == pytest.approx(0.8)
        assert (found.stats.vector_seeds, found.stats.degree_seeds) == (1, 1)
        assert found.stats.fused_seeds == 1

    def test_text_signals_share_their_weight(self, store: MemoryStore) -> None:
        found = find_seeds(
            ready(ask(alpha=0.4)), named(("Dee", 0.2), ("Ada", 0.9)), no_hits(), graph=store
        )
        bob, dee = (2, 3) if B < D else (3, 2)
        assert scores_of(found.fused) == pytest.approx(
            {
                A: 61 * (0.3 / 61 + 0.3 / 61 + 0.4 / 64),
                B: 61 * (0.3 / 62 + 0.4 / (60 + bob)),
                C: 61 * (0.3 / 63 + 0.4 / 61),
                D: 61 * (0.3 / 64 + 0.3 / 62 + 0.4 / (60 + dee)),
            },
            rel=1e-6,
        )

    def test_nothing_in_the_store_gives_no_seeds(self) -> None:
        found = seeds_of(MemoryStore(), ask())
        assert found.fused.ids.tolist() == []
        assert found.signals == ()
        assert found.stats.fused_seeds == 0

    def test_named_nodes_alone_are_seeds(self) -> None:
        made = MemoryStore()
        tell(made, "all", ["Ada", "Bob"])
        found = find_seeds(ready(ask()), named(("Bob", 1.0)), no_hits(), graph=made)
        assert found.fused.ids.tolist() == [B]
        assert found.signals == (("entity", "degree"),)
        assert (found.stats.vector_seeds, found.stats.entity_seeds) == (0, 1)


class TestKeywordSignal:
    def test_passage_score_times_confidence_times_rarity(self) -> None:
        made = MemoryStore()
        entry = filed("s", "one", "two", "three")
        write(made, entry)
        one, two, three = entry.chunks
        # Ada stands in one, two and three; Bob in two and three; Cy in three alone.
        say(made, entry, *said(one, "Ada"), *said(two, "Ada", "Bob"), *said(three, "Cy", "Bob"))
        say(made, entry, *said(three, "Ada"))
        found = find_seeds(
            ready(ask(alpha=0.0)),
            nobody_named(),
            hits((one.id, 6.0), (two.id, 2.0), (three.id, 1.0)),
            graph=made,
        )
        rarity = {1: 1.0, 2: 1 / (1 + math.log(2)), 3: 1 / (1 + math.log(3))}
        worth = {A: 9 * rarity[3], B: 3 * rarity[2], C: 1 * rarity[1]}  # times one confidence
        assert found.fused.ids.tolist() == sorted(worth, key=lambda node: -worth[node])
        assert found.signals == (("keyword", "degree"),) * 3
        assert found.stats.keyword_seeds == 3

    def test_rare_names_beat_common_ones(self) -> None:
        made = MemoryStore()
        entry = filed("s", *(f"text {place}" for place in range(8)))
        write(made, entry)
        first, second, *_ = entry.chunks
        say(made, entry, *(row for chunk in entry.chunks for row in said(chunk, "Ada")))
        say(made, entry, *said(first, "Bob"))
        found = find_seeds(
            ready(ask(alpha=0.0)),
            nobody_named(),
            hits((first.id, 2.0), (second.id, 1.0)),
            graph=made,
        )
        # Ada has more support, 3 against 2, and is eight times as common: 3 / (1 + ln 8) < 1.
        assert found.fused.ids.tolist() == [B, A]

    @pytest.mark.parametrize(("sure", "unsure"), [("Ada", "Bob"), ("Bob", "Ada")])
    def test_sure_mentions_beat_unsure_ones(self, sure: str, unsure: str) -> None:
        made = MemoryStore()
        entry = filed("s", "one")
        write(made, entry)
        (chunk,) = entry.chunks
        say(made, entry, mention(chunk, sure, confidence=0.9))
        say(made, entry, mention(chunk, unsure, confidence=0.3))
        found = find_seeds(ready(ask(alpha=0.0)), nobody_named(), hits((chunk.id, 1.0)), graph=made)
        assert found.fused.ids.tolist() == [node_of(sure), node_of(unsure)]


class TestFilter:
    def test_labels_apply_before_the_cut(self) -> None:
        made = MemoryStore()
        people = tell(made, "people", ["Ada", "Bob", "Cy"], label="Person")
        firms = tell(made, "firms", ["Acme", "Beta"], label="Company")
        place(made, people, {"Ada": 1.0, "Bob": 0.9, "Cy": 0.8})
        place(made, firms, {"Acme": 0.2, "Beta": 0.1})
        query = ask(seed_k=2, filter=Filter(labels=frozenset({"Company"})))
        (chunk,) = people.chunks
        found = find_seeds(ready(query), nobody_named(), hits((chunk.id, 3.0)), graph=made)
        assert set(found.fused.ids.tolist()) == {node_of("Acme"), node_of("Beta")}

    def test_sources_apply_before_the_cut(self) -> None:
        made = MemoryStore()
        near = tell(made, "near", ["Ada", "Bob"])
        far = tell(made, "far", ["Cy"])
        place(made, near, {"Ada": 1.0, "Bob": 0.9})
        place(made, far, {"Cy": 0.1})
        found = seeds_of(made, ask(seed_k=1, filter=Filter(sources=frozenset({"far"}))))
        assert found.fused.ids.tolist() == [C]

    def test_the_principal_applies_before_the_cut(self) -> None:
        made = MemoryStore()
        secret = tell(made, "secret", ["Ada", "Bob"], acl=["staff"])
        plain = tell(made, "plain", ["Cy"])
        place(made, secret, {"Ada": 1.0, "Bob": 0.9})
        place(made, plain, {"Cy": 0.1})
        found = seeds_of(made, ask(seed_k=1, principal=Principal(frozenset({"guest"}))))
        assert found.fused.ids.tolist() == [C]


class TestGivenIds:
    def test_given_ids_come_first_in_their_order(self, store: MemoryStore) -> None:
        found = seeds_of(store, ask(alpha=0.0, seed_k=3, given=(D, C)))
        assert found.fused.ids.tolist() == [D, C, A]
        # Dee is fourth by cosine and so beyond seed_k; Cy is third.
        assert found.fused.scores.tolist() == pytest.approx([0.0, 61 / 63, 1.0])
        assert found.signals[0][-1] == "given"
        assert found.stats.given_seeds == 2
        assert found.stats.fused_seeds == 3

    def test_more_given_ids_than_seed_k_all_stay(self, store: MemoryStore) -> None:
        found = seeds_of(store, ask(seed_k=1, given=(D, C, B)))
        assert found.fused.ids.tolist() == [D, C, B]

    def test_an_id_given_twice_is_one_seed(self, store: MemoryStore) -> None:
        found = seeds_of(store, ask(seed_k=2, given=(D, D)))
        assert found.fused.ids.tolist().count(D) == 1
        assert len(found.fused.ids) == 2

    def test_an_unknown_id_is_an_error_that_names_it(self, store: MemoryStore) -> None:
        with pytest.raises(NotFoundError, match=format_id(77)):
            seeds_of(store, ask(given=(A, 77)))

    def test_an_invisible_id_is_as_good_as_unknown(self) -> None:
        made = MemoryStore()
        tell(made, "secret", ["Ada"], acl=["staff"])
        guest = Principal(frozenset({"guest"}))
        with pytest.raises(NotFoundError, match=format_id(A)):
            seeds_of(made, ask(given=(A,), principal=guest))

    def test_ids_and_signals_are_parallel(self, store: MemoryStore) -> None:
        found = seeds_of(store, ask(given=(D,)))
        assert len(found.signals) == len(found.fused.ids) == len(np.unique(found.fused.ids))
