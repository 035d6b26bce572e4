"""How the things that a question names are connected: shortest ways between each two of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import combinations, product

import numpy as np

from clew.core.arrays import EdgeBatch, Ids
from clew.core.ports import GraphStore
from clew.graph.shortest_ways import KNOWLEDGE, Way, confidence, shortest_ways_of_pairs
from clew.retrieve.named_nodes import NamedNodes
from clew.retrieve.question import Question

_NAMES = 3
_WAYS_A_PAIR = 3
_REACHED = 6


def find_connections(question: Question, named: NamedNodes, *, graph: GraphStore) -> list[Way]:
    """Return the shortest ways over knowledge edges between the rarest names, surest first.

    Two names may lie twice `max_hops` apart: each is expanded to that depth.
    """
    pairs = combinations(_rarest_names(named), 2)
    return _shortest(question, pairs, graph)


def find_leads(
    question: Question, named: NamedNodes, reached: Ids, *, graph: GraphStore
) -> list[Way]:
    """Return the shortest ways from the rarest names to the first of `reached`, surest first.

    `reached` holds nodes by PageRank: so the path to what the walk found is shown, even over a
    node that the expansion left out.
    """
    ends = [[node] for node in reached[~np.isin(reached, named.ids)][:_REACHED].tolist()]
    return _shortest(question, product(_rarest_names(named), ends), graph)


def _rarest_names(named: NamedNodes) -> list[list[int]]:
    by_name: dict[int, list[int]] = {}
    for node, name in zip(named.ids.tolist(), named.names.tolist(), strict=True):
        by_name.setdefault(name, []).append(node)
    weight = dict(zip(named.ids.tolist(), named.weights.tolist(), strict=True))
    rarest = sorted(by_name.values(), key=lambda nodes: -max(weight[node] for node in nodes))
    return rarest[:_NAMES]


def _shortest(
    question: Question, pairs: Iterable[tuple[list[int], list[int]]], graph: GraphStore
) -> list[Way]:
    """Return the ways of all pairs; once the question's time is up, nothing more is read."""
    query = question.query
    expand = partial(
        graph.expand,
        query.collection,
        at=query.temporal_at,
        edge_filter=KNOWLEDGE,
        filter=query.filter,
        principal=query.principal,
    )

    def expand_in_time(nodes: Ids, *, limit: int | None) -> EdgeBatch:
        read = expand(nodes[:0] if question.deadline.passed else nodes, limit=limit)
        return question.gate.admit(read, graph=graph)

    found = shortest_ways_of_pairs(
        expand_in_time,
        pairs,
        max_hops=2 * query.max_hops,
        limit=_WAYS_A_PAIR,
        neighbourhood=question.neighbourhood,
    )
    ways = [way for between in found for way in between]
    return sorted(ways, key=lambda way: (len(way), -confidence(way)))
