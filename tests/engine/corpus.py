"""A small collection in which names recur under several spellings, over many documents."""

from __future__ import annotations

import random

COMPANIES = (
    "Acme Corp",
    "Beta Labs",
    "Gamma Partners",
    "Delta Works",
    "Epsilon Rail",
    "Zeta Mills",
)
SPELLINGS = {
    "Acme Corp": ("ACME", "Acme Corporation", "Acme Corp"),
    "Beta Labs": ("Beta Labs Ltd", "The Beta Labs", "BETA Labs"),
}
PEOPLE = ("Ada Moreau", "Bob Singh", "Cleo Tanaka", "Ada Silva")
PLACES = ("Lisbon", "Porto", "Ghent", "Turku")
VERBS = ("acquired", "sued", "supplies", "caused losses at", "invested in")


LONG = "Royal Harbour Trade Fishing Navigation Salvage Pilot Rescue Insurance Customs"
"""Begins names of eleven words that differ in one: near enough to be merged by their vectors."""


def corpus(documents: int = 14, seed: int = 7) -> list[dict[str, object]]:
    """Return records with source, title and text; half of the titles are names of things."""
    chance = random.Random(seed)
    return [_document(number, chance) for number in range(documents)]


def _document(number: int, chance: random.Random) -> dict[str, object]:
    named = number % 2 == 0
    subject = (*COMPANIES, *PEOPLE, *PLACES)[number // 2 % 14] if named else f"Notes {number}"
    sentences = [_sentence(chance) for _ in range(chance.randint(4, 9))]
    if chance.random() < 0.3:
        sentences.insert(1, "The Harbour Safety Board (HSB) met in Ghent.")
        sentences.append("Later HSB sued Delta Works.")
    return {"source": f"doc-{number:03}", "title": subject, "text": " ".join(sentences)}


def _sentence(chance: random.Random) -> str:
    first, second = chance.sample(COMPANIES, 2)
    first = chance.choice(SPELLINGS.get(first, (first,)))
    second = chance.choice(SPELLINGS.get(second, (second,)))
    person = chance.choice(PEOPLE)
    return chance.choice(
        (
            f"{first} {chance.choice(VERBS)} {second} in {chance.randint(1990, 2020)}.",
            f"{person} leads {first} from {chance.choice(PLACES)}.",
            f"{person.split()[1]} left {second}. {person} lives in {chance.choice(PLACES)}.",
            f"{LONG} {chance.choice(('Council', 'Board', 'Society'))} sued {second}.",
            f"{first} Unit {chance.randint(1, 40)} works with {second}.",
        )
    )
