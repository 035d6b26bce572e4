"""Names in a text by their capitals: for questions and answers, which are short."""

from __future__ import annotations

import re

from clew.text.sentences import sentence_spans
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import Word, fold, words

_JOINERS = frozenset("de da do das dos di du del della la le van von der den of".split())
_GAP = re.compile(r"[ \u00a0'’.&-]{1,3}")  # noqa: RUF001 - both apostrophes occur in real text
_POSSESSIVE = re.compile(r"['’]s?$")  # noqa: RUF001
_ASKING = frozenset(
    "tell name list give show explain describe compare say conte diga liste mostre explique "
    "descreva compare yes no sim not is was".split()
)


def name_phrases(text: str) -> tuple[str, ...]:
    """Return runs of capitalised words, each once, in order; numbers may end a name (Apollo 11).

    Particles (de, of, van) join two capitals. The first word of a sentence does not begin a name
    where it is a function word or asks; in a question it is none by itself.
    """
    found: dict[str, None] = {}
    for span in sentence_spans(text):
        for name in _in_sentence(text[span.start : span.end]):
            found.setdefault(name)
    return tuple(found)


def _in_sentence(sentence: str) -> list[str]:
    found: list[str] = []
    run: list[Word] = []
    waiting: list[Word] = []
    everything = words(sentence)
    if sentence.endswith("?") and not any(map(_is_capital, everything[1:2])):
        everything = everything[1:]
    for place, word in enumerate(everything):
        last = (waiting or run)[-1:]
        if last and not _GAP.fullmatch(sentence[last[0].end : word.start]):
            found += _closed(sentence, run)
            run, waiting = [], []
        if _is_capital(word) and not (place == 0 and _only_opens(word)):
            run, waiting = [*run, *waiting, word], []
        elif run and word.text.isdigit() and not waiting:
            run = [*run, word]
        elif run and word.text in _JOINERS and not waiting:
            waiting = [word]
        else:
            found += _closed(sentence, run)
            run, waiting = [], []
    return found + _closed(sentence, run)


def _closed(sentence: str, run: list[Word]) -> list[str]:
    if not run:
        return []
    return [_POSSESSIVE.sub("", sentence[run[0].start : run[-1].end])]


def _is_capital(word: Word) -> bool:
    return word.text[0].isupper() and not (len(word.text) == 1 and fold(word.text) in STOP_WORDS)


def _only_opens(word: Word) -> bool:
    return fold(word.text) in STOP_WORDS or fold(word.text) in _ASKING
