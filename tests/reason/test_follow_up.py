"""Follow-ups made full questions by rules."""

from datetime import UTC, datetime

import pytest

from clew.core.conversation import NamedThing, Turn
from clew.reason.follow_up import full_question, leans_on_history
from clew.text.name_phrases import name_phrases

PEOPLE = {"Rita Vale", "Ada Moreau", "Ada"}


def names(text):
    return tuple(NamedThing(name, name in PEOPLE) for name in name_phrases(text))


def turn(question, answer="", *, answered=True):
    return Turn(question, question, answer, answered, datetime(2026, 1, 1, tzinfo=UTC))


BRIDGE = turn("Who designed the Tamega Bridge?", "It was designed by Rita Vale. [1]")
ACME = turn("Who leads Acme Corp?", "Ada Moreau leads Acme Corp. [1]")
PORTUGUESE = turn("Quem projetou a Ponte do Tâmega?", "Foi projetada por Rita Vale. [1]")


@pytest.mark.parametrize(
    ("question", "leans"),
    [
        ("When was she born?", True),
        ("And in 1999?", True),
        ("What about Beta Labs?", True),
        ("How long is the bridge?", True),
        ("When did Ada Moreau leave her company?", False),
        ("Is it true that Acme Corp sells ropes?", False),
        ("Who leads Beta Labs?", False),
        ("What happened in 1984?", False),
        ("Quando ela nasceu?", True),
        ("E em 1999?", True),
    ],
)
def test_a_question_leans_on_history_or_stands_alone(question, leans):
    assert leans_on_history(question, names) is leans


@pytest.mark.parametrize(
    ("last", "question", "full"),
    [
        (BRIDGE, "Where was she born?", "Where was Rita Vale born?"),
        (BRIDGE, "When was it opened?", "When was Tamega Bridge opened?"),
        (BRIDGE, "How long is the bridge?", "How long is the Tamega Bridge?"),
        (BRIDGE, "Who was her teacher?", "Who was Rita Vale's teacher?"),
        (BRIDGE, "Who taught her?", "Who taught Rita Vale?"),
        (BRIDGE, "What is its length?", "What is Tamega Bridge's length?"),
        (ACME, "What about Beta Labs?", "Who leads Beta Labs?"),
        (ACME, "And Beta Labs?", "Who leads Beta Labs?"),
        (ACME, "And in 1999?", "Who leads Acme Corp in 1999?"),
        (turn("Who led Acme in 1999?"), "And in 2005?", "Who led Acme in 2005?"),
        (
            turn("How are Acme and Beta Labs connected?", "Acme bought Beta Labs. [1]"),
            "When were they founded?",
            "When were Acme and Beta Labs founded?",
        ),
        (ACME, "How many employees are there?", "How many employees are there? (Acme Corp)"),
        (PORTUGUESE, "Onde ela nasceu?", "Onde Rita Vale nasceu?"),
        (PORTUGUESE, "Qual é a idade dela?", "Qual é a idade de Rita Vale?"),
        (PORTUGUESE, "Quando foi inaugurada?", "Quando foi inaugurada? (Ponte do Tâmega)"),
        (
            turn("Quem dirige a Acme?", "Ada dirige a Acme. [1]"),
            "E a Beta?",
            "Quem dirige a Beta?",
        ),
    ],
)
def test_what_is_left_out_comes_from_the_last_turn(last, question, full):
    assert full_question(question, last, names) == full


def test_an_abstention_gives_no_names():
    silent = turn("Who designed the Tamega Bridge?", "Ask Rita Vale.", answered=False)
    assert full_question("Where was she born?", silent, names) == "Where was Tamega Bridge born?"


def test_without_names_there_is_nothing_to_fill_in():
    assert full_question("And then?", turn("what is a rope?"), names) == "And then?"
