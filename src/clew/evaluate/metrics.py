"""Metrics of one ranked list against the gold set; every one has the signature (ranked, gold, k).

`ranked` is best first. An item that is repeated counts where it first stands and still takes up
its later ranks. A run's figure is the mean over its questions.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from typing import TypeVar

from clew.core.errors import EvaluationError

Item = TypeVar("Item", bound=Hashable)


def recall(ranked: Sequence[Item], gold: Set[Item], *, k: int) -> float:
    """Return |gold in top k| / |gold|.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008), 8.3.
    """
    return len(_relevant(ranked, gold, k)) / len(gold)


def all_gold(ranked: Sequence[Item], gold: Set[Item], *, k: int) -> float:
    """Return 1 if the top k hold every gold item, else 0: what a multi-hop answer needs.

    Source: the "perfect retrieval" rate of fast-graphrag's published benchmark (k = 8 there).
    """
    return float(len(_relevant(ranked, gold, k)) == len(gold))


def reciprocal_rank(ranked: Sequence[Item], gold: Set[Item], *, k: int) -> float:
    """Return 1 / rank of the first gold item in the top k, 0 if there is none.

    Source: Voorhees, The TREC-8 Question Answering Track Report (1999). Its mean is MRR.
    """
    return 1.0 / min(_relevant(ranked, gold, k), default=math.inf)


def ndcg(ranked: Sequence[Item], gold: Set[Item], *, k: int) -> float:
    """Return DCG / ideal DCG with gain 1 for gold items and discount 1 / log2(rank + 1).

    Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS
    20(4), 2002.
    """
    gain = sum(1.0 / math.log2(rank + 1) for rank in _relevant(ranked, gold, k))
    ideal = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(k, len(gold)) + 1))
    return gain / ideal


def _relevant(ranked: Sequence[Item], gold: Set[Item], k: int) -> list[int]:
    """Return the ranks, from 1, at which distinct gold items first stand in the top k."""
    if not gold:
        raise EvaluationError("the gold set is empty: the metric is not defined")
    if k < 1:
        raise EvaluationError(f"k is {k}; it must be at least 1")
    first: dict[Item, int] = {}
    for rank, item in enumerate(ranked[:k], start=1):
        if item in gold:
            first.setdefault(item, rank)
    return list(first.values())
