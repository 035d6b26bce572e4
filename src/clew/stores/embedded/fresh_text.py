"""The words of chunks in the overlay, read from the truth when a search first needs them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.stores.embedded.columns import id_list
from clew.stores.embedded.token_streams import (
    TEXT_ROW,
    UNKNOWN_WORD,
    TokenStream,
    is_term,
    no_stream,
)
from clew.text.tokens import folded_words


@dataclass(frozen=True, slots=True)
class TextWords:
    """Word numbers of one chunk with its title's count and its number of index terms."""

    tokens: NDArray[np.int32]
    title_words: int
    length: int


@dataclass(frozen=True, slots=True)
class FreshText:
    """Words of chunks, kept from one state of the overlay to the next.

    `numbers` is shared by all states and only ever added to.
    """

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    held: dict[int, TextWords] = field(default_factory=dict[int, TextWords])

    def without(self, chunks: Ids) -> FreshText:
        """Return the words of all chunks but these."""
        gone = set(chunks.tolist())
        return FreshText(
            self.numbers, {chunk: words for chunk, words in self.held.items() if chunk not in gone}
        )

    def complete(self, connection: sqlite3.Connection, collection: int, chunks: Ids) -> None:
        """Read the words of those of `chunks` that are not held yet."""
        missing = [chunk for chunk in chunks.tolist() if chunk not in self.held]
        for chunk, title, text in read_texts(connection, collection, missing):
            self.held[chunk] = self._words(title, text)

    def stream(self, chunks: Ids) -> TokenStream:
        """Return the words of `chunks` in their order; a vanished chunk has none."""
        if not len(chunks):
            return no_stream()
        nothing = TextWords(np.empty(0, np.int32), 0, 0)
        held = [self.held.get(chunk, nothing) for chunk in chunks.tolist()]
        offsets = np.zeros(len(held) + 1, np.int64)
        np.cumsum([len(words.tokens) for words in held], out=offsets[1:])
        rows = np.array([(words.title_words, words.length) for words in held], TEXT_ROW)
        return TokenStream(offsets, np.concatenate([words.tokens for words in held]), rows)

    def number(self, word: str) -> int:
        """Return the number of a word, `UNKNOWN_WORD` if no chunk holds it."""
        return self.numbers.get(word, UNKNOWN_WORD)

    def _words(self, title: str, text: str) -> TextWords:
        of_title, of_text = indexed_words(title), indexed_words(text)
        words = of_title + of_text
        numbers = self.numbers
        return TextWords(
            np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int32),
            len(of_title),
            sum(map(is_term, words)),
        )


def indexed_words(text: str) -> list[str]:
    """Return the words of a text as phrases compare them: `phrase_tokens`, without offsets."""
    return [word for word in folded_words(text) if word]


def read_texts(
    connection: sqlite3.Connection, collection: int, chunks: list[int]
) -> list[tuple[int, str, str]]:
    """Return id, title of the document and text of those chunks that exist."""
    if not chunks:
        return []
    return connection.execute(
        """SELECT c.id, ifnull(d.title, ''), c.text FROM chunks c
        LEFT JOIN documents d ON d.collection = c.collection AND d.id = c.document
        WHERE c.collection = ? AND c.id IN (SELECT value FROM json_each(?))""",
        (collection, id_list(chunks)),
    ).fetchall()
