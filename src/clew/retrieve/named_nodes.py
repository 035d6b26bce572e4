"""The nodes that a question names, by looking up its word runs among the known names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.core.arrays import Floats, Ids
from clew.core.ports import GraphStore
from clew.core.query import Query
from clew.retrieve.question import name_candidates

_MOST_MEANINGS = 5


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """Nodes named in a question, shape (n,) each; `weights` are rarities over ambiguity, and
    `names` tells which of the question's names stands for the node."""

    ids: Ids
    weights: Floats
    names: Ids


def find_named_nodes(query: Query, *, graph: GraphStore) -> NamedNodes:
    """Return the nodes in scope that the question names; of overlapping names the longest wins.

    A name of m nodes gives each the weight rarity / m, most mentioned first, at most five.
    """
    candidates = list(name_candidates(query.text))
    known = graph.find_names(
        query.collection,
        list(dict.fromkeys(candidate.key for candidate in candidates)),
        filter=query.filter,
        principal=query.principal,
    )
    taken: set[int] = set()
    shares: dict[int, tuple[float, int]] = {}
    for name, candidate in enumerate(candidates):
        places = range(candidate.first, candidate.last)
        meanings = known.get(candidate.key, ())[:_MOST_MEANINGS]
        if not meanings or not taken.isdisjoint(places):
            continue
        taken.update(places)
        for node in meanings:
            shares[node] = max(shares.get(node, (0.0, name)), (1.0 / len(meanings), name))
    ids = np.fromiter(shares.keys(), np.int64, len(shares))
    share = np.fromiter((share for share, _ in shares.values()), np.float32, len(shares))
    names = np.fromiter((name for _, name in shares.values()), np.int64, len(shares))
    return NamedNodes(ids, share * rarity(graph.mention_counts(query.collection, ids)), names)


def rarity(mention_counts: Ids) -> Floats:
    """Return 1 / (1 + ln max(mentions, 1)): 1 for what one passage mentions, falling slowly."""
    counts = np.maximum(mention_counts, 1).astype(np.float32)
    return np.asarray(1.0 / (1.0 + np.log(counts)), dtype=np.float32)
