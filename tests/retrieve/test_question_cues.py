"""Cues in the wording of questions."""

from __future__ import annotations

from math import exp

import pytest

from clew.retrieve.question_cues import BIAS, CUES, FEATURES, WEIGHTS, features, read


def counts(question: str) -> dict[str, float]:
    return {
        name: value
        for name, value in zip(FEATURES, features(question), strict=True)
        if value and name not in {"words", "words_above_15"}
    }


def test_every_feature_has_a_weight():
    assert set(WEIGHTS) == set(FEATURES)
    assert len({cue.name for cue in CUES}) == len(CUES)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What colour is it?", {}),
        ("who wrote Emma", {"who": 1}),
        ("Is Paris older than Rome?", {"comparison": 1, "yes_or_no": 1}),
        (
            "Where does the director of Jaws live?",
            {"agent": 1, "role": 1, "the_of": 1, "where_when": 1},
        ),
        ("What is Ada's employer?", {"owned_role": 1, "possessive": 1}),
        ("What did the man that sold it want?", {"described_thing": 1, "relative": 1}),
    ],
)
def test_what_is_counted(question, expected):
    assert counts(question) == expected


def test_case_question_marks_and_apostrophes_do_not_count():
    assert features("Who is ADA'S mother?") == features("who is ada\u2019s mother")


def test_a_cue_counts_three_times_at_most():
    assert counts("this or that or such or so or no")["alternative"] == 3


def test_length_is_in_tens_of_words():
    assert features("word " * 20)[-2:] == [2.0, 0.5]
    assert features("word " * 90)[-2:] == [4.0, 2.5]


def test_the_probability_by_hand():
    """Four words and 'who': the bias, .4 of the weight of words, and that of 'who'."""
    total = BIAS + 0.4 * WEIGHTS["words"] + WEIGHTS["who"]
    assert read("who wrote this thing").multi == pytest.approx(1 / (1 + exp(-total)))


def test_the_cues_that_speak_are_named_weightiest_first():
    found = read("Where was the director of the film that won born?")
    assert 0.5 < found.multi < 1
    weights = {cue.words: WEIGHTS[cue.name] for cue in CUES}
    assert "someone named by a deed" in found.cues
    assert "a thing that is described" in found.cues
    assert all(weights[words] > 0 for words in found.cues)


def test_an_empty_question_is_read():
    assert 0 < read("").multi < 0.5
