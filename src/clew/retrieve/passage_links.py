"""How passages are linked by the names that they share: a chain of evidence runs along such links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Floats, Ids
from clew.core.knowledge import PAGE_CONFIDENCE, EdgeType
from clew.core.ports import GraphStore
from clew.core.query import EdgeFilter, Query
from clew.retrieve.named_nodes import NamedNodes, rarity

_MENTIONS = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))
_NAMES_A_PASSAGE = 64
_SUREST = 0.9

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PassageLinks:
    """Links between n passages, shape (n, n), 0..1, from row to column.

    `links`: highest rarity x confidence x confidence of a name that both mention. `pages`: highest
    sqrt(rarity / pages) x confidence^2 of a name that the row mentions and the column is a page of.
    """

    links: Floats
    pages: Floats


def passage_links(
    query: Query, passages: Ids, named: NamedNodes, *, graph: GraphStore
) -> PassageLinks:
    """Return the links between passages over names that the question does not hold itself.

    A name that one passage of the collection alone mentions links nothing. Confidences count up
    to .9.
    """
    edges = graph.expand(
        query.collection,
        passages,
        edge_filter=_MENTIONS,
        limit=_NAMES_A_PASSAGE,
        filter=query.filter,
        principal=query.principal,
    )
    fresh = ~np.isin(edges.target, named.ids)
    nodes, node = np.unique(edges.target[fresh], return_inverse=True)
    counts = graph.mention_counts(query.collection, nodes)
    rare = np.where(counts > 1, rarity(counts), 0.0).astype(np.float32)
    return links_of(len(passages), _row_of(passages, edges, fresh), node, edges.confidence[fresh], rare)  # fmt: skip


def links_of(
    count: int, passage: Rows, node: Rows, confidence: Floats, rare: Floats
) -> PassageLinks:
    """Return the links of mentions: rows of `passage` and `node` with their confidence, shape (m,)
    each, and the rarity of each node."""
    links = np.zeros((count, count), np.float32)
    pages = np.zeros((count, count), np.float32)
    kept = rare[node] > 0
    passage, node, confidence = passage[kept], node[kept], confidence[kept]
    first, second = _pairs(node)
    sure = np.minimum(confidence, _SUREST)
    rarities = rare[node]
    is_page = confidence >= PAGE_CONFIDENCE
    np.maximum.at(
        links,
        (passage[first], passage[second]),
        rarities[first] * sure[first] * sure[second],
    )
    to_page: Booleans = is_page[second]
    first, second = first[to_page], second[to_page]
    pages_of = np.maximum(np.bincount(node[is_page], minlength=len(rare)), 1)
    np.maximum.at(
        pages,
        (passage[first], passage[second]),
        (np.sqrt(rarities / pages_of[node]) * sure**2)[first].astype(np.float32),
    )
    return PassageLinks(links, pages)


def _row_of(passages: Ids, edges: EdgeBatch, kept: Booleans) -> Rows:
    order = np.argsort(passages)
    return np.asarray(order[np.searchsorted(passages, edges.source[kept], sorter=order)], np.int64)


def _pairs(group: Rows) -> tuple[Rows, Rows]:
    """Return every ordered pair of two different places of one group, as (first, second)."""
    order = np.argsort(group, kind="stable")
    size = np.bincount(group, minlength=1)
    start = np.cumsum(size) - size
    mates = size[group[order]]
    first = np.repeat(np.arange(len(order)), mates)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(mates) - mates, mates)
    second = start[group[order]][first] + offset
    apart = first != second
    return order[first[apart]], order[second[apart]]
