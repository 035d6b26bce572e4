"""Sources that contradict each other, beside the answer."""

from __future__ import annotations

from typing import Any

import pytest

from clew.core.contradictions import ContradictionKind, Preference
from clew.engine.clew import Clew
from clew.engine.contradictions.sentences import clashes, read_sentences
from clew.serve.cli.contradiction_display import contradiction_lines
from clew.serve.json_form import answer_json
from clew.settings.model import AnswerSettings, Settings


def kinds(first: str, second: str) -> list[str]:
    return [
        clash.kind.value for clash in clashes(read_sentences(1, first), read_sentences(2, second))
    ]


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (
            "The monthly rent of the hall is 900 euros.",
            "The monthly rent of the hall is 950 euros.",
            ["number"],
        ),
        (
            "The monthly rent of the hall is 1,000 euros.",
            "The monthly rent of the hall is 1000 euros.",
            [],
        ),
        (
            "The bridge near Ghent was repaired.",
            "The bridge near Ghent was not repaired.",
            ["denial"],
        ),
        ("Acme employs 40 people in Ghent.", "Beta employs 50 people in Ghent.", []),
        (
            "In 2019 Acme Corp employed 40 people in Ghent.",
            "In 2020 Acme Corp employed 50 people in Ghent.",
            [],
        ),
        ("Is the rent of the hall 900 euros?", "The rent of the hall is 950 euros.", []),
        ("The hall has 3 doors.", "The tower has 4 bells.", []),
    ],
)
def test_sentences_that_contradict_each_other(first, second, found):
    assert kinds(first, second) == found
    assert kinds(second, first) == found


RENT = "What is the monthly rent of the warehouse in Dunmere?"
SAID = "The monthly rent of the warehouse in Dunmere is {} euros."


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    with Clew.open(tmp_path_factory.mktemp("contradictions") / "kb.clew") as opened:
        opened.add(
            {
                "source": "old",
                "title": "Report",
                "text": SAID.format(900),
                "published_at": "2020-01-01",
            },
            {
                "source": "new",
                "title": "Survey",
                "text": SAID.format(950),
                "published_at": "2023-01-01",
            },
            {"source": "p", "title": "Notes", "text": "Edith Marlow was born in Valdora in 1890."},
            {"source": "q", "title": "Papers", "text": "Edith Marlow was born in Ghent in 1890."},
        )
        yield opened


def test_numbers_of_two_sources(kb):
    (found,) = kb.ask(RENT).contradictions
    assert found.kind is ContradictionKind.NUMBER
    assert (found.preferred.value, found.other.value) == ("950", "900")
    assert (found.preferred.source, found.other.source) == ("new", "old")
    assert found.preferred.snippet == SAID.format(950)
    assert found.reason is Preference.RECENCY


def test_values_of_a_relation_that_has_one(kb):
    found = [
        each
        for each in kb.ask("Where was Edith Marlow born?").contradictions
        if each.kind is ContradictionKind.VALUE
    ]
    assert {each.subject for each in found} == {"Edith Marlow"}
    assert {found[0].preferred.value, found[0].other.value} == {"Valdora", "Ghent"}
    assert {found[0].preferred.source, found[0].other.source} == {"p", "q"}


def test_they_are_shown_in_json_and_as_text(kb):
    answer = kb.ask(RENT)
    written: Any = answer_json(answer)
    written = written["contradictions"][0]
    assert (written["kind"], written["reason"]) == ("number", "recency")
    lines = list(contradiction_lines(answer.contradictions))
    assert lines[0] == "Sources disagree"
    assert "950" in lines[1]
    assert "it is newer" in lines[1]
    assert "900" in lines[2]


def test_they_can_be_switched_off(tmp_path):
    settings = Settings(answer=AnswerSettings(contradictions=False))
    with Clew.open(tmp_path / "kb.clew", settings=settings) as opened:
        opened.add({"source": "a", "text": SAID.format(1)}, {"source": "b", "text": SAID.format(2)})
        assert opened.ask(RENT).contradictions == ()
