"""Building the words of a snapshot: the token stream and the keyword index over it.

Cutting a text into folded words is the slow part, so the words of unchanged chunks are taken from
the previous generation. Words that no chunk holds any more are left behind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.stores.embedded.array_files import save_array, system_errors
from clew.stores.embedded.columns import rows_of
from clew.stores.embedded.fresh_text import indexed_words, read_texts
from clew.stores.embedded.keywords import encoded, word_hash, write_keywords
from clew.stores.embedded.snapshot import KEYWORDS, Snapshot
from clew.stores.embedded.token_streams import TEXT_ROW, is_term

_BLOCK = 2048


@dataclass(slots=True)
class _Words:
    """Words by number while a stream is written, with what tantivy is to see of each."""

    names: list[str]
    numbers: dict[str, int] = field(init=False)
    encoded: list[str] = field(init=False)
    terms: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.encoded = [encoded(name) for name in self.names]
        self.terms = [is_term(name) for name in self.names]

    def numbered(self, names: list[str]) -> list[int]:
        numbers = self.numbers
        for name in names:
            if name not in numbers:
                numbers[name] = len(self.names)
                self.names.append(name)
                self.encoded.append(encoded(name))
                self.terms.append(is_term(name))
        return [numbers[name] for name in names]


@dataclass(slots=True)
class _Written:
    """What has been written of the stream so far."""

    rows: NDArray[Any]
    parts: list[NDArray[np.int32]] = field(default_factory=list[NDArray[np.int32]])


def write_texts(
    connection: sqlite3.Connection,
    *,
    collection: int,
    directory: Path,
    chunk_ids: Ids,
    previous: Snapshot,
    changed: Ids,
) -> None:
    """Write stream and keyword index of `chunk_ids` (sorted) into `directory`."""
    words = _Words(previous.words)
    written = _Written(np.empty(len(chunk_ids), TEXT_ROW))
    old_rows = rows_of(previous.chunk_ids, chunk_ids)
    old_rows[rows_of(changed, chunk_ids) >= 0] = -1

    keywords = directory / KEYWORDS
    keywords.mkdir()
    with system_errors(keywords):
        write_keywords(
            keywords,
            _rows(connection, collection, chunk_ids, old_rows, previous, words, written),
            count=len(chunk_ids),
        )
    _write_stream(directory, words, written)


def _rows(
    connection: sqlite3.Connection,
    collection: int,
    chunk_ids: Ids,
    old_rows: NDArray[np.int64],
    previous: Snapshot,
    words: _Words,
    written: _Written,
) -> Iterator[tuple[str, str]]:
    """Yield (terms, words) of each chunk, and note its numbers in `written`."""
    stream = previous.stream
    for start in range(0, len(chunk_ids), _BLOCK):
        block = chunk_ids[start : start + _BLOCK]
        old = old_rows[start : start + _BLOCK]
        texts = {
            chunk: (title, text)
            for chunk, title, text in read_texts(connection, collection, block[old < 0].tolist())
        }
        for place, (chunk, old_row) in enumerate(
            zip(block.tolist(), old.tolist(), strict=True), start=start
        ):
            if old_row >= 0:
                tokens = stream.tokens[stream.offsets[old_row] : stream.offsets[old_row + 1]]
                title_words = int(stream.rows["title_words"][old_row])
            else:
                title, text = texts[chunk]
                of_title = indexed_words(title)
                found = words.numbered(of_title + indexed_words(text))
                tokens, title_words = np.array(found, np.int32), len(of_title)
            numbers = tokens.tolist()
            terms = [words.encoded[number] for number in numbers if words.terms[number]]
            written.rows[place] = (title_words, len(terms))
            written.parts.append(tokens)
            yield (
                " ".join(terms),
                " ".join([words.encoded[number] for number in numbers[title_words:]]),
            )


def _write_stream(directory: Path, words: _Words, written: _Written) -> None:
    offsets = np.zeros(len(written.parts) + 1, np.int64)
    np.cumsum([len(part) for part in written.parts], out=offsets[1:])
    tokens = np.concatenate([np.empty(0, np.int32), *written.parts])
    written.parts.clear()

    used = np.flatnonzero(np.bincount(tokens, minlength=len(words.names)))
    hashes = np.array([word_hash(words.names[number]) for number in used.tolist()], np.int64)
    order = np.argsort(hashes)
    renumbered = np.zeros(len(words.names), np.int32)
    renumbered[used[order]] = np.arange(len(used), dtype=np.int32)
    save_array(directory / "text_offsets.npy", offsets)
    save_array(directory / "tokens.npy", renumbered[tokens] if len(tokens) else tokens)
    save_array(directory / "texts.npy", written.rows)
    save_array(directory / "word_hashes.npy", hashes[order])
    names = [words.names[number] for number in used[order].tolist()]
    (directory / "words.txt").write_text("\n".join(names), encoding="utf-8")
