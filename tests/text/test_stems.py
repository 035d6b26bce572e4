import pytest

from clew.text.stems import stem


@pytest.mark.parametrize(
    "family",
    [
        ("own", "owns", "owned", "owning"),
        ("cause", "causes", "caused", "causing"),
        ("company", "companies"),
        ("invest", "invests", "invested"),
    ],
)
def test_inflections_share_a_stem(family):
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["ship", "glass", "bed", "us", "as", "1984"])
def test_words_that_are_no_inflection_stay(word):
    assert stem(word) == word


def test_different_words_stay_different():
    assert len({stem(word) for word in ("own", "owner", "found", "founder", "fund")}) == 5
