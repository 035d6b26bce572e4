from __future__ import annotations

from collections.abc import Callable

import pytest

from clew.core.documents import Span
from clew.core.extraction import Extraction
from clew.core.knowledge import NodeType
from clew.knowledge.rules.abbreviations import abbreviations
from clew.knowledge.rules.brackets import birth_places, without_asides

Extract = Callable[..., Extraction]


def surfaces(extraction: Extraction, kind: NodeType) -> set[str]:
    return {name.surface for name in extraction.names if name.kind is kind}


def test_values_are_no_nodes(extract: Extract) -> None:
    extraction = extract("In 1984 Apple sold 72,000 computers for 2.5 million dollars on Monday.")

    assert surfaces(extraction, NodeType.ENTITY) == {"Apple"}
    assert all("1984" not in name.surface for name in extraction.names)


def test_names_carry_their_label(extract: Extract) -> None:
    labels = {name.surface: name.label for name in extract("Angela Merkel visited France.").names}

    assert labels["Angela Merkel"] == "PERSON"
    assert labels["France"] == "GPE"


def test_events_and_measures_have_their_kind(extract: Extract) -> None:
    text = "World War II ended in Europe. The annual revenue rose sharply in Germany."

    extraction = extract(text)

    assert surfaces(extraction, NodeType.EVENT) == {"World War II"}
    assert surfaces(extraction, NodeType.METRIC) == {"annual revenue"}


def test_concepts_drop_determiners_and_vague_adjectives(extract: Extract) -> None:
    extraction = extract("The small immune system attacks the other nerve cells.")

    assert surfaces(extraction, NodeType.CONCEPT) == {"immune system", "nerve cells"}


def test_an_abbreviation_names_what_it_stands_for(extract: Extract) -> None:
    extraction = extract("The World Health Organization (WHO) met in Geneva.")

    short = next(name for name in extraction.names if name.surface == "WHO")
    assert short.alias_of == "World Health Organization"
    assert "World Health Organization" in surfaces(extraction, NodeType.ENTITY)


@pytest.mark.parametrize(
    ("text", "short", "full"),
    [
        ("the World Health Organization (WHO)", "WHO", "World Health Organization"),
        ("the Bank of England (BoE)", "BoE", "Bank of England"),
        ("the Food and Drug Administration (FDA)", "FDA", "Food and Drug Administration"),
        ("NATO (North Atlantic Treaty Organization)", "NATO", "North Atlantic Treaty Organization"),
        ("a Ministério da Saúde (MS)", "MS", "Ministério da Saúde"),
    ],
)
def test_abbreviations_spell_the_initials(text: str, short: str, full: str) -> None:
    (found,) = abbreviations(text)

    assert (found.short, found.full) == (short, full)
    assert text[found.short_span.start : found.short_span.end] == short
    assert text[found.full_span.start : found.full_span.end] == full


@pytest.mark.parametrize(
    "text", ["London (UK)", "the film (see below)", "a (b)", "Paris Hilton (IBM)", "()", "(WHO)"]
)
def test_brackets_that_spell_nothing_are_no_abbreviations(text: str) -> None:
    assert list(abbreviations(text)) == []


def test_the_opening_subject_is_another_name_of_the_page(extract: Extract) -> None:
    text = "Colin Alexander Patterson is a Canadian hockey player."

    extraction = extract(text, title="Colin Patterson (ice hockey)")

    name = next(n for n in extraction.names if n.surface == "Colin Alexander Patterson")
    assert name.alias_of == "Colin Patterson (ice hockey)"


def test_another_opening_subject_is_not(extract: Extract) -> None:
    extraction = extract("Paris is a city.", title="Berlin")

    assert all(name.alias_of is None for name in extraction.names)


def test_asides_are_blanked_in_place() -> None:
    text = "Ada (born 2 May 1943) met the United Nations (UN) in Rome (Italian: Roma)."

    blank = without_asides(text)

    assert len(blank) == len(text)
    assert blank.split() == "Ada met the United Nations (UN) in Rome .".split()
    assert blank[text.index("met") :].startswith("met")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Raye Birk (born May 27, 1943, Flint, Michigan) is", "Flint"),
        ("Nuno Diogo (born 13 June 1981 in Lisbon) is", "Lisbon"),
    ],
)
def test_birth_places_are_read_in_brackets(text: str, place: str) -> None:
    (birth,) = birth_places(text)

    assert birth.place == place
    start = text.index(place)
    assert birth.span == Span(start, start + len(place))


@pytest.mark.parametrize(
    "text", ["Ada (born 2 May 1943) is", "Ada (born May 1943) is", "Ada (1943)"]
)
def test_birth_dates_are_no_places(text: str) -> None:
    assert list(birth_places(text)) == []


HOSTILE = {
    "empty": "",
    "blank": " \n\t ",
    "emoji": "🙂🙂🙂 👍🏽 🏳️‍🌈",
    "digits": "12345 67890 2020 3.14 42 " * 50,
    "punctuation": "?!.,;:()[]{}\"'" * 40,
    "no punctuation": "Alice saw Bob and the old red house near Rome " * 1000,
    "quotes": '"' * 501,
    "brackets": "(" * 300 + "born 1943" + ")" * 300,
    "controls": "Alice\x00 met\x1f Bob\u202e in\ufeff Rome.",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_gives_sound_extractions(name: str, extract: Extract) -> None:
    text = HOSTILE[name]

    extraction = extract(text, title="Alice")

    for found in extraction.names:
        assert text[found.span.start : found.span.end] == found.surface
    for triple in extraction.triples:
        assert 0 <= triple.span.start < triple.span.end <= len(text)
    for claim in extraction.claims:
        assert text[claim.span.start : claim.span.end] == claim.text


@pytest.mark.parametrize("name", ["empty", "blank", "emoji", "punctuation"])
def test_text_without_words_states_nothing(name: str, extract: Extract) -> None:
    extraction = extract(HOSTILE[name])

    assert extraction.triples == ()
    assert extraction.claims == ()


def test_only_digits_name_nothing(extract: Extract) -> None:
    assert extract(HOSTILE["digits"]).names == ()
