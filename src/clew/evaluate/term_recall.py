"""Recall of an answer's words in retrieved passages, where no evidence passages are known."""

from __future__ import annotations

from collections.abc import Sequence, Set

from clew.core.errors import EvaluationError
from clew.text.stems import stem
from clew.text.tokens import terms


def answer_terms(answer: str, *, question: str) -> frozenset[str]:
    """Return the stems of an answer's terms that its question does not hold already."""
    return _stems(answer) - _stems(question)


def term_recall(wanted: Set[str], passages: Sequence[str]) -> float:
    """Return |wanted terms that some passage holds| / |wanted terms|, by stem.

    Raises:
        EvaluationError: nothing is wanted: the measure is not defined.
    """
    if not wanted:
        raise EvaluationError("there are no terms to be found: the measure is not defined")
    held: set[str] = set()
    for passage in passages:
        held |= _stems(passage) & wanted
    return len(held) / len(wanted)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, terms(text)))
