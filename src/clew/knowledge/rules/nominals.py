"""Triples without a full verb: copulas, appositions, roles, possessives, nouns with prepositions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clew.core.extraction import Triple
from clew.knowledge.rules import confidence
from clew.knowledge.rules.clauses import read_clause
from clew.knowledge.rules.draft import IS_A, draft_triple, governing_verb
from clew.knowledge.rules.passage import Argument, Passage
from clew.knowledge.rules.vocabulary import PLACE_LABELS, ROLE_MODIFIERS

_ROLE_PREPOSITIONS = frozenset("of in for at from by with to on between near".split())
_WHOLES = ("cause", "part", "member")
_NAME_PREPOSITIONS = frozenset("of in at near by from".split())


def nominal_triples(passage: Passage) -> Iterator[Triple]:
    """Yield what copulas, appositions, possessives and prepositions after nouns state."""
    tokens = passage.tree.tokens
    for index, token in enumerate(tokens):
        if index in passage.said_of:
            yield from _said_of_triples(passage, index, passage.said_of[index])
        if token.dep == "poss":
            yield from _possessive_triples(passage, index)
        elif token.dep == "prep" and token.text.lower() in _NAME_PREPOSITIONS:
            yield from _noun_preposition_triples(passage, index)
        elif token.dep in ("compound", "nmod") and index in passage.names:
            yield from _compound_name_triples(passage, index)


def _said_of_triples(passage: Passage, predicate: int, subject: int) -> Iterator[Triple]:
    """Yield IS_A, and the roles that the predicate noun states: "director of Z"."""
    tree = passage.tree
    token = tree.tokens[predicate]
    verb = next(
        (end for end in (token.head, tree.tokens[subject].head) if _is_copula(passage, end)), None
    )
    clause = read_clause(passage, verb) if verb is not None else None
    negated = clause is not None and clause.negated
    factors = clause.factors if clause is not None else ()
    base = confidence.COPULA if verb is not None else confidence.APPOSITION
    changed = verb is not None and tree.tokens[verb].lemma.lower() != "be"
    words = tree.tokens[verb].text.lower() if changed and verb is not None else ""
    for position, noun in enumerate(_joined(passage, subject)):
        argument = _lowered(passage.argument(noun), position)
        yield from draft_triple(
            passage,
            argument,
            passage.concept(predicate),
            words=words or "is a",
            lemmas="",
            base=base,
            factors=factors,
            negated=negated,
            verb=verb,
            stated=None if words else IS_A,
        )
        yield from _role_triples(passage, argument, predicate, factors, words, negated=negated)


def _joined(passage: Passage, subject: int) -> list[int]:
    """Return the subject with its conjuncts that are no predicate of it themselves."""
    return [noun for noun in passage.conjuncts(subject) if noun not in passage.said_of]


def _lowered(argument: Argument | None, position: int) -> Argument | None:
    if argument is None or position == 0:
        return argument
    return replace(argument, certainty=argument.certainty * confidence.CONJUNCT)


def _is_copula(passage: Passage, token: int) -> bool:
    return passage.tree.tokens[token].lemma.lower() in ("be", "become", "remain")


def _role_triples(
    passage: Passage,
    subject: Argument | None,
    noun: int,
    factors: tuple[float, ...],
    words: str,
    *,
    negated: bool,
) -> Iterator[Triple]:
    """Yield (X, DIRECTOR_OF, Z) where X is said to be director of Z, or Z's director."""
    tree = passage.tree
    role = _role(passage, noun)
    if not role.replace(" ", "").replace("-", "").isalpha():
        return
    lead = f"{words} {role}".strip()
    for preposition in tree.select(noun, "prep"):
        name = tree.tokens[preposition].text.lower()
        if name not in _ROLE_PREPOSITIONS:
            continue
        for child in tree.select(preposition, "pobj"):
            for position, inner in enumerate(passage.conjuncts(child)):
                argument = _lowered(passage.argument(inner), position)
                if argument is None or not (argument.named or role in _WHOLES):
                    continue
                yield from draft_triple(
                    passage,
                    subject,
                    argument,
                    words=f"{lead} {name}",
                    lemmas=f"{role} {name}",
                    base=confidence.ROLE,
                    factors=factors,
                    negated=negated,
                )
    for owner in tree.select(noun, "poss"):
        yield from draft_triple(
            passage,
            subject,
            passage.argument(owner),
            words=f"{lead} of",
            lemmas=f"{role} of",
            base=confidence.POSSESSIVE,
            factors=factors,
            negated=negated,
        )


