"""The keyword index of a snapshot: tantivy finds candidates and phrases, the stream scores them.

tantivy keeps passage lengths in one byte and knows nothing of the overlay. So each term is
weighted as in the whole collection, more candidates than asked for are taken, and these are scored
again exactly. Terms reach tantivy ready-made, joined by spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Hits, Ids, empty_hits, top_hits
from clew.core.ids import stable_id
from clew.stores.embedded.columns import rows_of
from clew.stores.embedded.token_streams import TokenStream, relative_weight, scores
from clew.text.bm25 import CorpusStatistics

_LEAST_HEAP_BYTES, _MOST_HEAP_BYTES = 15_000_000, 128_000_000
_HEAP_BYTES_A_ROW = 4_000
_SPACE_IN_WORD = "\x1e"
_SCORED_DIRECTLY = 512
_LISTED_FRACTION = 8
_MARGIN = 64
_FIRST_HOLDERS = 1024


class KeywordIndex:
    """Searches one snapshot's texts. Rows are those of the snapshot's chunks."""

    def __init__(self, directory: Path, *, stream: TokenStream, word_hashes: Ids) -> None:
        self._directory = directory
        self._stream = stream
        self._word_hashes = word_hashes

    @property
    def stream(self) -> TokenStream:
        """The words of the snapshot's chunks."""
        return self._stream

    def numbers(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each word, -1 where no chunk holds it."""
        return rows_of(self._word_hashes, np.array([word_hash(word) for word in words], np.int64))

    def holding(self, term: str) -> int:
        """Return in how many chunks of the snapshot an index term stands."""
        return int(self._searcher.doc_freq("terms", encoded(term)))

    def search(
        self,
        query: Sequence[str],
        *,
        corpus: CorpusStatistics,
        limit: int,
        allowed: Booleans | None,
        chunk_ids: Ids,
    ) -> Hits:
        """Return the best chunks among the allowed rows, scored exactly."""
        words = self.numbers(query)
        if not len(self._stream.rows) or not (words >= 0).any():
            return empty_hits()
        places = None if allowed is None else np.flatnonzero(allowed)
        if places is not None and len(places) <= _SCORED_DIRECTLY:
            rows = places
        else:
            rows = self._candidates(query, words, corpus, limit, allowed, places)
        found = scores(self._stream, rows, query=query, words=words, corpus=corpus)
        positive = found > 0
        return top_hits(chunk_ids[rows[positive]], found[positive], limit)

    def phrase_holders(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the rows whose text holds the tokens in a row."""
        if (self.numbers(tokens) < 0).any():
            return np.empty(0, np.int64)
        encoded_tokens: list[str | tuple[int, str]] = [encoded(token) for token in tokens]
        # tantivy panics on a phrase of one term.
        query = (
            tantivy.Query.phrase_query(self._schema, "words", encoded_tokens)
            if len(tokens) > 1
            else tantivy.Query.term_query(self._schema, "words", encoded(tokens[0]))
        )
        rows = self._rows(query, _FIRST_HOLDERS)
        return rows if len(rows) < _FIRST_HOLDERS else self._rows(query, len(self._stream.rows))

    def _candidates(
        self,
        query: Sequence[str],
        words: NDArray[np.int64],
        corpus: CorpusStatistics,
        limit: int,
        allowed: Booleans | None,
        places: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        count = len(self._stream.rows)
        text_query = self._weighted(query, words, corpus)
        if places is not None and len(places) * _LISTED_FRACTION < count:
            listed = tantivy.Query.term_set_query(self._schema, "row", places.tolist())
            must = tantivy.Occur.Must
            text_query = tantivy.Query.boolean_query(
                [(must, text_query), (must, tantivy.Query.const_score_query(listed, 0.0))]
            )
        wanted = 2 * limit + _MARGIN
        taken = min(wanted, count)
        while True:
            rows = self._rows(text_query, taken)
            passing = rows if allowed is None else rows[allowed[rows]]
            if len(passing) >= wanted or len(rows) < taken or taken >= count:
                return passing
            taken = min(4 * taken, count)

    def _weighted(
        self, query: Sequence[str], words: NDArray[np.int64], corpus: CorpusStatistics
    ) -> tantivy.Query:
        parts = []
        for term, word in zip(query, words.tolist(), strict=True):
            if word < 0:
                continue
            weight = relative_weight(
                corpus, passages=len(self._stream.rows), holding=self.holding(term), term=term
            )
            bare = tantivy.Query.term_query(
                self._schema, "terms", encoded(term), index_option="freq"
            )
            parts.append((tantivy.Occur.Should, tantivy.Query.boost_query(bare, weight)))
        return tantivy.Query.boolean_query(parts)

    def _rows(self, query: tantivy.Query, limit: int) -> NDArray[np.int64]:
        hits = self._searcher.search(query, limit=limit, count=False).hits
        found = self._searcher.fast_field_values("row", [address for _, address in hits])
        return np.array(found, np.int64)

    @cached_property
    def _index(self) -> tantivy.Index:
        if not self._directory.is_dir():
            raise FileNotFoundError(self._directory)
        return tantivy.Index.open(str(self._directory))

    @cached_property
    def _schema(self) -> Any:  # noqa: ANN401 - tantivy has no types
        return self._index.schema

    @cached_property
    def _searcher(self) -> Any:  # noqa: ANN401 - tantivy has no types
        return self._index.searcher()


def encoded(word: str) -> str:
    """Return a word without spaces: a few ligatures fold to several words."""
    return word.replace(" ", _SPACE_IN_WORD)


def word_hash(word: str) -> int:
    """Return the number by which a snapshot finds a word."""
    return stable_id("word", word)


def write_keywords(directory: Path, rows: Iterable[tuple[str, str]], *, count: int) -> None:
    """Write an index of (terms, words) of rows 0 to `count`, both joined by spaces."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("row", stored=False, indexed=True, fast=True)
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="position")
    index = tantivy.Index(builder.build(), path=str(directory))
    heap = min(max(_LEAST_HEAP_BYTES, count * _HEAP_BYTES_A_ROW), _MOST_HEAP_BYTES)
    writer = index.writer(heap_size=heap, num_threads=1)
    for row, (terms, words) in enumerate(rows):
        document = tantivy.Document()
        document.add_integer("row", row)
        document.add_text("terms", terms)
        document.add_text("words", words)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
