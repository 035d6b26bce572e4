"""Triples of verbs: active and passive, prepositional objects, relative and inherited subjects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from clew.core.extraction import Triple
from clew.knowledge.rules import confidence
from clew.knowledge.rules.draft import draft_triple
from clew.knowledge.rules.mood import is_denied_noun, is_negated, mood_factors
from clew.knowledge.rules.passage import Argument, Passage
from clew.knowledge.rules.predicates import name_before
from clew.knowledge.rules.vocabulary import OFFICE_VERBS, RELATIVE_PRONOUNS

_AUXILIARY = ("aux", "auxpass")
_SUBJECTS = ("nsubj", "nsubjpass")
_NO_RELATION = ("according", "including")
_MAX_CLIMB = 6


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb with its subjects. `factors` lower the confidence of all its triples."""

    verb: int
    subjects: tuple[Argument, ...]
    passive: bool
    negated: bool
    base: float
    factors: tuple[float, ...]
    gap: int | None


def clauses(passage: Passage) -> Iterator[Clause]:
    """Yield each verb that has a subject of its own or takes one over."""
    for index, token in enumerate(passage.tree.tokens):
        if token.pos not in ("VERB", "AUX") or token.dep in (*_AUXILIARY, "amod", "compound"):
            continue
        if index in passage.names or (token.dep == "acl" and token.tag == "VB"):
            continue
        clause = read_clause(passage, index)
        if clause is not None:
            yield clause


def verb_triples(passage: Passage) -> Iterator[Triple]:
    """Yield the triples that verbs state, copulas with nouns left to `nominals`."""
    for clause in clauses(passage):
        yield from _object_triples(passage, clause)
        yield from _preposition_triples(passage, clause)


def read_clause(passage: Passage, verb: int) -> Clause | None:
    """Return the clause of a verb, None where no subject is found.

    A verb without a subject takes the one of the verb it is joined to or depends on ("founded A
    and sold B", "began to sell"); a participle or relative clause that of its noun.
    """
    tree = passage.tree
    passive = _is_passive(passage, verb)
    factors: list[float] = [*mood_factors(passage, verb)]
    base, gap, current = confidence.DIRECT, None, verb
    subjects: list[int] = []
    for _ in range(_MAX_CLIMB):
        token = tree.tokens[current]
        subjects = list(tree.select(current, *_SUBJECTS))
        noun = token.head if token.dep in ("relcl", "acl") else None
        if not subjects and token.dep in ("ROOT", "ccomp", "conj"):
            before = name_before(tree, passage.names, current)
            subjects = [before] if before is not None else []
        if subjects:
            relative = tree.tokens[subjects[0]].text.lower() in RELATIVE_PRONOUNS
            if noun is not None:
                base = confidence.RELATIVE
                gap = noun if not relative and _has_gap(passage, verb, current) else None
            if relative:
                subjects = [noun] if noun is not None else []
            break
        if noun is not None:
            base, subjects = confidence.RELATIVE, [noun]
            break
        if token.dep == "conj" and tree.tokens[token.head].pos in ("VERB", "AUX"):
            current = token.head
        elif token.dep in ("xcomp", "advcl", "ccomp") and token.head != current:
            if token.dep == "xcomp" and (helped := tree.child(token.head, "dobj")) is not None:
                subjects = [helped]
                break
            if token.dep == "ccomp" or not _is_reduced(passage, current):
                return None
            current = token.head
        elif token.dep == "pcomp":
            current = tree.tokens[token.head].head
        else:
            return None
        factors.append(confidence.INHERITED)
    found = tuple(_subjects(passage, subjects))
    if not found:
        return None
    negated = is_negated(passage, verb, subjects)
    return Clause(verb, found, passive, negated, base, tuple(factors), gap)


def _has_gap(passage: Passage, verb: int, clause: int) -> bool:
    """Return whether a relative clause's noun is the object of its verb: "which X founded"."""
    tree = passage.tree
    placed = any(
        tree.tokens[child].text.lower() in ("where", "when", "why")
        for child in tree.select(verb, "advmod")
    )
    return verb == clause and tree.tokens[verb].lemma != "be" and not placed


def _subjects(passage: Passage, tokens: list[int]) -> Iterator[Argument]:
    for token in tokens:
        for position, noun in enumerate(passage.conjuncts(token)):
            argument = passage.subject(noun)
            if argument is not None:
                yield _conjunct(argument, position)


