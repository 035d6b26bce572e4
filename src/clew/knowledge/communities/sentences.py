"""Extractive summaries: the sentences of a community that are central and do not repeat."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.core.documents import Span
from clew.text.pronouns import opens_with_pronoun
from clew.text.tokens import terms

FEWEST = 3
MOST = 5

_ENOUGH = 0.4
_REPEATED = 0.7
_KNOWN_MEMBER = 0.3
_MOST_MEMBERS = 2.0
_STATED = 0.5
_PRONOUN = 1.0
_RESOLVED_PRONOUN = 0.2
_LONG = 320
_TOO_LONG = 0.4
_COMPARED = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that names members of a community.

    `claimed`: an extractor took it for a claim; `relates`: it states an edge between two members.
    """

    chunk: int
    span: Span
    text: str
    members: frozenset[int]
    language: str | None = None
    claimed: bool = False
    relates: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of a summary; `worth` is its share of the best one's score, 0..1."""

    candidate: Candidate
    worth: float


def choose_sentences(
    candidates: Sequence[Candidate],
    weights: Mapping[int, float],
    *,
    fewest: int = FEWEST,
    most: int = MOST,
) -> list[Chosen]:
    """Return three to five sentences in reading order; fewer where there are not more.

    A sentence is worth what the members that it names weigh (`weights`, the largest 1), its
    nearness to the words of all candidates (cosine to their document frequencies), and a bonus for
    a claim and for a stated relation. Chosen one by one: words and members that a chosen sentence
    has already count less, and after `fewest` a sentence must gain enough of what the first did.
    One that opens with a pronoun loses by it, little where it follows a chosen one of its chunk.
    They are in one language, the one that most candidates are in, unless that leaves too few.
    The greedy choice is maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).
    """
    pool = _one_language(candidates, fewest)
    words = [frozenset(terms(candidate.text)) for candidate in pool]
    central = _centrality(words)
    fixed = [
        nearness
        + _STATED * candidate.claimed
        + _STATED * candidate.relates
        - _TOO_LONG * (len(candidate.text) > _LONG)
        for candidate, nearness in zip(pool, central, strict=True)
    ]
    rows = sorted(
        range(len(pool)),
        key=lambda row: (-fixed[row] - _named(pool[row], weights, frozenset()), _place(pool[row])),
    )[:_COMPARED]
    unclear = [opens_with_pronoun(candidate.text) for candidate in pool]
    picked: list[int] = []
    gains: list[float] = []
    seen: frozenset[int] = frozenset()
    while rows and len(picked) < most:
        clear = [
            worth - (_pronoun_cost(pool[row], [pool[other] for other in picked]) if dim else 0.0)
            for row, (worth, dim) in enumerate(zip(fixed, unclear, strict=True))
        ]
        best, gain = _best(rows, picked, pool, words, clear, weights, seen)
        if len(picked) >= fewest and gain < _ENOUGH * gains[0]:
            break
        if gain <= 0 and picked:
            break
        picked.append(best)
        gains.append(gain)
        rows.remove(best)
        seen |= pool[best].members
    first = max(gains, default=1.0) or 1.0
    chosen = [
        Chosen(pool[row], max(0.0, min(1.0, gain / first)))
        for row, gain in zip(picked, gains, strict=True)
    ]
    return _in_reading_order(chosen)


def _best(
    rows: Sequence[int],
    picked: Sequence[int],
    pool: Sequence[Candidate],
    words: Sequence[frozenset[str]],
    fixed: Sequence[float],
    weights: Mapping[int, float],
    seen: frozenset[int],
) -> tuple[int, float]:
    """Return the row that gains most, ties by the order of `rows`, and what it gains."""
    best, most = rows[0], -math.inf
    for row in rows:
        repeated = max((_overlap(words[row], words[other]) for other in picked), default=0.0)
        worth = fixed[row] + _named(pool[row], weights, seen)
        gain = -1.0 if repeated >= _REPEATED else worth * (1.0 - repeated)
        if gain > most:
            best, most = row, gain
    return best, most


def _pronoun_cost(candidate: Candidate, chosen: Sequence[Candidate]) -> float:
    """Return what it costs that the reader must know whom the sentence is about."""
    led = any(
        other.chunk == candidate.chunk and other.span.start < candidate.span.start
        for other in chosen
    )
    return _RESOLVED_PRONOUN if led else _PRONOUN


def _named(candidate: Candidate, weights: Mapping[int, float], seen: frozenset[int]) -> float:
    """Return the weight of the members that a sentence names, those seen already at a third."""
    total = sum(
        weights.get(member, 0.0) * (_KNOWN_MEMBER if member in seen else 1.0)
        for member in sorted(candidate.members)
    )
    return min(_MOST_MEMBERS, total)


def _centrality(words: Sequence[frozenset[str]]) -> list[float]:
    """Return the cosine of each bag of words to the vector of document frequencies, 0..1."""
    frequency = Counter(word for bag in words for word in bag)
    length = math.sqrt(sum(count * count for count in frequency.values())) or 1.0
    return [
        sum(frequency[word] for word in bag) / (length * math.sqrt(len(bag))) if bag else 0.0
        for bag in words
    ]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the shorter bag's words that the other holds (overlap coefficient)."""
    least = min(len(one), len(other))
    return len(one & other) / least if least else 1.0


def _one_language(candidates: Sequence[Candidate], fewest: int) -> list[Candidate]:
    """Return the candidates of the most frequent language; all, if those are too few."""
    counts = Counter(candidate.language for candidate in candidates)
    if len(counts) < 2:
        return list(candidates)
    language = min(counts, key=lambda name: (-counts[name], name or ""))
    kept = [candidate for candidate in candidates if candidate.language == language]
    return kept if len(kept) >= fewest else list(candidates)


def _in_reading_order(chosen: Sequence[Chosen]) -> list[Chosen]:
    """Return sentences of one chunk together, in its order; chunks by their best sentence."""
    rank: dict[int, int] = {}
    for one in chosen:
        rank.setdefault(one.candidate.chunk, len(rank))
    return sorted(chosen, key=lambda one: (rank[one.candidate.chunk], one.candidate.span.start))


def _place(candidate: Candidate) -> tuple[int, int]:
    return candidate.chunk, candidate.span.start
