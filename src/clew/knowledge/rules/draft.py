"""Turning what a rule found into a triple: relation, kind, direction, span and confidence."""

from __future__ import annotations

from clew.core.documents import Span
from clew.core.extraction import Triple
from clew.core.knowledge import NO_PERIOD, EdgeType, Period
from clew.knowledge.lexicon import RELATED, Meaning, meaning, relation_label
from clew.knowledge.rules import confidence
from clew.knowledge.rules.keys import cached_key
from clew.knowledge.rules.passage import Argument, Passage, span_of

IS_A = Meaning(EdgeType.IS_A)


def draft_triple(
    passage: Passage,
    subject: Argument | None,
    object: Argument | None,
    *,
    words: str,
    lemmas: str,
    base: float,
    factors: tuple[float, ...] = (),
    negated: bool = False,
    verb: int | None = None,
    stated: Meaning | None = None,
) -> list[Triple]:
    """Return the triple as a list of one, or none where an end is missing or both are the same.

    `words` is the surface verb phrase, `lemmas` its key in the lexicon, `stated` overrides the
    lexicon. `verb` is the token whose clause dates the statement.
    """
    if (
        subject is None
        or object is None
        or cached_key(subject.surface) == cached_key(object.surface)
    ):
        return []
    if not cached_key(subject.surface) or not cached_key(object.surface):
        return []
    what = stated or meaning(lemmas)
    if what.kind is EdgeType.CAUSES and subject.label == "PERSON" and lemmas != "cause":
        what = RELATED
    relation = relation_label(words, negated=negated)
    if what.inverse is not None:
        relation = relation_label(what.inverse, negated=negated)
    if not relation:
        return []
    source, target = (object, subject) if what.inverse is not None else (subject, object)
    anchor = verb if verb is not None else object.token
    certainty = confidence.combine(
        base,
        subject.certainty,
        object.certainty,
        *factors,
        distance=max(abs(subject.token - anchor), abs(object.token - anchor)),
    )
    return [
        Triple(
            source.surface,
            relation,
            target.surface,
            what.kind,
            _span(passage, subject, object, anchor),
            certainty,
            negated,
            clause_period(passage, anchor),
        )
    ]


def clause_period(passage: Passage, token: int) -> Period:
    """Return the period that the token's own verb governs, else the only one of a sentence with
    one main verb, else none."""
    tree = passage.tree
    sentence = tree.annotated.sentences[tree.sentence[token]]
    if not passage.periods or sentence.end <= sentence.start:
        return NO_PERIOD
    span = tree.span(sentence.start, sentence.end)
    inside = [found for found in passage.periods if span.start <= found.span.start < span.end]
    clause = governing_verb(passage, token)
    tokens = tree.tokens
    for found in inside:
        for index in range(sentence.start, sentence.end):
            if tokens[index].end > found.span.start and tokens[index].start < found.span.end:
                if governing_verb(passage, index) == clause:
                    return found.period
                break
    verbs = sum(tokens[index].pos == "VERB" for index in range(sentence.start, sentence.end))
    return inside[0].period if len(inside) == 1 and verbs <= 1 else NO_PERIOD


def governing_verb(passage: Passage, token: int) -> int:
    """Return the nearest verb at or above a token, the root where there is none."""
    tokens = passage.tree.tokens
    while tokens[token].head != token:
        if tokens[token].pos in ("VERB", "AUX") and tokens[token].dep not in ("aux", "auxpass"):
            return token
        token = tokens[token].head
    return token


def _span(passage: Passage, subject: Argument, object: Argument, anchor: int) -> Span:
    """Return the words from the first to the last of subject, object and verb that share the
    verb's sentence."""
    tree = passage.tree
    spans = [tree.span(anchor, anchor + 1)]
    spans += [
        span_of(argument, tree)
        for argument in (subject, object)
        if tree.sentence[argument.token] == tree.sentence[anchor]
    ]
    return Span(min(span.start for span in spans), max(span.end for span in spans))