def _conjunct(argument: Argument, position: int) -> Argument:
    if position == 0:
        return argument
    return replace(argument, certainty=argument.certainty * confidence.CONJUNCT)


def _object_triples(passage: Passage, clause: Clause) -> Iterator[Triple]:
    tree = passage.tree
    objects = list(tree.select(clause.verb, "dobj", "oprd"))
    if not objects and (sharer := _sharer(passage, clause.verb)) is not None:
        objects = list(tree.select(sharer, "dobj"))
    if not objects and clause.gap is not None and not clause.passive:
        objects = [clause.gap]
    words, lemmas = _verb_words(passage, clause)
    for place in objects:
        relative = tree.tokens[place].text.lower() in RELATIVE_PRONOUNS
        noun = clause.gap if relative and clause.gap is not None else place
        negated = clause.negated or is_denied_noun(passage, noun)
        yield from _each(passage, clause, noun, words, lemmas, clause.base, negated=negated)


def _preposition_triples(passage: Passage, clause: Clause) -> Iterator[Triple]:
    tree = passage.tree
    words, lemmas = _verb_words(passage, clause)
    beside = tree.child(clause.verb, "dobj", "attr") is not None
    base = confidence.PREPOSITION_BESIDE_OBJECT if beside else confidence.PREPOSITION
    if tree.child(clause.verb, "dobj") is not None and " rise" not in lemmas:
        # "led the team to the title" is not "led to the title".
        lemmas = f"{lemmas} something"
    complement = tree.child(clause.verb, "acomp", "attr")
    if complement is not None and tree.tokens[clause.verb].lemma == "be":
        words = lemmas = tree.tokens[complement].text.lower()
        lemmas = f"be {words}"
        if complement in passage.names or not words.isalpha():
            return
    prepositions = list(tree.select(clause.verb, "prep", "agent"))
    if not prepositions and (sharer := _sharer(passage, clause.verb)) is not None:
        prepositions = list(tree.select(sharer, "agent"))
    for preposition in prepositions:
        fronted = preposition < clause.verb and tree.tokens[clause.verb].lemma == "be"
        if fronted or tree.tokens[preposition].text.lower() in _NO_RELATION:
            continue
        agent = tree.tokens[preposition].dep == "agent" or (
            clause.passive and tree.tokens[preposition].text.lower() == "by"
        )
        for last, noun in _objects(passage, preposition):
            between = _preposition_words(passage, preposition, last)
            yield from _each(
                passage,
                clause,
                noun,
                f"{words} {between}",
                f"{lemmas} {between}",
                clause.base if agent else min(base, clause.base),
                negated=clause.negated,
            )
    yield from _adjective_triples(passage, clause, words)
    yield from _direction_triples(passage, clause, words)


def _sharer(passage: Passage, verb: int) -> int | None:
    """Return the last verb of "wrote, produced and directed F", whose object is everyone's."""
    tree = passage.tree
    if tree.child(verb, "dobj", "prep", "agent", "attr", "ccomp", "xcomp", "acomp") is not None:
        return None
    current = verb
    for _ in range(_MAX_CLIMB):
        joined = tree.child(current, "conj")
        if joined is None or tree.child(joined, *_SUBJECTS) is not None:
            return current if current != verb else None
        current = joined
    return None


def _adjective_triples(passage: Passage, clause: Clause, words: str) -> Iterator[Triple]:
    """Yield "is similar to Y" as SIMILAR_TO."""
    tree = passage.tree
    for adjective in tree.select(clause.verb, "acomp"):
        plain = tree.tokens[clause.verb].pos == "AUX"
        for preposition in tree.select(adjective, "prep"):
            for last, noun in _objects(passage, preposition):
                end = _preposition_words(passage, preposition, last)
                said = f"{tree.tokens[adjective].text.lower()} {end}"
                yield from _each(
                    passage,
                    clause,
                    noun,
                    said if plain else f"{words} {said}",
                    f"{tree.tokens[clause.verb].lemma} {said}",
                    confidence.PREPOSITION,
                    negated=clause.negated,
                )


def _direction_triples(passage: Passage, clause: Clause, words: str) -> Iterator[Triple]:
    """Yield "lies 20 km northwest of Y" as LIES_NORTHWEST_OF."""
    tree = passage.tree
    for adverb in tree.select(clause.verb, "advmod", "npadvmod"):
        for preposition in tree.select(adverb, "prep"):
            for last, noun in _objects(passage, preposition):
                if noun in passage.names:
                    said = f"{tree.tokens[adverb].text.lower()} "
                    said += _preposition_words(passage, preposition, last)
                    yield from _each(
                        passage,
                        clause,
                        noun,
                        f"{words} {said}",
                        said,
                        confidence.PREPOSITION_BESIDE_OBJECT,
                        negated=clause.negated,
                    )


