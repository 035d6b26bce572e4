"""The whole of a collection's graph as arrays: what communities are found in and made from.

Which edges count: every knowledge edge in force that is reported or assumed, weighted by its
confidence (parallel ones add up). Rules and small models leave many things with hardly a stated
relation; where one of two things has fewer than `THIN_DEGREE` neighbours, being named in one
passage joins them too, with `CO_MENTION` shared among all that the passage names. Where the graph
is dense, a passage that names many things thus blurs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.core.knowledge import EdgeType
from clew.core.ports import ChunkStore, GraphStore
from clew.core.query import EdgeFilter
from clew.graph.leiden import WeightedEdges

THIN_DEGREE = 3
CO_MENTION = 0.5

_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))
_KNOWLEDGE = EdgeFilter(kinds=frozenset(EdgeType) - {EdgeType.MENTIONS})


@dataclass(frozen=True, slots=True)
class Relations:
    """Knowledge edges, one row each: rows of their ends in `nodes`, id and confidence."""

    source: Ids
    target: Ids
    edge: Ids
    confidence: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Naming:
    """Which chunk names which node, one row a pair: rows in `chunks` and in `nodes`."""

    chunk: Ids
    node: Ids


@dataclass(frozen=True, slots=True)
class CollectionGraph:
    """All live nodes (ascending ids) and all chunks (in the order of sources), and what joins them.

    `acl` and `language` number for each chunk its document's acl and language in `acls` and
    `languages`.
    """

    nodes: Ids
    chunks: Ids
    acls: tuple[frozenset[str], ...]
    acl: Ids
    languages: tuple[str | None, ...]
    language: Ids
    relations: Relations
    naming: Naming


def read_collection(collection: str, *, graph: GraphStore, chunks: ChunkStore) -> CollectionGraph:
    """Return the graph of a collection, with all rights."""
    ids: list[int] = []
    acls: dict[frozenset[str], int] = {}
    languages: dict[str | None, int] = {}
    acl: list[int] = []
    language: list[int] = []
    for document in chunks.documents(collection):
        held = [chunk.id for chunk in chunks.document_chunks(collection, document.id)]
        ids += held
        acl += [acls.setdefault(document.acl, len(acls))] * len(held)
        language += [languages.setdefault(document.language, len(languages))] * len(held)
    every = np.array(ids, np.int64)
    named = graph.expand(collection, every, edge_filter=_MENTIONS)
    nodes = np.unique(named.target)
    return CollectionGraph(
        nodes=nodes,
        chunks=every,
        acls=tuple(acls),
        acl=np.array(acl, np.int64),
        languages=tuple(languages),
        language=np.array(language, np.int64),
        relations=_relations(collection, nodes, graph),
        naming=Naming(_rows(every, named.source), np.searchsorted(nodes, named.target)),
    )


def community_edges(content: CollectionGraph) -> WeightedEdges:
    """Return the weighted graph in which communities are found."""
    relations = content.relations
    thin = _neighbours(relations, len(content.nodes)) < THIN_DEGREE
    together = _co_mentions(content.naming, thin)
    return WeightedEdges(
        len(content.nodes),
        np.concatenate([relations.source, together.source]),
        np.concatenate([relations.target, together.target]),
        np.concatenate([relations.confidence, together.weight]),
    )


def _relations(collection: str, nodes: Ids, graph: GraphStore) -> Relations:
    found = graph.expand(collection, nodes, edge_filter=_KNOWLEDGE)
    kept = found.forward & np.isin(found.target, nodes) & (found.confidence > 0)
    return Relations(
        np.searchsorted(nodes, found.source[kept]),
        np.searchsorted(nodes, found.target[kept]),
        found.edge[kept],
        found.confidence[kept].astype(np.float64),
    )


def _neighbours(relations: Relations, nodes: int) -> Ids:
    """Return how many other nodes each node is related to, shape (nodes,)."""
    pairs = np.concatenate(
        [
            np.stack([relations.source, relations.target]),
            np.stack([relations.target, relations.source]),
        ],
        axis=1,
    )
    distinct = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    return np.bincount(distinct[0], minlength=nodes).astype(np.int64)


def _co_mentions(naming: Naming, thin: NDArray[np.bool_]) -> WeightedEdges:
    """Return the pairs that a chunk names together, one of them thin: `CO_MENTION` / (n - 1) each.

    A thing that a chunk names among n thus gains `CO_MENTION` at most from it.
    """
    order = np.lexsort((naming.node, naming.chunk))
    chunk, node = naming.chunk[order], naming.node[order]
    starts = np.flatnonzero(np.diff(chunk, prepend=-1, append=-1))
    sources: list[Ids] = [np.empty(0, np.int64)]
    targets: list[Ids] = [np.empty(0, np.int64)]
    weights: list[NDArray[np.float64]] = [np.empty(0)]
    for low, high in pairwise(starts):
        named = node[low:high]
        if len(named) < 2 or not thin[named].any():
            continue
        first, second = np.triu_indices(len(named), 1)
        joined = thin[named[first]] | thin[named[second]]
        sources.append(named[first[joined]])
        targets.append(named[second[joined]])
        weights.append(np.full(int(joined.sum()), CO_MENTION / (len(named) - 1)))
    return WeightedEdges(
        len(thin), np.concatenate(sources), np.concatenate(targets), np.concatenate(weights)
    )


def _rows(keys: Ids, wanted: Sequence[int] | Ids) -> Ids:
    """Return the row of each wanted id in `keys`, which holds them all."""
    order = np.argsort(keys)
    return np.asarray(order[np.searchsorted(keys[order], wanted)], np.int64)
