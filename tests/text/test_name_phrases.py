"""Names by their capitals."""

import pytest

from clew.text.name_phrases import name_phrases


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who leads Acme Corp?", ("Acme Corp",)),
        ("Is Acme part of Beta Labs?", ("Acme", "Beta Labs")),
        ("When was she born?", ()),
        ("Price?", ()),
        ("Acme Corp: who leads it?", ("Acme Corp",)),
        ("Quem projetou a Ponte da Arrábida?", ("Ponte da Arrábida",)),
        ("Where did Ludwig van Beethoven live?", ("Ludwig van Beethoven",)),
        ("Who flew on Apollo 11 in 1969?", ("Apollo 11",)),
        ("Acme sells ropes. It was founded by Ada Moreau.", ("Acme", "Ada Moreau")),
        ("What is Acme's price, and Acme's age?", ("Acme",)),
        ("Compare Acme and Beta.", ("Acme", "Beta")),
        ("", ()),
    ],
)
def test_runs_of_capitals_are_names(text, names):
    assert name_phrases(text) == names
