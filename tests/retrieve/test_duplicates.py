"""Exact and near duplicates: Jaccard by hand, and against a comparison of all pairs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.results import Suppressed
from clew.retrieve.duplicates import content_signature, shingles, split_duplicates

WORDS = [f"word{number}" for number in range(60)]


def test_case_accents_and_punctuation_do_not_count() -> None:
    assert content_signature("Ação! The  END.") == content_signature("acao the end")
    assert content_signature("the end") != content_signature("end the")


def test_shingles_are_runs_of_five_words() -> None:
    assert shingles("a b c d e f") == {tuple("abcde"), tuple("bcdef")}
    assert shingles("a b") == {("a", "b")}
    assert shingles("?!") == {("?!",)}


def test_the_same_text_is_left_out_for_the_first() -> None:
    kept, left_out = split_duplicates([(1, "One text."), (2, "Another"), (3, "one TEXT")])
    assert kept == [1, 2]
    assert left_out == [Suppressed(3, 1, 1.0)]


def test_one_changed_word_among_sixty_is_a_near_duplicate() -> None:
    """56 shingles each; the changed first word changes one: 55 in common of 57 in all."""
    changed = ["other", *WORDS[1:]]
    kept, left_out = split_duplicates([(1, " ".join(WORDS)), (2, " ".join(changed))])
    assert kept == [1]
    (one,) = left_out
    assert (one.id, one.kept) == (2, 1)
    assert one.similarity == pytest.approx(55 / 57)


def test_a_changed_word_in_the_middle_of_a_short_text_is_not() -> None:
    """16 shingles each, 5 of which hold the word: 11 in common of 21."""
    first = WORDS[:20]
    second = [*first[:10], "other", *first[11:]]
    kept, left_out = split_duplicates([(1, " ".join(first)), (2, " ".join(second))])
    assert (kept, left_out) == ([1, 2], [])


def test_passages_that_overlap_are_both_kept() -> None:
    texts = [(1, " ".join(WORDS[:40])), (2, " ".join(WORDS[30:]))]
    assert split_duplicates(texts) == ([1, 2], [])


def test_texts_without_words_are_compared_as_they_are() -> None:
    kept, left_out = split_duplicates([(1, "?!"), (2, "..."), (3, "?!")])
    assert kept == [1, 2]
    assert left_out == [Suppressed(3, 1, 1.0)]


texts = st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(" ".join), max_size=8)


@given(texts, st.sampled_from((0.3, 0.5, 0.9, 1.0)))
@settings(deadline=None, max_examples=100)
def test_a_comparison_of_all_pairs_gives_the_same(rows: list[str], threshold: float) -> None:
    kept: list[int] = []
    left_out: dict[int, float] = {}
    for place, text in enumerate(rows):
        nearest = 0.0
        for other in kept:
            first, second = shingles(text), shingles(rows[other])
            nearest = max(nearest, len(first & second) / len(first | second))
        if nearest >= threshold:
            left_out[place] = nearest
        else:
            kept.append(place)
    found, suppressed = split_duplicates(list(enumerate(rows)), threshold=threshold)
    assert found == kept
    assert {row.id: row.similarity for row in suppressed} == pytest.approx(left_out)
    assert {row.kept for row in suppressed} <= set(found)
