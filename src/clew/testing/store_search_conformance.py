"""What every `ChunkStore` must find: by vector, by keyword and by phrase, filters first."""

# ruff: noqa: S101, D102

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from clew.core.ports import Store
from clew.core.query import AllOf, AnyOf, Comparison, Condition, Filter, Not
from clew.testing.store_samples import (
    MAIN,
    MakeStore,
    axis,
    compact,
    filed,
    id_array,
    leave_fresh,
    mention,
    random_units,
    say,
    write,
)

fresh_and_compacted = pytest.mark.parametrize("settle", [leave_fresh, compact])

_FILTERS = {
    "sources": Filter(sources=frozenset({"doc3", "doc7", "gone"})),
    "languages": Filter(languages=frozenset({"pt"})),
    "from": Filter(published_from=datetime(2006, 1, 1, tzinfo=UTC)),
    "to": Filter(published_to=datetime(2006, 1, 1, tzinfo=UTC)),
    "labels": Filter(labels=frozenset({"Person"})),
    "labels and languages": Filter(labels=frozenset({"Person"}), languages=frozenset({"en"})),
    "equal": Filter(metadata=Condition("number", Comparison.EQUAL, 4)),
    "in": Filter(metadata=Condition("number", Comparison.IN, (1, 8, "8"))),
    "at least": Filter(metadata=Condition("number", Comparison.AT_LEAST, 7.5)),
    "contains": Filter(metadata=Condition("tags", Comparison.CONTAINS, "odd")),
    "all, any, not": Filter(
        metadata=AllOf(
            (
                Not(Condition("tags", Comparison.CONTAINS, "odd")),
                AnyOf(
                    (
                        Condition("number", Comparison.AT_MOST, 2),
                        Condition("name", Comparison.EQUAL, "n8"),
                    )
                ),
            )
        )
    ),
    "nothing": Filter(sources=frozenset({"gone"})),
}
_PASSING = {
    "sources": {3, 7},
    "languages": {1, 3, 5, 7, 9},
    "from": {6, 7, 8, 9},
    "to": {0, 1, 2, 3, 4, 5},
    "labels": {0, 5},
    "labels and languages": {0},
    "equal": {4},
    "in": {1, 8},
    "at least": {8, 9},
    "contains": {1, 3, 5, 7, 9},
    "all, any, not": {0, 2, 8},
    "nothing": set(),
}


def _shelf(store: Store) -> tuple[list[int], np.ndarray, list[int]]:
    """Write ten documents of twenty chunks; return chunk ids, their vectors and documents."""
    entries = [
        filed(
            f"doc{number}",
            *(f"shared words of chunk {place}" for place in range(20)),
            language="pt" if number % 2 else "en",
            published_at=datetime(2000 + number, 1, 1, tzinfo=UTC),
            metadata={
                "number": number,
                "name": f"n{number}",
                "tags": ["odd", "prime"] if number % 2 else ["even"],
            },
        )
        for number in range(10)
    ]
    vectors = random_units(200, seed=1)
    write(store, *entries, vectors=vectors)
    for number in (0, 5):
        for chunk in entries[number].chunks:
            say(store, entries[number], mention(chunk, "Ada", label="Person"))
    ids = [identifier for entry in entries for identifier in entry.ids]
    return ids, np.stack(vectors), [number for number in range(10) for _ in range(20)]


