"""From ranked chunk ids to results with their text, similarity and the signals that found them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clew.core.arrays import Hits, Ids
from clew.core.calibration import Calibration, PairKind
from clew.core.ports import ChunkStore
from clew.core.results import Result
from clew.retrieve.question import Question


def read_passages(
    question: Question,
    ranked: Hits,
    *,
    found_by: Mapping[str, Ids],
    chunks: ChunkStore,
    calibration: Calibration,
) -> tuple[Result, ...]:
    """Return the best `top_k` of `ranked` as results, with raw and calibrated cosine."""
    query = question.query
    ids, scores = ranked.ids[: query.top_k], ranked.scores[: query.top_k]
    if not len(ids):
        return ()
    rows = {
        chunk.id: chunk
        for chunk in chunks.chunks(query.collection, ids.tolist(), principal=query.principal)
    }
    vectors = chunks.vectors(query.collection, ids)
    cosine = (
        np.asarray(vectors @ question.vector, np.float32)
        if vectors.shape[1]
        else np.zeros(len(ids), np.float32)
    )
    calibrated = calibration.apply(cosine, PairKind.QUESTION_PASSAGE)
    found = {signal: set(hits.tolist()) for signal, hits in found_by.items()}
    return tuple(
        Result(
            id=chunk,
            document=rows[chunk].document,
            content=rows[chunk].text,
            score=float(score),
            similarity=float(raw),
            calibrated=float(spread),
            signals=tuple(signal for signal, hits in found.items() if chunk in hits),
        )
        for chunk, score, raw, spread in zip(ids.tolist(), scores, cosine, calibrated, strict=True)
        if chunk in rows
    )
