"""The words of chunks as numbers, end to end: exact term counts and rows of words.

A chunk's row holds the words of its document's title, then those of its text. Keyword search
counts both without stop words; a phrase is a row of words of the text alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Floats
from clew.stores.embedded.columns import distinct, flat_ranges
from clew.text.bm25 import K1, B, CorpusStatistics, inverse_document_frequency
from clew.text.stop_words import STOP_WORDS

TEXT_ROW = np.dtype([("title_words", "i4"), ("length", "i4")])
"""How many of a row's words are the title's, and how many of all are index terms."""

UNKNOWN_WORD = -1


@dataclass(frozen=True, slots=True)
class TokenStream:
    """Word numbers of chunks: those of row i are `tokens[offsets[i]:offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    tokens: NDArray[np.int32]
    rows: NDArray[Any]

    def counts(self, rows: NDArray[np.int64], words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how often each word stands in each row, shape (len(rows), len(words))."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        tokens = self.tokens[flat_ranges(self.offsets[rows], lengths)]
        owner = np.repeat(np.arange(len(rows)), lengths)
        found = np.zeros((len(rows), len(words)), np.int64)
        for column, word in enumerate(words.tolist()):
            if word != UNKNOWN_WORD:
                found[:, column] = np.bincount(owner[tokens == word], minlength=len(rows))
        return found

    def total_length(self, rows: NDArray[np.int64] | None = None) -> int:
        """Return the number of index terms in all rows, or in some."""
        lengths = self.rows["length"]
        return int((lengths if rows is None else lengths[rows]).sum(dtype=np.int64))


def is_term(word: str) -> bool:
    """Return whether a folded word is an index term."""
    return word not in STOP_WORDS


def scores(
    stream: TokenStream,
    rows: NDArray[np.int64],
    *,
    query: Sequence[str],
    words: NDArray[np.int64],
    corpus: CorpusStatistics,
) -> Floats:
    """Return the BM25 of rows; the formula is that of `clew.text.bm25.bm25_scores`."""
    counts = stream.counts(rows, words).astype(np.float64)
    lengths = stream.rows["length"][rows].astype(np.float64)
    norms = K1 * (1.0 - B + B * lengths / corpus.average_length)
    total = np.zeros(len(rows))
    for column, term in enumerate(query):
        weight = inverse_document_frequency(corpus.passages, corpus.holding.get(term, 0))
        found = counts[:, column] > 0
        held = counts[found, column]
        total[found] += weight * (K1 + 1.0) * held / (held + norms[found])
    return total.astype(np.float32)


def phrase_rows(
    stream: TokenStream, phrases: Mapping[str, Sequence[int]]
) -> dict[str, NDArray[np.int64]]:
    """Return, by phrase, the rows whose text holds its words (numbers) in a row."""
    known = {
        phrase: words
        for phrase, words in phrases.items()
        if len(words) and UNKNOWN_WORD not in words
    }
    if not known or not len(stream.tokens):
        return {}
    lengths = np.diff(stream.offsets)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    title_end = stream.offsets[:-1] + stream.rows["title_words"]
    in_text = np.arange(len(stream.tokens)) >= np.repeat(title_end, lengths)
    by_first = _positions(stream.tokens, in_text, {int(words[0]) for words in known.values()})
    found: dict[str, NDArray[np.int64]] = {}
    for phrase, words in known.items():
        at = by_first.get(int(words[0]))
        if at is None:
            continue
        at = at[at + len(words) <= stream.offsets[owner[at] + 1]]
        for place, word in enumerate(words[1:], start=1):
            at = at[stream.tokens[at + place] == word]
        if len(at):
            found[phrase] = distinct(owner[at])
    return found


def _positions(
    tokens: NDArray[np.int32], allowed: Booleans, words: set[int]
) -> dict[int, NDArray[np.int64]]:
    wanted = np.zeros(int(tokens.max()) + 1, np.bool_)
    wanted[[word for word in words if word < len(wanted)]] = True
    at = np.flatnonzero(allowed & wanted[tokens])
    if not len(at):
        return {}
    at = at[np.argsort(tokens[at], kind="stable")]
    words_at = tokens[at]
    starts = np.flatnonzero(np.append(True, words_at[1:] != words_at[:-1]))
    return {
        int(words_at[start]): part
        for start, part in zip(starts.tolist(), np.split(at, starts[1:]), strict=True)
    }


def relative_weight(corpus: CorpusStatistics, *, passages: int, holding: int, term: str) -> float:
    """Return a term's weight in `corpus` over that in a part of it with other statistics."""
    whole = inverse_document_frequency(corpus.passages, corpus.holding.get(term, 0))
    part = inverse_document_frequency(passages, holding)
    return whole / part if part > 0 and math.isfinite(whole) else 1.0


def no_stream() -> TokenStream:
    """Return the stream of no chunks."""
    return TokenStream(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, TEXT_ROW))