def _each(
    passage: Passage,
    clause: Clause,
    place: int,
    words: str,
    lemmas: str,
    base: float,
    *,
    negated: bool,
) -> Iterator[Triple]:
    """Yield one triple for each pair of subject and object."""
    for position, noun in enumerate(passage.conjuncts(place)):
        said = [(passage.argument(noun), words, lemmas), (passage.within(noun), words, lemmas)]
        if passage.tree.tokens[clause.verb].lemma.lower() in OFFICE_VERBS:
            said += _office_of(passage, noun, words)
        for argument, words_here, lemmas_here, subject in (
            (argument, words_here, lemmas_here, subject)
            for argument, words_here, lemmas_here in said
            if argument is not None
            for subject in clause.subjects
        ):
            yield from draft_triple(
                passage,
                subject,
                _conjunct(argument, position),
                words=words_here,
                lemmas=lemmas_here,
                base=base,
                factors=clause.factors,
                negated=negated,
                verb=clause.verb,
            )


def _office_of(passage: Passage, noun: int, words: str) -> list[tuple[Argument | None, str, str]]:
    """Return Rome with SERVED_AS_MAYOR_OF for "served as mayor of Rome"."""
    tree = passage.tree
    office = tree.tokens[noun].text.lower()
    if noun in passage.names or not office.isalpha():
        return []
    said = f"{words} {office} of"
    return [
        (passage.argument(inner), said, said)
        for preposition in tree.select(noun, "prep")
        if tree.tokens[preposition].text.lower() == "of"
        for inner in tree.select(preposition, "pobj")
        if inner in passage.names
    ]


def _objects(passage: Passage, preposition: int) -> Iterator[tuple[int, int]]:
    """Yield (last preposition, object): "out of Rome" has its object under the inner one."""
    tree = passage.tree
    for child in tree.children[preposition]:
        token = tree.tokens[child]
        if token.dep == "pobj":
            yield preposition, child
        elif token.dep in ("prep", "pcomp") and token.pos == "ADP":
            for inner in tree.select(child, "pobj"):
                yield child, inner


def _preposition_words(passage: Passage, first: int, last: int) -> str:
    tokens = passage.tree.tokens
    both = (first,) if first == last else (first, last)
    said = " ".join(tokens[index].text.lower() for index in both)
    return "due to" if said == "due" else said


def _verb_words(passage: Passage, clause: Clause) -> tuple[str, str]:
    """Return the surface verb with its particle, and the lemma phrase for the lexicon."""
    tree = passage.tree
    token = tree.tokens[clause.verb]
    particles = [tree.tokens[child].text.lower() for child in tree.select(clause.verb, "prt")]
    words = " ".join([token.text.lower(), *particles])
    lemma = "be" if token.lemma in ("'s", "’s") else token.lemma.lower()  # noqa: RUF001
    lemmas = " ".join([*(["be"] if clause.passive else []), lemma, *particles])
    if lemma == "be":
        return f"is {' '.join(particles)}".strip(), lemmas
    idiom = tree.child(clause.verb, "dobj")
    if idiom is not None and f"{lemma} {tree.tokens[idiom].lemma}" in ("give rise", "take place"):
        noun = tree.tokens[idiom].lemma
        return f"{words} {noun}", f"{lemmas} {noun}"
    return words, lemmas


def _is_passive(passage: Passage, verb: int) -> bool:
    tree = passage.tree
    token = tree.tokens[verb]
    if tree.child(verb, "nsubjpass", "auxpass") is not None:
        return True
    if token.tag != "VBN":
        return False
    if token.dep == "acl" or (token.dep == "advcl" and tree.child(verb, "aux") is None):
        return True
    joined = token.dep == "conj" and tree.child(verb, "aux", *_SUBJECTS) is None
    return joined and token.head != verb and _is_passive(passage, token.head)


def _is_reduced(passage: Passage, verb: int) -> bool:
    """Return whether a clause has no finite verb: a participle or an infinitive."""
    return passage.tree.tokens[verb].tag in ("VBG", "VBN", "VB")
