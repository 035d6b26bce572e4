"""All rules over one annotated passage: names, triples and claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from clew.core.annotation import AnnotatedText
from clew.core.documents import Span
from clew.core.extraction import Extraction, FoundName, Triple
from clew.core.knowledge import NodeType
from clew.knowledge.rules.abbreviations import Abbreviation, abbreviations
from clew.knowledge.rules.births import birth_triples
from clew.knowledge.rules.brackets import birth_places
from clew.knowledge.rules.claims import stated_claims
from clew.knowledge.rules.clauses import verb_triples
from clew.knowledge.rules.keys import cached_key
from clew.knowledge.rules.names import Phrase, key_phrases
from clew.knowledge.rules.nominals import nominal_triples
from clew.knowledge.rules.passage import Passage, read_passage

_NAMED = 0.9
_UNLABELLED = 0.7
_CONCEPT = 0.6


@dataclass(frozen=True, slots=True)
class Setting:
    """A passage as it was before asides were blanked, and the name of its page's subject."""

    text: str
    title: str | None


def extract_passage(annotated: AnnotatedText, setting: Setting) -> Extraction:
    """Return what the rules find in a passage whose asides were blanked before its annotation.

    Every end of a triple is among the names, except the page's title.
    """
    passage = read_passage(replace(annotated, text=setting.text), setting.title)
    triples = _distinct(
        (*verb_triples(passage), *nominal_triples(passage), *birth_triples(passage))
    )
    return Extraction(
        tuple(_found_names(passage, triples)), tuple(triples), tuple(stated_claims(passage))
    )


def _distinct(triples: Iterable[Triple]) -> list[Triple]:
    """Keep the surest of triples that say the same, in order of their spans."""
    best: dict[tuple[str, str, str, str], Triple] = {}
    for triple in triples:
        key = (
            cached_key(triple.subject),
            triple.relation,
            cached_key(triple.object),
            triple.period.key(),
        )
        if key not in best or triple.confidence > best[key].confidence:
            best[key] = triple
    return sorted(best.values(), key=lambda triple: (triple.span.start, triple.span.end))


def _found_names(passage: Passage, triples: list[Triple]) -> Iterator[FoundName]:
    tree = passage.tree
    shorts = list(abbreviations(tree.annotated.text))
    taken: set[Span] = set()
    for name in _abbreviated(passage, shorts):
        taken.add(name.span)
        yield name
    phrases = {phrase.first: phrase for phrase in passage.names.values()}
    for _, phrase in sorted(phrases.items()):
        found = _found(passage, phrase, _UNLABELLED if phrase.label is None else _NAMED)
        if phrase is passage.page_name:
            found = replace(found, alias_of=passage.title)
        if not any(_overlaps(found.span, span) for span in taken):
            yield found
    for birth in birth_places(tree.annotated.text):
        yield FoundName(birth.place, birth.span, NodeType.ENTITY, "GPE", _UNLABELLED)
    yield from _concepts(passage, triples)


def _abbreviated(passage: Passage, shorts: list[Abbreviation]) -> Iterator[FoundName]:
    labels = {
        passage.tree.tokens[index].start: phrase.label for index, phrase in passage.names.items()
    }
    for short in shorts:
        label = labels.get(short.full_span.start) or labels.get(short.short_span.start)
        yield FoundName(short.full, short.full_span, NodeType.ENTITY, label, _NAMED)
        yield FoundName(short.short, short.short_span, NodeType.ENTITY, label, _NAMED, short.full)


def _concepts(passage: Passage, triples: list[Triple]) -> Iterator[FoundName]:
    """Yield key noun phrases, and those that are an end of a triple."""
    tree = passage.tree
    ends = {surface for triple in triples for surface in (triple.subject, triple.object)}
    keyed = {phrase.first: phrase for phrase in key_phrases(tree, passage.names)}
    for index, token in enumerate(tree.tokens):
        if token.pos not in ("NOUN", "PROPN") or index in passage.names:
            continue
        argument = passage.argument(index)
        if argument is None or argument.phrase is None or argument.phrase.named:
            continue
        if argument.surface in ends:
            keyed.setdefault(argument.phrase.first, argument.phrase)
    for _, phrase in sorted(keyed.items()):
        yield _found(passage, phrase, _CONCEPT)


def _found(passage: Passage, phrase: Phrase, confidence: float) -> FoundName:
    tree = passage.tree
    return FoundName(
        tree.surface(phrase.first, phrase.last),
        tree.span(phrase.first, phrase.last),
        phrase.kind,
        phrase.label,
        confidence,
    )


def _overlaps(first: Span, second: Span) -> bool:
    return first.start < second.end and second.start < first.end
