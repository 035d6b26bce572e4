"""Names without a language model of any kind: capitalised phrases and repeated terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from clew.core.documents import Span
from clew.core.extraction import Extraction, FoundName
from clew.core.knowledge import NodeType
from clew.text.sentences import sentence_spans
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import Word, fold, words

_JOINERS = frozenset("de da do das dos di du del della la le van von der den of e y".split())
_GAP = re.compile(r"[ \u00a0'’-]")  # noqa: RUF001 - both apostrophes occur in real text
_INITIAL = 2
_MAX_WORDS = 8
_SAINT = "São"
"""Begins names of places (São Paulo), and is a stop word otherwise ("are")."""
_MIN_TERM = 5
_MIN_REPEATS = 2
_NAME_CONFIDENCE = 0.5
_TERM_CONFIDENCE = 0.4


def extract_capitalised(text: str, language: str | None) -> Extraction:
    """Return capitalised phrases as entities and repeated long words as concepts.

    A capital at the head of a sentence counts only if the word is capitalised elsewhere too or
    more capitals follow it.
    """
    note = f"no language pipeline for {language or 'this language'}: names by capitals, no triples"
    names = (*_capitalised(text), *_repeated(text))
    return Extraction(names=tuple(sorted(names, key=lambda name: name.span.start)), note=note)


def _capitalised(text: str) -> Iterator[FoundName]:
    heads: set[int] = set()
    for span in sentence_spans(text):
        first = words(text[span.start : span.end])[:1]
        heads.update(span.start + word.start for word in first)
    everything = words(text)
    inside = {
        word.text for word in everything if word.start not in heads and word.text[:1].isupper()
    }
    for run in _runs(text, everything):
        opens = len(run) > 1 and run[0].text == _SAINT
        if (
            run[0].start in heads
            and not opens
            and (fold(run[0].text) in STOP_WORDS or (len(run) == 1 and run[0].text not in inside))
        ):
            run = run[1:]
        if run and any(len(word.text) > 1 for word in run):
            span = Span(run[0].start, run[-1].end)
            yield FoundName(
                text[span.start : span.end],
                span,
                NodeType.ENTITY,
                confidence=_NAME_CONFIDENCE,
            )


def _runs(text: str, everything: list[Word]) -> Iterator[list[Word]]:
    """Yield rows of capitalised words, with joiners such as "de" inside."""
    run: list[Word] = []
    pending: list[Word] = []
    for word in everything:
        previous = (run + pending)[-1] if run else None
        joined = previous is None or _joined(text, previous, word)
        if run and (not joined or len(run) + len(pending) >= _MAX_WORDS):
            yield run
            run, pending = [], []
        if word.text[0].isupper():
            run, pending = [*run, *pending, word], []
        elif run and word.text in _JOINERS and not pending:
            pending = [word]
        elif run and word.text.isdigit() and not pending:
            run = [*run, word]
        elif run:
            yield run
            run, pending = [], []
    if run:
        yield run


def _joined(text: str, previous: Word, word: Word) -> bool:
    """Return whether two words stand together; a full stop may lie between after an initial."""
    gap = text[previous.end : word.start]
    return _GAP.fullmatch(gap) is not None or (gap == ". " and len(previous.text) <= _INITIAL)


def _repeated(text: str) -> Iterator[FoundName]:
    lower = [word for word in words(text) if word.text.islower() and word.text.isalpha()]
    counts = Counter(
        word.text
        for word in lower
        if len(word.text) >= _MIN_TERM and fold(word.text) not in STOP_WORDS
    )
    seen: set[str] = set()
    for word in lower:
        if counts[word.text] >= _MIN_REPEATS and word.text not in seen:
            seen.add(word.text)
            yield FoundName(
                word.text,
                Span(word.start, word.end),
                NodeType.CONCEPT,
                confidence=_TERM_CONFIDENCE,
            )
