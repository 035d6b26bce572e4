"""Names and relations over a view, for those who may see everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from clew.core.arrays import NO_CHUNK, EdgeLabels, Ids
from clew.core.ids import node_id
from clew.stores.embedded.columns import rows_of
from clew.stores.embedded.view import View
from clew.stores.embedded.wording import nodes_by_use


def edge_labels(view: View, edges: Ids) -> EdgeLabels:
    """Return relation and best passage of live edges."""
    snapshot, overlay = view.snapshot, view.overlay
    rows = rows_of(snapshot.edge_ids, edges)
    if len(overlay.changed_edges):
        rows[rows_of(overlay.changed_edges, edges) >= 0] = -1
    known = rows >= 0
    words = snapshot.relations
    relations = [""] * len(edges)
    chunks = np.full(len(edges), NO_CHUNK, np.int64)
    places = np.flatnonzero(known)
    chunks[places] = snapshot.edge_chunks[rows[places]]
    codes = snapshot.edge_relations[rows[places]].tolist()
    for place, code in zip(places.tolist(), codes, strict=True):
        relations[place] = words[code]
    if overlay.relations:
        fresh = rows_of(view.fresh_edge_ids, edges)
        for place in np.flatnonzero(fresh >= 0).tolist():
            known[place] = True
            relations[place] = overlay.relations[int(edges[place])]
            chunks[place] = view.fresh_edge_chunks[fresh[place]]
    return EdgeLabels(known, tuple(relations), chunks)


def node_names(view: View, nodes: Ids) -> Mapping[int, str]:
    """Return the names of live nodes."""
    rows = view.node_rows(nodes)
    old = (rows >= 0) & (rows < len(view.snapshot.node_ids))
    names = dict(zip(nodes[old].tolist(), view.snapshot.node_texts.at(rows[old]), strict=True))
    fresh = view.overlay.node_texts
    if fresh:
        names.update((node, fresh[node]) for node in nodes.tolist() if node in fresh)
    return names


def known_names(
    view: View, keys: Sequence[str], merged: Mapping[int, int]
) -> Mapping[str, tuple[int, ...]]:
    """Return the nodes that each key stands for, most mentioned first; `merged` maps nodes that
    are read as others."""
    numbers = {key: node_id(key) for key in keys}
    own = {key: merged.get(number, number) for key, number in numbers.items()}
    old = (view.snapshot.name_uses, view.snapshot.name_keys, view.overlay.changed_mentions)
    fresh = (view.overlay.name_uses, view.fresh_name_keys, None)
    uses = nodes_by_use([old, fresh], list(numbers.values()))
    living = (view.node_rows(np.array(list(own.values()), np.int64)) >= 0).tolist()
    found: dict[str, tuple[int, ...]] = {}
    for (key, number), lives in zip(numbers.items(), living, strict=True):
        if not lives and number not in uses:
            continue
        counts = Counter(uses.get(number, ()))
        if lives:
            counts[own[key]] += 0
        found[key] = tuple(sorted(counts, key=lambda node: (-counts[node], node)))
    return found
