"""Communities of communities: Leiden on the whole graph, then again inside each community."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from graspologic_native import leiden
from numpy.typing import NDArray

from clew.core.arrays import Ids

Weights = NDArray[np.float64]

NO_COMMUNITY = -1
"""Label of a node that no edge touches."""

_MOST_RUNS = 10
_LEAST_GAIN = 1e-6


@dataclass(frozen=True, slots=True)
class WeightedEdges:
    """An undirected graph on the nodes 0 .. `nodes` - 1; the three arrays have shape (edges,).

    Parallel edges add up, and those from a node to itself are left aside.
    """

    nodes: int
    source: Ids
    target: Ids
    weight: Weights


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """`labels` (levels, nodes) numbers each node's community within that of the level above.

    The largest community is number 0, ties by lowest node. `modularity` is that of the first level.
    """

    labels: Ids
    modularity: float


def hierarchical_leiden(
    edges: WeightedEdges, *, levels: int = 2, seed: int = 0, former: Ids | None = None
) -> Hierarchy:
    """Return communities that maximise modularity, and such communities within each of them.

    The result is a function of the graph, `former` and `seed`, not of the order or direction in
    which edges are given. Leiden runs again from what it found while that gains modularity, at
    most ten times. `former` (levels, nodes) names each node's earlier community, with names that
    are unique within a level and `NO_COMMUNITY` for a new node: the search starts there and leaves
    it as it is unless there is something to gain.

    Source: Traag, Waltman and van Eck, From Louvain to Leiden: guaranteeing well-connected
    communities, Scientific Reports 9, 2019; applied recursively as in the paper, section 3.2.

    Raises:
        ValueError: a weight is not positive, an end is no node, or `levels` is below 1.
    """
    graph = _checked(edges, levels)
    labels = np.full((levels, edges.nodes), NO_COMMUNITY, np.int64)
    if not len(graph.source):
        return Hierarchy(labels, 0.0)
    start = _start(former, 0, edges.nodes)
    modularity, found = _partition(graph, seed, start)
    labels[0] = found
    group = found
    for level in range(1, levels):
        start = _start(former, level, edges.nodes)
        group = _split(graph, group, labels[level], seed, start)
    return Hierarchy(labels, modularity)


def _split(graph: WeightedEdges, group: Ids, labels: Ids, seed: int, start: Ids | None) -> Ids:
    """Number the communities within each group in `labels`; return the groups that they form."""
    inside = group[graph.source] == group[graph.target]
    owner = group[graph.source[inside]]
    order = np.argsort(owner, kind="stable")
    rows = np.flatnonzero(inside)[order]
    bounds = np.searchsorted(owner[order], np.arange(group.max() + 2))
    finer = np.full(len(group), NO_COMMUNITY, np.int64)
    count = 0
    for number, members in enumerate(_members(group)):
        part = rows[bounds[number] : bounds[number + 1]]
        if len(part):
            own = WeightedEdges(
                graph.nodes, graph.source[part], graph.target[part], graph.weight[part]
            )
            labels[members] = _partition(own, seed, start)[1][members]
        else:
            labels[members] = 0
        finer[members] = labels[members] + count
        count += int(labels[members].max()) + 1
    return finer


def _partition(graph: WeightedEdges, seed: int, start: Ids | None) -> tuple[float, Ids]:
    """Return modularity and labels, largest community first; untouched nodes have none."""
    present = np.unique(np.concatenate([graph.source, graph.target]))
    names = {node: str(node) for node in present.tolist()}
    triples = [
        (names[source], names[target], weight)
        for source, target, weight in zip(
            graph.source.tolist(), graph.target.tolist(), graph.weight.tolist(), strict=True
        )
    ]
    start_rows = np.arange(len(present)) if start is None else start[present]
    raw = _by_size(start_rows)
    quality = _modularity(graph, present, raw)
    for _ in range(_MOST_RUNS):
        begin = dict(zip(names.values(), raw.tolist(), strict=True))
        better, found = leiden(triples, starting_communities=begin, seed=seed)
        if better <= quality + _LEAST_GAIN:
            break
        quality = better
        # The numbers given to communities steer Leiden too: they must not depend on the way here.
        raw = _by_size(np.array([found[name] for name in names.values()], np.int64))
    labels = np.full(graph.nodes, NO_COMMUNITY, np.int64)
    labels[present] = raw
    return float(quality), labels


def _modularity(graph: WeightedEdges, present: Ids, raw: Ids) -> float:
    """Return sum over communities of inside / m - (degrees / 2m)^2; `raw` is by `present`."""
    source = raw[np.searchsorted(present, graph.source)]
    target = raw[np.searchsorted(present, graph.target)]
    total = graph.weight.sum()
    inside = graph.weight[source == target].sum() / total
    degrees = np.bincount(
        np.concatenate([source, target]), np.concatenate([graph.weight, graph.weight])
    )
    return float(inside - ((degrees / (2.0 * total)) ** 2).sum())


def _by_size(raw: Ids) -> Ids:
    """Return labels renumbered by size, largest first, ties by the lowest row."""
    _, first, inverse, sizes = np.unique(
        raw, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.asarray(rank[inverse], np.int64)


def _members(group: Ids) -> list[Ids]:
    """Return the nodes of each group in order."""
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(group.max() + 2))
    return [order[low:high] for low, high in pairwise(bounds)]


def _start(former: Ids | None, level: int, nodes: int) -> Ids | None:
    """Return the names to start from; each new node gets one of its own."""
    if former is None or level >= len(former):
        return None
    row = former[level]
    known = row != NO_COMMUNITY
    dense = np.unique(row, return_inverse=True)[1]
    return np.asarray(np.where(known, dense, nodes + 1 + np.arange(nodes)), np.int64)


def _checked(edges: WeightedEdges, levels: int) -> WeightedEdges:
    """Return the graph with one edge a pair, lower end first, in the order of its ends."""
    if levels < 1:
        raise ValueError(f"levels is {levels}; it must be at least 1")
    if len(edges.weight) and not (np.isfinite(edges.weight).all() and edges.weight.min() > 0):
        raise ValueError("every edge needs a weight that is finite and above 0")
    low = np.minimum(edges.source, edges.target)
    high = np.maximum(edges.source, edges.target)
    if len(low) and (low.min() < 0 or high.max() >= edges.nodes):
        raise ValueError(f"an edge ends outside the nodes 0..{edges.nodes - 1}")
    apart = low != high
    low, high, weight = low[apart], high[apart], edges.weight[apart]
    # Sorting by weight too makes the sums of parallel edges the same to the last bit.
    order = np.lexsort((weight, high, low))
    low, high, weight = low[order], high[order], weight[order]
    if not len(low):
        return WeightedEdges(edges.nodes, low, high, weight)
    new = np.concatenate([[True], (low[1:] != low[:-1]) | (high[1:] != high[:-1])])
    starts = np.flatnonzero(new)
    return WeightedEdges(edges.nodes, low[starts], high[starts], np.add.reduceat(weight, starts))
