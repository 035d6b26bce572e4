"""Sentences of two sources that say the same but for a number or a denial."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.core.contradictions import ContradictionKind
from clew.core.documents import Span
from clew.reason.alignment import is_negated
from clew.text.dates import find_periods
from clew.text.sentences import sentence_spans
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import fold, terms, words

SAME_FRAME = 0.75
"""Least Jaccard index of the terms of two sentences, numbers, dates and denials left out."""

LEAST_TERMS = 3
"""Terms that a frame must have: shorter sentences are alike by chance."""

_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d[\d.,]*\d|(?<![\w.,])[-+]?\d")
_DENIALS = frozenset("not no never nor neither cannot without nao nunca jamais nem".split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage; `span` lies in the passage's text.

    `frame` are its terms without numbers, dates and denials, `words` all of its words, folded, and
    `names` those with a capital.
    """

    chunk: int
    span: Span
    text: str
    frame: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    numbers: tuple[str, ...]
    years: frozenset[int]
    denied: bool


@dataclass(frozen=True, slots=True)
class Clash:
    """Two sentences that differ in one thing alone."""

    kind: ContradictionKind
    first: Sentence
    second: Sentence


def read_sentences(chunk: int, text: str) -> list[Sentence]:
    """Return the sentences of a passage, questions left out."""
    return [
        _read(chunk, span, text[span.start : span.end])
        for span in sentence_spans(text)
        if not text[span.start : span.end].rstrip().endswith("?")
    ]


def clashes(cited: Sequence[Sentence], others: Sequence[Sentence]) -> Iterator[Clash]:
    """Yield what of `others` contradicts a cited sentence.

    Numbers count where both sentences have equally many, a denial where one of the two denies and
    their numbers agree. Sentences that speak of different years do not contradict each other.
    """
    for first in cited:
        for second in others:
            if not _same_frame(first, second) or _apart_in_time(first, second):
                continue
            if first.denied != second.denied:
                if first.numbers == second.numbers:
                    yield Clash(ContradictionKind.DENIAL, first, second)
            elif len(first.numbers) == len(second.numbers) and first.numbers != second.numbers:
                yield Clash(ContradictionKind.NUMBER, first, second)


def _read(chunk: int, span: Span, text: str) -> Sentence:
    periods = [found for found in find_periods(text) if found.period.key()]
    years = frozenset(
        moment.year
        for found in periods
        for moment in (found.period.occurred_at, found.period.valid_from)
        if moment is not None
    )
    timeless = _without(text, [found.span for found in periods])
    numbers = tuple(_plain(each) for each in _NUMBER.findall(timeless))
    found_words = [word.text for word in words(text)]
    named = {fold(word) for word in found_words if word[0].isupper()} - STOP_WORDS
    frame = {
        term
        for term in terms(_NUMBER.sub(" ", timeless))
        if term not in _DENIALS and not term.isdigit()
    }
    return Sentence(
        chunk,
        span,
        text,
        frozenset(frame),
        frozenset(map(fold, found_words)),
        frozenset(named),
        numbers,
        years,
        is_negated(text),
    )


def _without(text: str, spans: Sequence[Span]) -> str:
    kept, end = [], 0
    for span in sorted(spans, key=lambda each: each.start):
        kept.append(text[end : span.start])
        end = max(end, span.end)
    return " ".join([*kept, text[end:]])


def _plain(number: str) -> str:
    """Return a number without marks of thousands: 1,000 and 1000 are one."""
    return re.sub(r"[.,](?=\d{3}(?:\D|$))", "", number).lstrip("+")


def _same_frame(first: Sentence, second: Sentence) -> bool:
    """Return whether both say the same of the same: a name of one stands in the other."""
    shared = len(first.frame & second.frame)
    return (
        first.names <= second.words
        and second.names <= first.words
        and min(len(first.frame), len(second.frame)) >= LEAST_TERMS
        and shared >= SAME_FRAME * len(first.frame | second.frame)
    )


def _apart_in_time(first: Sentence, second: Sentence) -> bool:
    return bool(first.years and second.years and first.years != second.years)
