"""Which passages support each sentence that a model wrote: found by code, not asked of the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Booleans, Floats
from clew.core.documents import Span
from clew.core.ports import Embedder
from clew.reason.citations import Quotation
from clew.reason.display import display_text
from clew.reason.evidence import Passage
from clew.reason.language import AnswerLanguage, question_language
from clew.reason.question_terms import QuestionTerms, covered, text_keys, weighted_terms
from clew.reason.similarity import calibrated_similarity
from clew.text.sentences import sentence_spans
from clew.text.tokens import folded_words

SUPPORT_NEEDED = 0.5
_HINT = 0.1
_MOST_PASSAGES = 3
_MARKER = re.compile(r"\s*[\[【]\s*(\d+(?:\s*[,;]\s*\d+)*)\s*[\]】]")
_NEGATIONS = {
    AnswerLanguage.ENGLISH: frozenset("no not never neither nor none without cannot".split()),
    AnswerLanguage.PORTUGUESE: frozenset("nao nunca jamais nem sem nenhum nenhuma".split()),
}
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)  # noqa: RUF001
_CLAUSE_BREAK = re.compile(r"[,;:]\s|\s(?:and|but|or|while|e|mas|ou|enquanto)\s", re.IGNORECASE)
_TIE = 1e-6
_KEPT_IN_STEM = "*"


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence of a model without markers; `hints` are the passages that it named, from 0, and
    `opens_line` says whether it begins a line."""

    text: str
    hints: frozenset[int]
    opens_line: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """How far a sentence is supported, 0..1, and the sentences of passages that support it.

    `nearest` are those that come nearest, whether or not they support it; `probability` is how
    likely a language model says that they do, None where none was asked.
    """

    sentence: WrittenSentence
    support: float
    evidence: tuple[Quotation, ...]
    nearest: tuple[Quotation, ...] = ()
    probability: float | None = None

    @property
    def supported(self) -> bool:
        """Return whether there is evidence for it."""
        return bool(self.evidence)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Sentences of the passages: rows of passages, spans, and what each holds."""

    rows: tuple[int, ...]
    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    keys: tuple[frozenset[str], ...]


def written_sentences(text: str, *, passages: int) -> list[WrittenSentence]:
    """Return the sentences of a model's text, plain, with the passages 1..`passages` they name.

    Markers are taken out; what they name and does not exist is dropped.
    """
    found: list[WrittenSentence] = []
    for line in text.splitlines():
        # A marker after the full stop belongs to the sentence before it.
        moved = re.sub(r"([.!?…]+)((?:\s*[\[【]\s*\d[\d\s,;]*[\]】])+)", r"\2\1", line)
        opens = True
        for span in sentence_spans(moved):
            whole = moved[span.start : span.end]
            shown = display_text(_MARKER.sub("", whole))
            if not folded_words(shown):
                continue
            named = {int(number) for marker in _MARKER.findall(whole) for number in _split(marker)}
            hints = frozenset(number - 1 for number in named if 1 <= number <= passages)
            found.append(WrittenSentence(shown, hints, opens))
            opens = False
    return found


def align(
    sentences: Sequence[WrittenSentence], passages: Sequence[Passage], *, embedder: Embedder
) -> list[Alignment]:
    """Return the support of each sentence.

    It is the mean of the calibrated cosine to the nearest sentence of a passage and of the share of
    the sentence's terms, weighted by rarity, that the evidence holds: that sentence and at most two
    of other passages which add terms. There is none where a name or number of the sentence stands
    nowhere in the evidence, where one of the two is negated and the other not, or below
    `SUPPORT_NEEDED`. Passages that the model named win among equals (within .1).
    """
    evidence = _evidence(passages)
    similarity = calibrated_similarity(
        embedder,
        [one.text for one in sentences],
        [(passages[row], text) for row, text in zip(evidence.rows, evidence.texts, strict=True)],
    )
    return [
        _aligned(one, passages, evidence, similarity[place]) for place, one in enumerate(sentences)
    ]


def _aligned(
    sentence: WrittenSentence,
    passages: Sequence[Passage],
    evidence: _Evidence,
    similarity: Floats,
) -> Alignment:
    terms = weighted_terms(sentence.text, evidence.keys)
    if not evidence.rows or not terms.keys:
        return Alignment(sentence, 0.0, ())
    coverage = covered(terms, evidence.keys)
    hinted = np.array([row in sentence.hints for row in evidence.rows], np.float32)
    scores = np.asarray((similarity + coverage @ terms.weights) / 2.0 + _HINT * hinted, np.float32)
    exact = np.array([not key.endswith(_KEPT_IN_STEM) for key in terms.keys], np.bool_)
    chosen = _chosen(scores, coverage, terms.weights, evidence.rows)
    held = coverage[chosen].any(axis=0)
    best = chosen[0]
    support = (float(similarity[best]) + float(terms.weights @ held)) / 2.0
    agrees = _agree(sentence.text, evidence.texts[best], terms)
    unsupported = not agrees or bool((exact & ~held).any())
    if unsupported:
        support = min(support, SUPPORT_NEEDED) / 2.0
    nearest = tuple(
        Quotation(passages[evidence.rows[place]], evidence.spans[place], support)
        for place in chosen
    )
    supported = not unsupported and support >= SUPPORT_NEEDED
    return Alignment(sentence, support, nearest if supported else (), nearest)


def is_negated(text: str, *, language: AnswerLanguage | None = None) -> bool:
    """Return whether `text` denies something; "no" counts in English alone.

    The language is found by its words unless it is given.
    """
    negations = _NEGATIONS[language or question_language(text)]
    return _CONTRACTED.search(text) is not None or any(
        word in negations for word in folded_words(text)
    )


def _agree(sentence: str, evidence: str, terms: QuestionTerms) -> bool:
    """Return whether both are negated or neither is.

    A negation holds in its clause: that clause of the evidence counts which holds most of the
    sentence's terms, by weight, the last of equals, since a subject stands in the first.
    """
    clauses = [clause for clause in _CLAUSE_BREAK.split(evidence) if clause.strip()]
    language = question_language(evidence)
    held = covered(terms, [text_keys(clause) for clause in clauses]) @ terms.weights
    nearest = clauses[int(np.flatnonzero(held >= held.max() - _TIE)[-1])]
    return is_negated(sentence) == is_negated(nearest, language=language)


def _chosen(scores: Floats, coverage: Booleans, weights: Floats, rows: Sequence[int]) -> list[int]:
    """Return the best place, then those of other passages that add the most terms."""
    chosen = [int(np.argmax(scores))]
    while len(chosen) < _MOST_PASSAGES:
        lacking = ~coverage[chosen].any(axis=0)
        used = {rows[place] for place in chosen}
        gains = (coverage & lacking) @ weights
        gains = np.where([row in used for row in rows], 0.0, gains)
        if not lacking.any() or gains.max() <= 0.0:
            break
        chosen.append(int(np.lexsort((-scores, -gains))[0]))
    return chosen


def _evidence(passages: Sequence[Passage]) -> _Evidence:
    found = [
        (row, span, passage.chunk.text[span.start : span.end])
        for row, passage in enumerate(passages)
        for span in sentence_spans(passage.chunk.text)
    ]
    titles = [text_keys(passage.document.title) for passage in passages]
    return _Evidence(
        rows=tuple(row for row, _, _ in found),
        spans=tuple(span for _, span, _ in found),
        texts=tuple(text for _, _, text in found),
        keys=tuple(text_keys(text) | titles[row] for row, _, text in found),
    )


def _split(marker: str) -> list[str]:
    return re.findall(r"\d+", marker)