@fresh_and_compacted
class TestVectorSearch:
    """Exact neighbours, those of the filter only, best first."""

    @pytest.mark.parametrize("name", _FILTERS)
    def test_filters_apply_before_top_k(
        self, make_store: MakeStore, settle: Callable[[Store], None], name: str
    ) -> None:
        store = make_store()
        ids, matrix, documents = _shelf(store)
        settle(store)
        question = random_units(1, seed=2)[0]
        scores = matrix @ question
        rows = [row for row in range(200) if documents[row] in _PASSING[name]]
        expected = sorted(rows, key=lambda row: -scores[row])[:7]
        found = store.search_vector(MAIN, question, limit=7, filter=_FILTERS[name])
        assert found.ids.tolist() == [ids[row] for row in expected]
        np.testing.assert_allclose(found.scores, scores[expected], atol=1e-4)

    def test_without_a_filter_all_take_part(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        ids, matrix, _ = _shelf(store)
        settle(store)
        question = random_units(1, seed=3)[0]
        order = np.argsort(-(matrix @ question), kind="stable")
        found = store.search_vector(MAIN, question, limit=1000)
        assert found.ids.tolist() == [ids[row] for row in order]
        assert found.ids.dtype == np.int64
        assert found.scores.dtype == np.float32

    def test_ties_are_ordered_by_id(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "one", "two", "three", "four")
        write(store, a, vectors=[axis(2)] * 4)
        settle(store)
        assert store.search_vector(MAIN, axis(2), limit=2).ids.tolist() == sorted(a.ids)[:2]

    def test_no_limit_no_hits(self, make_store: MakeStore, settle: Callable[[Store], None]) -> None:
        store = make_store()
        write(store, filed("a", "one"), vectors=[axis(2)])
        settle(store)
        assert store.search_vector(MAIN, axis(2), limit=0).ids.tolist() == []
        assert store.search_text(MAIN, "one", limit=0).ids.tolist() == []

    def test_a_new_vector_replaces_the_old_one(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "one", "two")
        write(store, a, vectors=[axis(0), axis(1)])
        settle(store)
        write(store, a, vectors=[axis(3), axis(1)])
        found = store.search_vector(MAIN, axis(3), limit=9)
        assert found.ids.tolist()[0] == a.ids[0]
        np.testing.assert_allclose(found.scores, [1.0, 0.0], atol=1e-4)
        assert store.vectors(MAIN, id_array(a.ids[0])).tolist() == [axis(3).tolist()]


@fresh_and_compacted
class TestTextSearch:
    """BM25 over title and text, statistics of the whole collection."""

    def test_scores_follow_the_formula(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "ocean ocean tide", "tide pool")
        b = filed("b", "forest river", title="Ocean")
        write(store, a, b)
        settle(store)
        found = store.search_text(MAIN, "The ocean, the OCEAN tide?", limit=9)
        # three passages of 3, 2 and 3 terms; "ocean" and "tide" stand in two of them each
        weight = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)) * 2.2
        norms = [1.2 * (0.25 + 0.75 * length / (8 / 3)) for length in (3, 2, 3)]
        expected = {
            a.ids[0]: weight * (2 / (2 + norms[0]) + 1 / (1 + norms[0])),
            a.ids[1]: weight * 1 / (1 + norms[1]),
            b.ids[0]: weight * 1 / (1 + norms[2]),
        }
        scores = dict(zip(found.ids.tolist(), found.scores.tolist(), strict=True))
        assert scores == pytest.approx(expected, rel=0.02)
        assert found.ids.tolist() == [a.ids[0], a.ids[1], b.ids[0]]

    def test_statistics_follow_changes_and_removals(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a, b = filed("a", "ocean tide"), filed("b", "ocean wave wave", "river")
        write(store, a, b, filed("c", "ocean ocean ocean"))
        settle(store)
        store.remove_chunks(MAIN, b.ids)
        write(store, filed("c", "desert", version="2"))
        gone = filed("c", "ocean ocean ocean")
        store.remove_chunks(MAIN, gone.ids)
        settle(store)
        found = store.search_text(MAIN, "ocean", limit=9)
        # left: "ocean tide" (2 terms) and "desert" (1)
        weight = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5)) * 2.2
        assert found.ids.tolist() == a.ids
        expected = weight / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5))
        assert found.scores.tolist() == pytest.approx([expected], rel=0.02)

    @pytest.mark.parametrize("name", _FILTERS)
    def test_filters_apply_before_top_k(
        self, make_store: MakeStore, settle: Callable[[Store], None], name: str
    ) -> None:
        store = make_store()
        ids, _, documents = _shelf(store)
        settle(store)
        passing = {ids[row] for row in range(200) if documents[row] in _PASSING[name]}
        everything = store.search_text(MAIN, "shared chunk 3", limit=1000)
        some = store.search_text(MAIN, "shared chunk 3", limit=1000, filter=_FILTERS[name])
        assert set(some.ids.tolist()) == passing
        scores = dict(zip(everything.ids.tolist(), everything.scores.tolist(), strict=True))
        assert some.scores.tolist() == pytest.approx(
            [scores[identifier] for identifier in some.ids.tolist()], rel=0.02
        )
        few = store.search_text(MAIN, "shared chunk 3", limit=1, filter=_FILTERS[name])
        assert len(few.ids) == min(1, len(passing))
        if passing:
            assert few.scores[0] == pytest.approx(max(some.scores), rel=0.02)

    def test_words_match_whatever_their_case_accents_and_possessives(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "São Paulo's CAFÉ", "other words")
        write(store, a)
        settle(store)
        assert store.search_text(MAIN, "sao cafe PAULO", limit=9).ids.tolist() == [a.ids[0]]

    @pytest.mark.parametrize(
        "text",
        ["", "the of and", "absent", '"', "a AND (b", "title:x*", "+-!(){}[]^~?\\/", "' OR 1=1 --"],
    )
    def test_questions_without_a_known_term_find_nothing(
        self, make_store: MakeStore, settle: Callable[[Store], None], text: str
    ) -> None:
        store = make_store()
        write(store, filed("a", "river stone"))
        settle(store)
        assert store.search_text(MAIN, text, limit=9).ids.tolist() == []


@fresh_and_compacted
class TestPhrases:
    """A phrase is a row of tokens of the text, stop words included."""

    def test_tokens_must_stand_in_a_row(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed(
            "a",
            "The Who played in New York's hall.",
            "York is new; who knows the hall?",
            "newyork",
            title="New York",
        )
        write(store, a)
        settle(store)
        phrases = ["New York", "the who", "WHO", "York", "hall", "Boston", "!?", ""]
        first, second, _ = a.ids
        both = sorted([first, second])
        assert store.find_phrases(MAIN, phrases) == {
            "New York": [first],
            "the who": [first],
            "WHO": both,
            "York": both,
            "hall": both,
        }

    def test_changed_texts_are_found_as_they_are_now(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        a = filed("a", "red apple", "green apple")
        write(store, a)
        settle(store)
        store.remove_chunks(MAIN, [a.ids[0]])
        assert store.find_phrases(MAIN, ["red apple", "green apple"]) == {"green apple": [a.ids[1]]}


class TestTermPresence:
    """`ChunkStore.term_presence`."""

    @fresh_and_compacted
    def test_title_and_text_count_and_stop_words_do_not(
        self, make_store: MakeStore, settle: Callable[[Store], None]
    ) -> None:
        store = make_store()
        first = filed("one", "The Ocean of storms", "and the sea", title="Tides")
        second = filed("two", "a river", title="Oceans")
        for shelf in (first, second):
            write(store, shelf)
        settle(store)
        ids = id_array(first.ids[0], second.ids[0], 99, first.ids[1])
        found = store.term_presence(MAIN, ids, ("ocean", "tides", "the", "storms"))
        assert found.tolist() == [
            [True, True, False, True],
            [False, False, False, False],
            [False, False, False, False],
            [False, True, False, False],
        ]
        assert store.term_presence(MAIN, ids, ()).shape == (4, 0)
