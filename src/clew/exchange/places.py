"""Where names and statements stand in the passages that are said to hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.core.documents import Span
from clew.text.sentences import sentence_spans

_WORDS = re.compile(r"\w+")
_MOST_WORDS = 5
RELATED = "RELATED_TO"
"""The relation of what is only said to be related."""


def name_span(text: str, name: str) -> Span | None:
    """Return the first place of a name in a text, whatever the case and the blanks in it."""
    parts = [re.escape(part) for part in name.split()]
    if not parts:
        return None
    found = re.search(r"(?<!\w)" + r"\s+".join(parts) + r"(?!\w)", text, re.IGNORECASE)
    return None if found is None else Span(found.start(), found.end())


def statement_span(text: str, first: str, second: str) -> Span:
    """Return the first sentence that holds both names, the whole text if none does."""
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        if name_span(sentence, first) and name_span(sentence, second):
            return span
    return Span(0, len(text))


def relation_between(
    descriptions: Sequence[str], keywords: Sequence[str], source: str, target: str
) -> tuple[str, bool]:
    """Return the relation in capitals, and whether it points from `source` to `target`.

    It is what a description writes between the two names, if that is at most five words; else the
    first keyword; else `RELATED_TO`.
    """
    for description in descriptions:
        first, second = name_span(description, source), name_span(description, target)
        if first is None or second is None:
            continue
        forward = first.end <= second.start
        between = (
            description[first.end : second.start]
            if forward
            else description[second.end : first.start]
        )
        relation = _capitals(between)
        if relation:
            return relation, forward
    return next((word for word in map(_capitals, keywords) if word), RELATED), True


def _capitals(words: str) -> str:
    """Return up to five words in a row as ACQUIRED_BY, "" for none, more, or a broken row."""
    found = _WORDS.findall(words)
    broken = re.search(r"[.,;:!?()]", words.strip())
    if broken or not 0 < len(found) <= _MOST_WORDS:
        return ""
    return "_".join(found).upper()
