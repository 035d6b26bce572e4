import pytest

from clew.core.documents import Span
from clew.exchange.places import name_span, relation_between, statement_span

TEXT = "Intro. The acme  corp grew.\nLater Acme Corp bought Beta. Beta sells."


def test_names_are_found_whatever_their_case_and_blanks():
    assert name_span(TEXT, "ACME CORP") == Span(11, 21)
    assert name_span(TEXT, "Bet") is None
    assert name_span(TEXT, " ") is None
    assert name_span("C++ and C", "C++") == Span(0, 3)


def test_the_first_sentence_with_both_names_states_the_relation():
    span = statement_span(TEXT, "Acme Corp", "BETA")
    assert TEXT[span.start : span.end] == "Later Acme Corp bought Beta."
    assert statement_span(TEXT, "Acme Corp", "Gamma") == Span(0, len(TEXT))


@pytest.mark.parametrize(
    ("description", "keywords", "relation"),
    [
        ("Acme acquired Beta in 2020.", ("trade",), ("ACQUIRED", True)),
        ("Beta was sold by ACME.", (), ("WAS_SOLD_BY", False)),
        ("Acme, which is old, owns Beta", ("ownership of firms",), ("OWNERSHIP_OF_FIRMS", True)),
        ("Acme sent six men over the sea to Beta", (), ("RELATED_TO", True)),
        ("Both are old", (), ("RELATED_TO", True)),
        ("Acme Beta", (), ("RELATED_TO", True)),
        ("", ("one two three four five six", "risk"), ("RISK", True)),
    ],
)
def test_the_relation_is_what_stands_between_the_names(description, keywords, relation):
    assert relation_between((description,), keywords, "Acme", "Beta") == relation


def test_the_first_description_that_says_it_counts():
    told = ("Both are old", "Beta pays Acme", "Acme owns Beta")
    assert relation_between(told, (), "Acme", "Beta") == ("PAYS", False)
