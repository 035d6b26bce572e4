"""Which sentences make a summary: central ones, in one language, without repetition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.documents import Span
from clew.knowledge.communities.sentences import Candidate, Chosen, choose_sentences

FACTS = (
    "The harbour city trades grain with many islands.",
    "A lighthouse warns sailors of hidden rocks.",
    "Engineers repaired bridges after heavy floods.",
    "Museums collect maps drawn by early pilots.",
    "Fishermen elect their council each spring.",
    "Schools teach navigation and astronomy.",
    "Bakers open before the morning ferry.",
)


def candidate(
    text: str,
    *members: int,
    chunk: int = 1,
    start: int = 0,
    language: str | None = "en",
    claimed: bool = True,
    relates: bool = False,
) -> Candidate:
    span = Span(start, start + len(text))
    return Candidate(chunk, span, text, frozenset(members), language, claimed, relates)


def texts(chosen: Sequence[Chosen]) -> list[str]:
    return [one.candidate.text for one in chosen]


def test_no_more_than_five_of_many() -> None:
    many = [candidate(text, place, chunk=place) for place, text in enumerate(FACTS)]
    assert len(choose_sentences(many, dict.fromkeys(range(7), 1.0))) == 5


def test_three_even_where_the_rest_is_weak() -> None:
    weak = [
        candidate(FACTS[0], 1, 2, 3, chunk=1, relates=True),
        *(candidate(text, chunk=place + 2, claimed=False) for place, text in enumerate(FACTS[1:])),
    ]
    chosen = choose_sentences(weak, {1: 1.0, 2: 1.0, 3: 1.0})
    assert len(chosen) == 3
    assert texts(chosen)[0] == FACTS[0]


def test_fewer_where_there_are_no_more() -> None:
    assert texts(choose_sentences([candidate(FACTS[0], 1)], {1: 1.0})) == [FACTS[0]]
    assert choose_sentences([], {}) == []


def test_a_sentence_that_names_heavier_members_is_preferred() -> None:
    pair = [candidate(FACTS[0], 1, chunk=1), candidate(FACTS[1], 2, chunk=2)]
    (only,) = choose_sentences(pair, {1: 0.2, 2: 1.0}, fewest=1, most=1)
    assert only.candidate.text == FACTS[1]


@pytest.mark.parametrize("bonus", ["claimed", "relates"])
def test_claims_and_relations_weigh_more(bonus: str) -> None:
    plain = candidate(FACTS[0], 1, chunk=1, claimed=False)
    better = replace(
        plain,
        chunk=2,
        text="The harbour city trades wheat with many islands.",
        claimed=bonus == "claimed",
        relates=bonus == "relates",
    )
    (only,) = choose_sentences([plain, better], {1: 1.0}, fewest=1, most=1)
    assert only.candidate.chunk == 2


def test_the_same_words_are_not_said_twice() -> None:
    twice = [
        candidate(FACTS[0], 1, chunk=1),
        candidate("Many islands trade grain with the harbour city.", 1, chunk=2),
        candidate(FACTS[1], 1, chunk=3),
    ]
    assert len(choose_sentences(twice, {1: 1.0})) == 2


def test_members_that_are_told_of_already_count_less() -> None:
    known = [
        candidate(FACTS[0], 1, chunk=1, relates=True),
        candidate(FACTS[1], 1, chunk=2),
        candidate(FACTS[2], 2, chunk=3),
    ]
    # Alone, the second (member of weight 1) is worth more than the third (.9).
    chosen = choose_sentences(known, {1: 1.0, 2: 0.9}, fewest=2, most=2)
    assert texts(chosen) == [FACTS[0], FACTS[2]]


def test_one_language_the_most_frequent() -> None:
    mixed = [
        *(candidate(text, 1, chunk=place) for place, text in enumerate(FACTS[:4])),
        *(
            candidate(text, 1, 2, chunk=place + 9, language="pt", relates=True)
            for place, text in enumerate(("O porto exporta trigo.", "A cidade tem um farol novo."))
        ),
    ]
    chosen = choose_sentences(mixed, {1: 1.0, 2: 1.0})
    assert {one.candidate.language for one in chosen} == {"en"}


def test_two_languages_where_one_alone_would_not_do() -> None:
    mixed = [
        candidate(FACTS[0], 1, chunk=1),
        candidate(FACTS[1], 1, chunk=2),
        candidate("O porto exporta trigo.", 1, chunk=3, language="pt"),
    ]
    assert len(choose_sentences(mixed, {1: 1.0})) == 3


def test_a_pronoun_needs_what_it_stands_for() -> None:
    stray = candidate("It warns sailors of hidden rocks.", 1, chunk=1)
    clear = candidate(FACTS[0], 1, chunk=2)
    assert texts(choose_sentences([stray, clear], {1: 1.0}, fewest=1, most=1)) == [FACTS[0]]
    other = candidate("Museums collect maps drawn by early pilots.", 1, chunk=3)
    led = replace(stray, chunk=2, span=Span(60, 90))
    chosen = choose_sentences([stray, clear, other, led], {1: 1.0}, fewest=3, most=3)
    assert (2, 60) in [(one.candidate.chunk, one.candidate.span.start) for one in chosen]


def test_sentences_of_a_chunk_stand_together_in_its_order() -> None:
    pool = [
        candidate(FACTS[0], 1, chunk=1, start=90),
        candidate(FACTS[1], 1, 2, 3, chunk=2, relates=True),
        candidate(FACTS[2], 1, 2, chunk=1, start=10),
    ]
    chosen = choose_sentences(pool, {1: 1.0, 2: 0.5, 3: 0.5})
    places = [(one.candidate.chunk, one.candidate.span.start) for one in chosen]
    assert places == [(2, 0), (1, 10), (1, 90)]


words = st.sampled_from("harbour city grain island lighthouse rock bridge flood museum map".split())
candidates = st.lists(
    st.builds(
        lambda text, members, chunk, start, language, flags: Candidate(
            chunk, Span(start, start + 9), " ".join(text), members, language, *flags
        ),
        st.lists(words, min_size=1, max_size=6),
        st.frozensets(st.integers(0, 4)),
        st.integers(0, 5),
        st.integers(0, 200),
        st.sampled_from(["en", "pt", None]),
        st.tuples(st.booleans(), st.booleans()),
    ),
    max_size=12,
    unique_by=lambda one: (one.chunk, one.span.start),
)


@settings(max_examples=150, deadline=None)
@given(candidates, st.permutations(range(12)))
def test_what_holds_for_all_candidates(pool: list[Candidate], order: list[int]) -> None:
    weights = {member: 1.0 / (member + 1) for member in range(5)}
    chosen = choose_sentences(pool, weights)
    picked = [one.candidate for one in chosen]
    assert len(picked) == len(set(picked)) <= 5
    assert set(picked) <= set(pool)
    assert bool(picked) == bool(pool)
    assert all(0.0 <= one.worth <= 1.0 for one in chosen)
    shuffled = [pool[place] for place in order if place < len(pool)]
    assert choose_sentences(shuffled, weights) == chosen
