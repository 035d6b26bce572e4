from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from clew.core.extraction import Extraction
from clew.core.knowledge import NO_PERIOD, Period

Extract = Callable[..., Extraction]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Microsoft acquired GitHub.", "stated"),
        ("Microsoft did not acquire Yahoo.", "denied"),
        ("Microsoft may acquire Discord.", "hedged"),
        ("The ministry said that the plant leaked.", "reported"),
        ("According to Reuters, the plant leaked.", "reported"),
        ("Acme might not pay the fine.", "hedged"),
    ],
)
def test_status(sentence: str, status: str, extract: Extract) -> None:
    (claim,) = extract(sentence).claims

    assert claim.status == status
    assert claim.text == sentence


def test_a_claim_has_its_subjects_and_dates(extract: Extract) -> None:
    text = "Google was founded in 1998. Larry Page and Sergey Brin led Google."

    first, second = extract(text).claims

    assert first.subjects == ("Google",)
    assert first.period == Period(occurred_at=datetime(1998, 1, 1, tzinfo=UTC))
    assert second.subjects == ("Larry Page", "Sergey Brin")
    assert second.period == NO_PERIOD
    assert text[second.span.start : second.span.end] == second.text


def test_questions_and_fragments_state_nothing(extract: Extract) -> None:
    assert extract("Who founded Google?").claims == ()
    assert extract("A small town in Kansas").claims == ()


def test_each_verb_has_its_own_date(extract: Extract) -> None:
    text = "Marie Curie was born in Warsaw in 1867 and died in Passy in 1934."

    periods = {triple.relation: triple.period for triple in extract(text).triples}

    assert periods["BORN_IN"] == Period(occurred_at=datetime(1867, 1, 1, tzinfo=UTC))
    assert periods["DIED_IN"] == Period(occurred_at=datetime(1934, 1, 1, tzinfo=UTC))


def test_a_period_is_half_open(extract: Extract) -> None:
    (triple,) = extract("Ulysses Grant led the United States from 1869 to 1877.").triples

    assert triple.period == Period(
        valid_from=datetime(1869, 1, 1, tzinfo=UTC), valid_to=datetime(1878, 1, 1, tzinfo=UTC)
    )


def test_dates_of_life_in_brackets_date_no_statement(extract: Extract) -> None:
    (triple,) = extract("Joseph Stella (13 June 1877 - 5 November 1946) was a painter.").triples

    assert triple.period == NO_PERIOD