def _role(passage: Passage, noun: int) -> str:
    """Return the role with what belongs to it: "vice president"."""
    tokens = passage.tree.tokens
    first = noun
    while first > 0 and noun - first < 2:
        before = tokens[first - 1]
        compound = before.dep == "compound" and before.pos == "NOUN" and before.head == noun
        if not compound and before.text.lower() not in ROLE_MODIFIERS:
            break
        if first - 1 in passage.names:
            break
        first -= 1
    return " ".join(token.text.lower() for token in tokens[first : noun + 1])


def _possessive_triples(passage: Passage, owner: int) -> Iterator[Triple]:
    """Yield (Y, MOTHER_OF, X) for "X's mother, Y", and for "X's mother Y" read as one phrase."""
    tree = passage.tree
    noun = tree.tokens[owner].head
    argument = passage.argument(owner)
    if argument is None or noun in passage.said_of:
        return
    named = passage.names.get(noun)
    role = next(
        (
            child
            for child in tree.select(noun, "compound", "nmod", "appos")
            if named is not None
            and child > owner
            and tree.tokens[child].pos == "NOUN"
            and child not in passage.names
            and tree.tokens[child].text.islower()
        ),
        None,
    )
    if named is None or role is None:
        return
    yield from draft_triple(
        passage,
        passage.argument(noun),
        argument,
        words=f"{tree.tokens[role].text} of",
        lemmas=f"{tree.tokens[role].lemma} of",
        base=confidence.POSSESSIVE,
    )


def _noun_preposition_triples(passage: Passage, preposition: int) -> Iterator[Triple]:
    """Yield (X, IN, Y) for two names joined by a preposition, and authorship by "by"."""
    tree = passage.tree
    noun = tree.tokens[preposition].head
    word = tree.tokens[preposition].text.lower()
    subject = passage.argument(noun)
    if subject is None or noun in passage.said_of or noun in passage.stands_for:
        return
    if not subject.named or (subject.phrase is not None and preposition < subject.phrase.last):
        return
    for child in tree.select(preposition, "pobj"):
        other = passage.argument(child)
        if other is None or not other.named or other.phrase is subject.phrase:
            continue
        if word == "by" and other.label not in ("PERSON", "ORG", None):
            continue
        yield from draft_triple(
            passage,
            subject,
            other,
            words=word,
            lemmas=word if word == "by" else f"noun {word}",
            base=confidence.ROLE,
            verb=governing_verb(passage, noun) if word == "by" else None,
        )


def _compound_name_triples(passage: Passage, index: int) -> Iterator[Triple]:
    """Yield (Reznor, FRONTMAN_OF, Nails) for "Reznor, Nails frontman"; places give IN."""
    tree = passage.tree
    noun = tree.tokens[index].head
    named = passage.names[index]
    if noun in passage.names or noun not in passage.said_of or named.label in ("NORP", None):
        return
    if named.head != index:
        return
    word = "in" if named.label in PLACE_LABELS else "of"
    yield from draft_triple(
        passage,
        passage.subject(noun),
        passage.argument(index),
        words=f"{_role(passage, noun)} {word}",
        lemmas="",
        base=confidence.ROLE,
        factors=(confidence.INHERITED,),
    )
