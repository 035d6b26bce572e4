"""The part of every write that keeps single-valued relations to one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from clew.core.batches import GraphBatch
from clew.core.knowledge import Edge, EdgeType, Standing
from clew.core.ports import Store
from clew.core.query import EdgeFilter
from clew.knowledge.single_valued import is_single_valued, supersessions
from clew.text.relations import relation_stem

NO_ORIGIN = 0
"""Of what rests on no source: a supersession adds no statement, so nothing carries it."""

_STATED = EdgeFilter(kinds=frozenset(EdgeType) - {EdgeType.MENTIONS}, standings=frozenset(Standing))


def relation_stems(relations: Iterable[str]) -> frozenset[str]:
    """Return the stems of the relations that the settings name."""
    return frozenset(map(relation_stem, relations))


def superseded_before(
    store: Store, collection: str, edges: Sequence[Edge], stems: frozenset[str]
) -> dict[int, datetime]:
    """Return since when edges that are about to be written again have been superseded."""
    wanted = [edge.id for edge in edges if stems and is_single_valued(edge, stems)]
    return {
        edge.id: edge.retired_at
        for edge in (store.edges(collection, wanted) if wanted else ())
        if edge.retired_at is not None and edge.superseded_by is not None
    }


def keep_one_value(
    store: Store,
    collection: str,
    subjects: Iterable[int],
    stems: frozenset[str],
    *,
    at: datetime,
    since: Mapping[int, datetime] | None = None,
) -> None:
    """Retire what newer statements about `subjects` supersede, `at` or as long `since` as before.

    To be called in the transaction that wrote or removed statements.
    """
    nodes = np.array(sorted(set(subjects)), np.int64)
    if not stems or not len(nodes):
        return
    batch = store.expand(collection, nodes, edge_filter=_STATED)
    leaving = sorted(set(batch.edge[batch.forward].tolist()))
    edges = [edge for edge in store.edges(collection, leaving) if is_single_valued(edge, stems)]
    published = _published(store, collection, edges)
    retired = tuple(
        replace(
            found.older,
            evidence=(),
            retired_at=(since or {}).get(found.older.id, at),
            superseded_by=found.newer.id,
        )
        for found in supersessions(edges, published)
    )
    if retired:
        store.write_graph(collection, GraphBatch(NO_ORIGIN, edges=retired))


def _published(store: Store, collection: str, edges: Iterable[Edge]) -> dict[int, datetime]:
    """Return when the document of each chunk that states an edge was published."""
    stating = sorted({found.chunk for edge in edges for found in edge.evidence})
    holders = {chunk.id: chunk.document for chunk in store.chunks(collection, stating)}
    documents = store.documents(collection, ids=sorted(set(holders.values())))
    times = {held.id: held.published_at for held in documents if held.published_at is not None}
    return {chunk: times[holder] for chunk, holder in holders.items() if holder in times}
