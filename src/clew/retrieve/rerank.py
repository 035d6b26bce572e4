"""Reordering of results by a reranker model, alone or blended with the retrieval's own scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from clew.core.errors import ModelError
from clew.core.ports import Reranker
from clew.core.results import Result, Retrieval
from clew.retrieve.stopwatch import Stopwatch

NO_TITLES: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reranking:
    """A reranker with how many candidates it reads and the weight of its scores: 1 is its order
    alone, less blends it with the retrieval's, both spread over 0..1 among the candidates."""

    model: Reranker
    candidates: int = 30
    weight: float = 1.0


def rerank(
    found: Retrieval,
    reranking: Reranking,
    *,
    top_k: int,
    titles: Mapping[int, str] = NO_TITLES,
) -> Retrieval:
    """Return the retrieval with its best candidates reordered, cut to `top_k`.

    The model reads a passage as it was embedded: its document's title (`titles`, by document), a
    newline and its text. Results beyond the candidates follow in their order. `score_parts` keeps `retrieval` and
    `reranker`, and `score` is the blend.

    Raises:
        ModelError: the model does not give one finite score a passage.
    """
    watch = Stopwatch()
    candidates = found.results[: reranking.candidates]
    scores = reranking.model.score(
        found.query.text, [_with_title(candidate, titles) for candidate in candidates]
    )
    if len(scores) != len(candidates) or not np.isfinite(scores).all():
        raise ModelError(
            f"the reranker gave {len(scores)} scores, some perhaps not finite, for "
            f"{len(candidates)} passages"
        )
    before = np.array([candidate.score for candidate in candidates], np.float64)
    after = np.asarray(scores, np.float64)
    blended = (1.0 - reranking.weight) * _spread(before) + reranking.weight * _spread(after)
    order = np.lexsort((np.arange(len(candidates)), -blended))
    reordered = [
        _scored(candidates[row], float(blended[row]), float(after[row])) for row in order.tolist()
    ]
    rest = [replace(result, score=0.0) for result in found.results[len(candidates) :]]
    watch.lap("model_rerank")
    spent = watch.timings()
    return replace(
        found,
        results=tuple([*reordered, *rest][:top_k]),
        timings={
            **found.timings,
            "model_rerank": spent["model_rerank"],
            "total": found.timings.get("total", 0.0) + spent["total"],
        },
    )


def _with_title(result: Result, titles: Mapping[int, str]) -> str:
    title = titles.get(result.document, "")
    return f"{title}\n{result.content}" if title else result.content


def _scored(result: Result, blended: float, by_model: float) -> Result:
    parts = {**result.score_parts, "retrieval": result.score, "reranker": by_model}
    return replace(result, score=blended, score_parts=parts)


def _spread(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores spread over 0..1; all 1 where they are equal."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return np.ones(len(scores)) if high <= low else (scores - low) / (high - low)
