"""Passages and summaries of communities as one list, without regard to their origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.core.ports import ChunkStore
from clew.core.query import Query
from clew.core.results import RankedCommunity, Result
from clew.retrieve.parts import Parts


@dataclass(frozen=True, slots=True)
class OneList:
    """What is left of a list after its end was cut off, by origin; scores are of one scale."""

    results: tuple[Result, ...]
    communities: tuple[RankedCommunity, ...]


def rank_together(
    query: Query,
    results: Sequence[Result],
    communities: Sequence[RankedCommunity],
    *,
    titles: bool,
    parts: Parts,
) -> OneList:
    """Return the best `top_k` of passages and summaries in one order.

    The reranker's scores decide; without one, the calibrated cosine that each has already.
    `titles` leads each text with the title of its document, or of its community.
    """
    if parts.reranker is None:
        scores = [
            *(result.calibrated or 0.0 for result in results),
            *(one.calibrated or 0.0 for one in communities),
        ]
    else:
        names = _titles(query, results, parts.chunks) if titles else {}
        texts = [
            *(_titled(names.get(result.document, ""), result.content) for result in results),
            *(
                _titled(one.community.title if titles else "", one.community.summary)
                for one in communities
            ),
        ]
        scores = parts.reranker.score(query.text, texts).tolist() if texts else []
    order = np.argsort(-np.array(scores), kind="stable")[: query.top_k].tolist()
    split = len(results)
    return OneList(
        tuple(replace(results[row], score=scores[row]) for row in order if row < split),
        tuple(
            replace(communities[row - split], score=scores[row]) for row in order if row >= split
        ),
    )


def _titles(query: Query, results: Sequence[Result], chunks: ChunkStore) -> dict[int, str]:
    wanted = sorted({result.document for result in results})
    found = chunks.documents(query.collection, ids=wanted, principal=query.principal)
    return {document.id: document.title for document in found}


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if title else text
