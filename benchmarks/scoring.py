"""From ranked passages and latencies of one mode to its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.evaluate.bootstrap import bootstrap_mean
from clew.evaluate.datasets import Question
from clew.evaluate.metrics import all_gold, ndcg, recall, reciprocal_rank

METRICS: dict[str, tuple[Callable[..., float], int]] = {
    "recall@2": (recall, 2),
    "recall@5": (recall, 5),
    "recall@10": (recall, 10),
    "all_gold@5": (all_gold, 5),
    "all_gold@8": (all_gold, 8),
    "mrr": (reciprocal_rank, 10),
    "ndcg@10": (ndcg, 10),
}

Figures = dict[str, float | list[float] | dict[str, list[float]]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One question's passages, best first and each once, with the time it took in ms."""

    question: Question
    passages: tuple[str, ...]
    total_ms: float
    embed_ms: float


def figures(rankings: Sequence[Ranking]) -> Figures:
    """Return means (0..1) with their 95% bootstrap intervals, and latencies in ms."""
    result: Figures = {}
    intervals: dict[str, list[float]] = {}
    for name, (metric, k) in METRICS.items():
        scores = [metric(run.passages, run.question.gold, k=k) for run in rankings]
        interval = bootstrap_mean(scores)
        result[name] = round(interval.mean, 4)
        intervals[name] = [round(interval.low, 4), round(interval.high, 4)]
    result["intervals"] = intervals
    total = np.array([run.total_ms for run in rankings])
    search = total - np.array([run.embed_ms for run in rankings])
    for percent in (50, 95):
        result[f"p{percent}_ms"] = round(float(np.percentile(total, percent)), 2)
        result[f"p{percent}_ms_without_embedding"] = round(float(np.percentile(search, percent)), 2)
    return result
