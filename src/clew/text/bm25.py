"""BM25 over index terms, with corpus statistics given from outside.

score(q, d) = sum over distinct t in q of idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avg))
idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))

This is the variant of Lucene and tantivy: idf is never negative, and a query term counts once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats
from clew.text.tokens import terms

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class BagOfTerms:
    """A passage as keyword search sees it: how often each term occurs, and how many there are."""

    counts: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What BM25 needs of a whole corpus: passages, their terms in all, and by term the passages
    that hold it (a term that is not named is held by none)."""

    passages: int
    total_length: int
    holding: Mapping[str, int]

    @property
    def average_length(self) -> float:
        """Return the mean number of terms of a passage; 1 where there are no terms at all."""
        return self.total_length / self.passages if self.total_length else 1.0


NO_CORPUS = CorpusStatistics(0, 0, {})


def bag_of_terms(text: str) -> BagOfTerms:
    """Return the counted index terms of `text`."""
    found = terms(text)
    return BagOfTerms(Counter(found), len(found))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct index terms of a question, in order of appearance."""
    return tuple(dict.fromkeys(terms(text)))


def corpus_statistics(query: Sequence[str], passages: Iterable[BagOfTerms]) -> CorpusStatistics:
    """Return the statistics of `passages`, counting holders of the query's terms only."""
    count = total = 0
    holding = dict.fromkeys(query, 0)
    for passage in passages:
        count += 1
        total += passage.length
        for term in holding:
            holding[term] += term in passage.counts
    return CorpusStatistics(count, total, holding)


def joined_statistics(first: CorpusStatistics, second: CorpusStatistics) -> CorpusStatistics:
    """Return the statistics of two corpora without a common passage, such as snapshot and overlay."""
    holding = Counter(first.holding)
    holding.update(second.holding)
    return CorpusStatistics(
        first.passages + second.passages, first.total_length + second.total_length, holding
    )


def inverse_document_frequency(passages: int, holding: int) -> float:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1.0 + (passages - holding + 0.5) / (holding + 0.5))


def bm25_scores(
    query: Sequence[str], passages: Sequence[BagOfTerms], corpus: CorpusStatistics
) -> Floats:
    """Return one score a passage, shape (len(passages),); 0 where no query term occurs.

    `passages` need not be the whole of the corpus that `corpus` describes.
    """
    lengths = np.array([passage.length for passage in passages], np.float64)
    norms = K1 * (1.0 - B + B * lengths / corpus.average_length)
    scores = np.zeros(len(passages))
    for term in dict.fromkeys(query):
        counts = np.array([passage.counts.get(term, 0) for passage in passages], np.float64)
        weight = inverse_document_frequency(corpus.passages, corpus.holding.get(term, 0))
        found = counts > 0
        scores[found] += weight * (K1 + 1.0) * counts[found] / (counts[found] + norms[found])
    return scores.astype(np.float32)


def indexed_length(length: int) -> int:
    """Return the length that Lucene and tantivy keep for `length` terms in one byte.

    Exact below 40, then rounded down to four significant bits above an offset of 24. An overlay
    whose scores are merged with tantivy's uses it in place of the exact length.
    """
    excess = length - 24
    if excess < 16:
        return length
    shift = excess.bit_length() - 4
    return 24 + (excess >> shift << shift)
