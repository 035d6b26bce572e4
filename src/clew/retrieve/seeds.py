"""Stage 1 of the hybrid guide: seeds, fused from independent signals.

Each signal's pool holds 2 x seed_k nodes, the top seed_k of each are fused, and the fused top seed_k
are the seeds. Text signals (vector, keyword, named) share the weight 1 - alpha, degree has alpha:
score(d) = (1 - alpha) mean_s 1/(k + r_s(d)) + alpha 1/(k + r_degree(d)), scaled by k + 1, so that
what is first by every signal has 1. With the vector signal alone this is the guide's formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Hits, Ids
from clew.core.errors import NotFoundError
from clew.core.ids import format_id
from clew.core.knowledge import EdgeType
from clew.core.ports import GraphStore
from clew.core.query import EdgeFilter, Query
from clew.core.results import SeedFusionStats
from clew.retrieve.fusion.reciprocal_rank import in_order, reciprocal_rank
from clew.retrieve.named_nodes import NamedNodes, rarity
from clew.retrieve.question import Question
from clew.retrieve.scope import document_scope

_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))
_FAN_OUT = 64


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seed nodes, best first; `fused` holds their scores (0 for given ids that no signal found),
    `signals` what found each, parallel to the ids."""

    fused: Hits
    signals: tuple[tuple[str, ...], ...]
    stats: SeedFusionStats


def find_seeds(
    question: Question, named: NamedNodes, keyword_hits: Hits, *, graph: GraphStore
) -> Seeds:
    """Return the fused seeds of a question; ids given by the caller are seeds before all others.

    Raises:
        NotFoundError: a given id is no node of the collection.
    """
    query = question.query
    pool = 2 * query.seed_k
    lists: dict[str, Ids] = {
        "vector": graph.search_nodes(
            query.collection,
            question.vector,
            limit=pool,
            filter=query.filter,
            principal=query.principal,
        ).ids,
        "keyword": _keyword_nodes(question, keyword_hits, graph, pool),
        "entity": named.ids[np.lexsort((named.ids, -named.weights))][:pool],
    }
    candidates = np.unique(np.concatenate(list(lists.values())))
    degrees = graph.degrees(query.collection, candidates)
    lists["degree"] = candidates[np.lexsort((candidates, -degrees))][:pool]
    tops = {signal: ids[: query.seed_k] for signal, ids in lists.items()}
    text = [signal for signal in ("vector", "keyword", "entity") if len(tops[signal])]
    fused = reciprocal_rank(
        [*(in_order(tops[signal]) for signal in text), in_order(tops["degree"])],
        weights=[*((1.0 - query.alpha) / len(text) for _ in text), query.alpha],
        limit=query.seed_k,
    )
    fused = _given_first(question, fused, graph)
    return Seeds(
        fused,
        tuple(_signals(node, tops, query.seed_node_ids) for node in fused.ids.tolist()),
        SeedFusionStats(
            vector_seeds=len(tops["vector"]),
            degree_seeds=len(tops["degree"]),
            keyword_seeds=len(tops["keyword"]),
            entity_seeds=len(tops["entity"]),
            given_seeds=len(query.seed_node_ids),
            fused_seeds=len(fused.ids),
        ),
    )


def _keyword_nodes(question: Question, hits: Hits, graph: GraphStore, limit: int) -> Ids:
    """Return the nodes that the best keyword passages mention, by passage score times rarity.

    A node counts if it is in scope itself: its label, and a passage that keeps it alive.
    """
    query = question.query
    if not len(hits.ids):
        return np.empty(0, np.int64)
    edges = graph.expand(
        query.collection,
        hits.ids[:limit],
        edge_filter=_MENTIONS,
        limit=_FAN_OUT,
        filter=query.filter,
        principal=query.principal,
    )
    nodes, row = np.unique(edges.target, return_inverse=True)
    score_of = dict(zip(hits.ids.tolist(), hits.scores.tolist(), strict=True))
    passage = np.fromiter((score_of[chunk] for chunk in edges.source.tolist()), np.float64)
    support = np.bincount(row, weights=passage * edges.confidence, minlength=len(nodes))
    worth = support * rarity(graph.mention_counts(query.collection, nodes))
    return _in_scope(nodes[np.lexsort((nodes, -worth))], question, graph)[:limit]


def _in_scope(nodes: Ids, question: Question, graph: GraphStore) -> Ids:
    query = question.query
    if query.filter.is_empty():
        return nodes
    known = graph.nodes(
        query.collection, nodes.tolist(), filter=query.filter, principal=query.principal
    )
    return nodes[np.isin(nodes, [node.id for node in known])]


def _given_first(question: Question, fused: Hits, graph: GraphStore) -> Hits:
    query = question.query
    if not query.seed_node_ids:
        return fused
    known = graph.nodes(
        query.collection,
        query.seed_node_ids,
        filter=document_scope(query),
        principal=query.principal,
    )
    missing = set(query.seed_node_ids) - {node.id for node in known}
    if missing:
        raise NotFoundError(
            f"seed_node_ids names {format_id(min(missing))}, which is no node of collection "
            f"{query.collection!r}" + _outside(query)
        )
    given = np.array(list(dict.fromkeys(query.seed_node_ids)), np.int64)
    score_of = dict(zip(fused.ids.tolist(), fused.scores.tolist(), strict=True))
    others = fused.ids[~np.isin(fused.ids, given)]
    room = max(query.seed_k - len(given), 0)
    ids = np.concatenate([given, others[:room]])
    scores = np.array([score_of.get(node, 0.0) for node in ids.tolist()], np.float32)
    return Hits(ids, scores)


def _outside(query: Query) -> str:
    return "" if query.filter.is_empty() else " in the scope of the filter"


def _signals(node: int, tops: dict[str, Ids], given: tuple[int, ...]) -> tuple[str, ...]:
    found = tuple(signal for signal, ids in tops.items() if node in ids)
    return (*found, "given") if node in given else found
