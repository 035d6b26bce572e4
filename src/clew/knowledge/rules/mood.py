"""How a clause is meant: denied, hedged, or reported from somebody."""

from __future__ import annotations

from clew.knowledge.rules import confidence
from clew.knowledge.rules.passage import Passage
from clew.knowledge.rules.vocabulary import (
    HEDGES,
    HEDGING_ADVERBS,
    NEGATIONS,
    REPORTING_VERBS,
)

_MAX_CLIMB = 6


def is_negated(passage: Passage, verb: int, subjects: list[int]) -> bool:
    """Return whether a verb is denied, or said of "no company"."""
    tree = passage.tree
    if any(
        tree.tokens[child].dep == "neg" or tree.tokens[child].text.lower() in NEGATIONS
        for child in tree.children[verb]
    ):
        return True
    longer = any(
        tree.tokens[child].text.lower() == "longer" and tree.children[child]
        for child in tree.select(verb, "advmod")
    )
    return longer or any(is_denied_noun(passage, subject) for subject in subjects)


def is_denied_noun(passage: Passage, noun: int) -> bool:
    """Return whether a noun is denied: "no company", "neither firm"."""
    tree = passage.tree
    return any(
        tree.tokens[child].text.lower() in ("no", "neither")
        for child in tree.select(noun, "det", "preconj", "cc", "neg")
    )


def mood_factors(passage: Passage, verb: int) -> list[float]:
    """Return the factors of a hedged or reported statement."""
    tree = passage.tree
    factors: list[float] = []
    current = verb
    for _ in range(_MAX_CLIMB):
        if is_hedged(passage, current):
            factors.append(confidence.HEDGED)
            break
        token = tree.tokens[current]
        if token.dep not in ("xcomp", "conj") or token.head == current:
            break
        current = token.head
    if is_reported(passage, verb):
        factors.append(confidence.REPORTED)
    return factors


def is_hedged(passage: Passage, verb: int) -> bool:
    """Return whether a verb is said to be only possible."""
    tree = passage.tree
    return any(
        (token.dep == "aux" and token.text.lower() in HEDGES)
        or (token.dep == "advmod" and token.text.lower() in HEDGING_ADVERBS)
        for token in (tree.tokens[child] for child in tree.children[verb])
    )


def is_reported(passage: Passage, verb: int) -> bool:
    """Return whether a verb stands in reported speech or beside "according to"."""
    tree = passage.tree
    current = verb
    for _ in range(_MAX_CLIMB):
        for child in tree.select(current, "prep"):
            if tree.tokens[child].text.lower() == "according":
                return True
        token = tree.tokens[current]
        above = tree.tokens[token.head]
        if token.dep == "ccomp" and above.lemma.lower() in REPORTING_VERBS:
            return True
        if token.head == current or token.dep not in ("conj", "xcomp", "ccomp", "advcl"):
            return False
        current = token.head
    return False
