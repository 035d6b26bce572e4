"""The terms that a question asks about, weighted by how much each tells passages apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Booleans, Floats
from clew.text.bm25 import inverse_document_frequency
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import fold, words

_STEM_LENGTH = 5
_ASKING = frozenset(
    "many much name names called quanto quanta quantos quantas nome chama chamado chamada".split()
)


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """Distinct terms of a question in order, and their weights, which sum to 1 (if any)."""

    keys: tuple[str, ...]
    weights: Floats


def weighted_terms(question: str, passages: Sequence[frozenset[str]]) -> QuestionTerms:
    """Return the question's terms, weighted by BM25's idf over the `passages`' keys.

    Names (words with a capital or a digit, the first word aside) must occur as they are; other
    words are compared by stem, as passages may inflect them.
    """
    keys = tuple(
        dict.fromkeys(
            _question_key(word.text, first=index == 0) for index, word in enumerate(words(question))
        )
    )
    keys = tuple(key for key in keys if key)
    rarity = np.array(
        [
            inverse_document_frequency(len(passages), sum(key in held for held in passages))
            for key in keys
        ],
        np.float32,
    )
    return QuestionTerms(keys, rarity / rarity.sum() if len(keys) else rarity)


def text_keys(text: str) -> frozenset[str]:
    """Return what `text` offers for comparison: each of its terms, as it is and as a stem."""
    found = {fold(word.text) for word in words(text)}
    kept = {term for term in found if term and term not in STOP_WORDS}
    return frozenset(kept | {_stem(term) for term in kept})


def covered(terms: QuestionTerms, texts: Sequence[frozenset[str]]) -> Booleans:
    """Return which terms (columns) each text's keys (rows) hold, shape (len(texts), terms)."""
    rows = [[key in held for key in terms.keys] for held in texts]
    return np.array(rows, np.bool_).reshape(len(texts), len(terms.keys))


def _question_key(word: str, *, first: bool) -> str:
    """Return the key of a question's word, "" for one that asks or joins."""
    term = fold(word)
    if not term or term in STOP_WORDS or term in _ASKING:
        return ""
    is_name = any(char.isdigit() for char in word) or (word[0].isupper() and not first)
    return term if is_name else _stem(term)


def _stem(term: str) -> str:
    """Return the first letters without a plural s, marked so that it equals no whole term.

    Truncation is a stemmer that needs no language; numbers have no stem.
    """
    if not term.isalpha():
        return term
    singular = term[:-1] if len(term) > 3 and term.endswith("s") and term[-2] != "s" else term
    return f"{singular[:_STEM_LENGTH]}*"
