"""From ranked chunk ids to results with their text, similarity and the signals that found them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from clew.core.arrays import Hits, Ids
from clew.core.calibration import Calibration, PairKind
from clew.core.ports import ChunkStore
from clew.core.query import Query
from clew.core.results import Result
from clew.retrieve.question import Question


def read_results(
    query: Query, ranked: Hits, *, found_by: Mapping[str, Ids], chunks: ChunkStore
) -> tuple[Result, ...]:
    """Return the best `top_k` of `ranked` with their text, in order."""
    ids, scores = ranked.ids[: query.top_k].tolist(), ranked.scores[: query.top_k].tolist()
    rows = {
        chunk.id: chunk for chunk in chunks.chunks(query.collection, ids, principal=query.principal)
    }
    found = {signal: set(hits.tolist()) for signal, hits in found_by.items()}
    return tuple(
        Result(
            id=chunk,
            document=rows[chunk].document,
            content=rows[chunk].text,
            score=score,
            signals=tuple(signal for signal, hits in found.items() if chunk in hits),
        )
        for chunk, score in zip(ids, scores, strict=True)
        if chunk in rows
    )


def read_passages(
    question: Question,
    ranked: Hits,
    *,
    found_by: Mapping[str, Ids],
    chunks: ChunkStore,
    calibration: Calibration,
) -> tuple[Result, ...]:
    """Return what `read_results` does, with raw and calibrated cosine to the question.

    Results have no similarity while the collection has no vectors.
    """
    query = question.query
    results = read_results(query, ranked, found_by=found_by, chunks=chunks)
    vectors = chunks.vectors(
        query.collection, np.array([result.id for result in results], np.int64)
    )
    if not results or not vectors.shape[1]:
        return results
    cosine = np.asarray(vectors @ question.vector, np.float32)
    calibrated = calibration.apply(cosine, PairKind.QUESTION_PASSAGE)
    return tuple(
        replace(result, similarity=raw, calibrated=spread)
        for result, raw, spread in zip(results, cosine.tolist(), calibrated.tolist(), strict=True)
    )
