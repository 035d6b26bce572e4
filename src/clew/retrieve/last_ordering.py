"""The last ordering of `hybrid`: its best passages, chosen one after another (`retrieve.choice`).

A passage that holds what the question still lacks, or that a chosen one leads to, comes before one
that repeats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats, Hits, Ids
from clew.core.ports import ChunkStore, GraphStore
from clew.retrieve.anchors import Anchors
from clew.retrieve.choice import TRAINED, Candidates, ChoiceWeights, Scores, choose
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.passage_links import passage_links
from clew.retrieve.question import Question

WALKED = 40
SIMILAR = 10
"""Passages that are put in order: the best by the walk, by similarity and by keyword."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The passages that are put in order, shape (n,), and what is known of them."""

    ids: Ids
    candidates: Candidates


def put_in_order(ranked: Hits, pool: Pool, weights: ChoiceWeights = TRAINED) -> Hits:
    """Return the ranking with the pool before all others, in its order; scores never rise.

    The score of a place is 1 / (1 + how far the lowest choice score so far lies below the first).
    """
    order, scores = choose(pool.candidates, weights)
    rest = ~np.isin(ranked.ids, pool.ids)
    shown = _falling(scores)
    tail = ranked.scores[rest].astype(np.float64)
    if len(tail) and len(shown):
        tail *= shown[-1] / max(float(tail[0]), 1e-12)
    return Hits(
        np.concatenate([pool.ids[order], ranked.ids[rest]]),
        np.concatenate([shown, tail]).astype(np.float32),
    )


def gather_pool(
    question: Question,
    ranked: Hits,
    anchors: Anchors,
    named: NamedNodes,
    *,
    chunks: ChunkStore,
    graph: GraphStore,
) -> Pool:
    """Return the passages to put in order, those of the ranking first."""
    query = question.query
    ids = _distinct(
        ranked.ids[:WALKED],
        anchors.vector_hits.ids[:SIMILAR],
        anchors.relevance.keyword.ids[:SIMILAR],
    )
    links = passage_links(query, ids, named, graph=graph)
    return Pool(
        ids,
        Candidates(
            walk=_scores_of(ranked, ids),
            similarity=anchors.relevance.similarity(chunks.vectors(query.collection, ids)),
            presence=chunks.term_presence(query.collection, ids, question.terms),
            links=links.links,
            pages=links.pages,
        ),
    )


def _distinct(*parts: Ids) -> Ids:
    """Return the ids of all parts, each where it occurs first."""
    joined = np.concatenate(parts)
    _, first = np.unique(joined, return_index=True)
    return joined[np.sort(first)]


def _scores_of(ranked: Hits, ids: Ids) -> Floats:
    """Return the score of each id, 0 where the ranking does not hold it."""
    scores = np.zeros(len(ids), np.float32)
    if len(ranked.ids):
        order = np.argsort(ranked.ids)
        place = np.searchsorted(ranked.ids, ids, sorter=order)
        row = order[np.minimum(place, len(order) - 1)]
        found = ranked.ids[row] == ids
        scores[found] = ranked.scores[row[found]]
    return scores


def _falling(scores: Scores) -> Scores:
    if not len(scores):
        return scores
    return np.asarray(1.0 / (1.0 + scores[0] - np.minimum.accumulate(scores)))
