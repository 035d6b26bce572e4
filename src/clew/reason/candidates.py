"""The sentences among which an answer is chosen, few enough to be embedded while one waits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.core.documents import Span
from clew.reason.evidence import Passage, opening_nodes
from clew.reason.question_terms import QuestionTerms, covered, text_keys, weighted_terms
from clew.text.sentences import sentence_spans
from clew.text.tokens import folded_words

_LONGEST = 500
_FEWEST_WORDS = 3
_RELEVANCE_SHARE = 0.5
_OPENING_SHARE = 0.15
_STATING_SHARE = 10.0
_MOST_A_PASSAGE = 5
_CROWDED = 5.0
_BRIDGE_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage: the passage's row, the span in its chunk and the text there.

    `keys` are those of the sentence together with its document's title, since a page rarely
    repeats whom it is about.
    """

    passage: int
    span: Span
    text: str
    keys: frozenset[str]


def candidate_sentences(
    question: str,
    passages: Sequence[Passage],
    *,
    limit: int,
    stating: Mapping[int, Sequence[Span]] = MappingProxyType({}),
) -> tuple[list[Sentence], QuestionTerms]:
    """Return at most `limit` sentences, passage by passage, and the question's weighted terms.

    Where there are more, those are kept that share most with the question, stand in well-ranked
    passages or open one: at most five a passage while others wait, and before them those at the spans that
    `stating` gives by chunk. Questions, stubs and repetitions are no candidates.
    """
    pages = [text_keys(f"{passage.document.title}\n{passage.chunk.text}") for passage in passages]
    terms = weighted_terms(question, pages)
    sentences = _without_repetitions(
        sentence for row, passage in enumerate(passages) for sentence in _sentences(row, passage)
    )
    if len(sentences) <= limit:
        return sentences, terms
    worth = covered(terms, [sentence.keys for sentence in sentences]) @ terms.weights
    worth += _RELEVANCE_SHARE * np.array([passages[one.passage].relevance for one in sentences])
    worth += _OPENING_SHARE * np.array([one.span.start == 0 for one in sentences])
    worth += _STATING_SHARE * np.array([_states(one, passages, stating) for one in sentences])
    worth += _BRIDGE_SHARE * _opens_with_what_others_name(sentences, passages)
    crowded = _places_within([one.passage for one in sentences], worth) >= _MOST_A_PASSAGE
    kept = np.sort(np.argsort(-(worth - _CROWDED * crowded), kind="stable")[:limit])
    return [sentences[row] for row in kept], terms


def _opens_with_what_others_name(
    sentences: Sequence[Sentence], passages: Sequence[Passage]
) -> NDArray[np.float64]:
    """Return by sentence how rare the thing is that it opens with and other documents name.

    2 / n for a thing that n documents name, the rarest counts; 0 where no other document does.
    """
    named: defaultdict[int, set[int]] = defaultdict(set)
    for passage in passages:
        for mention in passage.mentions:
            named[mention.node].add(passage.document.id)
    return np.array(
        [
            max(
                (
                    2.0 / len(named[node])
                    for node in opening_nodes(passages[one.passage], one.span)
                    if len(named[node]) > 1
                ),
                default=0.0,
            )
            for one in sentences
        ]
    )


def _places_within(passages: Sequence[int], worth: NDArray[np.floating]) -> Ids:
    """Return the rank of each sentence among those of its passage, from 0."""
    places = np.zeros(len(passages), np.int64)
    taken: Counter[int] = Counter()
    for row in np.argsort(-worth, kind="stable").tolist():
        places[row] = taken[passages[row]]
        taken[passages[row]] += 1
    return places


def _states(
    sentence: Sentence, passages: Sequence[Passage], stating: Mapping[int, Sequence[Span]]
) -> bool:
    spans = stating.get(passages[sentence.passage].chunk.id, ())
    return any(span.start < sentence.span.end and sentence.span.start < span.end for span in spans)


def _sentences(row: int, passage: Passage) -> Iterator[Sentence]:
    text = passage.chunk.text
    title_keys = text_keys(passage.document.title)
    for whole in sentence_spans(text):
        for span in _shortened(text, whole):
            words = text[span.start : span.end]
            if not words.endswith("?") and len(folded_words(words)) >= _FEWEST_WORDS:
                yield Sentence(row, span, words, text_keys(words) | title_keys)


def _shortened(text: str, span: Span) -> Iterator[Span]:
    """Yield `span` in pieces of at most `_LONGEST` characters, cut at blanks where there are any:
    tables and code know no full stop."""
    start = span.start
    while span.end - start > _LONGEST:
        cut = text.rfind(" ", start + 1, start + _LONGEST)
        cut = cut if cut > start else start + _LONGEST
        yield Span(start, cut)
        start = cut + 1 if text[cut] == " " else cut
    yield Span(start, span.end)


def _without_repetitions(sentences: Iterator[Sentence]) -> list[Sentence]:
    """Return the first of sentences of equal words: chunks overlap, and documents copy."""
    seen: dict[tuple[str, ...], Sentence] = {}
    for sentence in sentences:
        seen.setdefault(tuple(folded_words(sentence.text)), sentence)
    return list(seen.values())
