"""A question made ready for every signal: its vector, its terms and the names it may hold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.core.arrays import Floats
from clew.core.ports import Embedder
from clew.core.query import Query
from clew.core.temporal import NO_CONSTRAINT, TemporalConstraint
from clew.graph.shortest_ways import Neighbourhood
from clew.retrieve.deadline import NO_DEADLINE, Deadline, deadline_in
from clew.retrieve.edge_gate import EdgeGate
from clew.retrieve.temporal import TemporalReasoner
from clew.text.names import name_key
from clew.text.stop_words import STOP_WORDS
from clew.text.tokens import fold, terms, words

_LONGEST_NAME = 8


@dataclass(frozen=True, slots=True)
class Question:
    """`vector` has shape (dimensions,); `terms` are distinct, in order; `embed_ms` is the time
    that the embedding took, `deadline` when the answer is due; `constraint` is the time it asks
    about, `gate` decides which edges may be followed, and `neighbourhood` holds those that the
    search for connections has read."""

    query: Query
    vector: Floats
    terms: tuple[str, ...]
    embed_ms: float
    deadline: Deadline = NO_DEADLINE
    constraint: TemporalConstraint = NO_CONSTRAINT
    gate: EdgeGate = field(init=False)
    neighbourhood: Neighbourhood = field(default_factory=Neighbourhood)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gate", EdgeGate(self.query, self.constraint))


def prepare(query: Query, embedder: Embedder) -> Question:
    """Return the question with its vector, its terms and what it says about time."""
    deadline = deadline_in(query.time_limit_ms)
    begun = time.perf_counter()
    vector = embedder.embed_questions([query.text])[0]
    elapsed = (time.perf_counter() - begun) * 1000
    constraint = TemporalReasoner().extract_temporal_constraints(
        query.text, reference=query.reference_date
    )
    return Question(
        query, vector, tuple(dict.fromkeys(terms(query.text))), elapsed, deadline, constraint
    )


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """A run of words of the question, `first <= word < last`, that may be a name."""

    key: str
    first: int
    last: int


def name_candidates(text: str) -> Iterator[NameCandidate]:
    """Yield every run of up to eight words that could be a name, longest first.

    A name of one word must have a capital or digit; longer ones are tried in lower case too, since
    questions are often typed so. Stop words alone are no name.
    """
    found = words(text)
    telling = [fold(word.text) not in STOP_WORDS for word in found]
    marked = [
        tells and any(char.isupper() or char.isdigit() for char in word.text)
        for word, tells in zip(found, telling, strict=True)
    ]
    for length in range(min(_LONGEST_NAME, len(found)), 0, -1):
        for first in range(len(found) - length + 1):
            last = first + length
            if not any(telling[first:last]):
                continue
            key = name_key(text[found[first].start : found[last - 1].end])
            if key and (" " in key or any(marked[first:last])):
                yield NameCandidate(key, first, last)
