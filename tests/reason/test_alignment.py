"""Sentences of a model against passages: what supports them is found by code."""

from __future__ import annotations

import pytest

from clew.reason.alignment import align, is_negated, written_sentences
from clew.reason.evidence import gather_passages
from clew.testing.fakes import HashingEmbedder


@pytest.fixture
def passages(world):
    world.page("Acme", "Acme acquired Beta Labs in 2019. The price was 40 million euros.")
    world.page("Moreau", "Ada Moreau leads Acme. She was born in Porto.")
    world.page("Gamma", "Gamma never paid a dividend.")
    world.page("Ponte", "A ponte foi inaugurada em 1998 e não tem portagem.")
    retrieval = world.ask("Who leads Acme?")
    return gather_passages(retrieval, paths=(), chunks=world.store, graph=world.store, limit=9)


def supported(passages, text):
    """Return the titles of the passages that support each sentence of `text`."""
    written = written_sentences(text, passages=len(passages))
    return [
        [quoted.passage.document.title for quoted in one.evidence]
        for one in align(written, passages, embedder=HashingEmbedder())
    ]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Acme acquired Beta Labs in 2019.", [["Acme"]]),
        ("Ada Moreau leads Acme.", [["Moreau"]]),
        ("Gamma never paid a dividend.", [["Gamma"]]),
        # Wrong year, wrong name, denied, not said, and both ways of a negation.
        ("Acme acquired Beta Labs in 2020.", [[]]),
        ("Acme acquired Delta Labs in 2019.", [[]]),
        ("Acme did not acquire Beta Labs in 2019.", [[]]),
        ("Gamma paid a dividend.", [[]]),
        ("The weather was mild.", [[]]),
        # A negation holds in its clause.
        ("A ponte foi inaugurada em 1998.", [["Ponte"]]),
        ("A ponte não tem portagem.", [["Ponte"]]),
        ("A ponte tem portagem.", [[]]),
        ("", []),
    ],
)
def test_a_sentence_is_supported_by_what_says_the_same(passages, text, titles):
    assert supported(passages, text) == titles


def test_a_sentence_of_two_facts_cites_both_passages(passages):
    found = supported(passages, "Ada Moreau leads Acme, which acquired Beta Labs in 2019.")
    assert len(found) == 1
    assert sorted(found[0]) == ["Acme", "Moreau"]


def test_markers_of_the_model_are_hints_and_never_text(passages):
    written = written_sentences("Ada leads Acme [2][9]. She was born in Porto. [1, 2]", passages=3)
    assert [one.text for one in written] == ["Ada leads Acme.", "She was born in Porto."]
    assert [one.hints for one in written] == [{1}, {0, 1}]


def test_a_wrong_marker_does_not_win_over_the_evidence(passages):
    assert supported(passages, "Ada Moreau leads Acme [3].") == [["Moreau"]]


def test_a_marker_decides_between_equals(world):
    text = "The bridge was opened in 1998."
    world.page("First", text)
    world.page("Second", text)
    retrieval = world.ask("When was the bridge opened?")
    both = gather_passages(retrieval, paths=(), chunks=world.store, graph=world.store, limit=9)
    assert supported(both, f"{text} [1]") == [["First"]]
    assert supported(both, f"{text} [2]") == [["Second"]]


def test_markup_and_links_of_the_model_are_dropped(passages):
    [one] = written_sentences("**Ada** <img src=x> leads [Acme](http://evil.example).", passages=3)
    assert one.text == "Ada leads Acme."


def test_lines_are_kept_apart(passages):
    written = written_sentences("- One thing is so.\n- Another is too. And more.", passages=1)
    assert [one.opens_line for one in written] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It was not there.", True),
        ("It wasn't there.", True),
        ("There was no bridge.", True),
        ("A ponte fica no Porto e foi aberta em 1998.", False),
        ("A ponte não foi aberta.", True),
        ("Notable and nothing else.", False),
    ],
)
def test_a_negation_is_seen_in_both_languages(text, negated):
    assert is_negated(text) is negated
