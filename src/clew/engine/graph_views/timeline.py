"""What happened and held, in the order of time: dated edges, and dated claims of a thing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from clew.core.arrays import Booleans, EdgeBatch, Times
from clew.core.graph_views import TimelineEntry
from clew.core.knowledge import Claim, Edge, EdgeType, Period, Standing
from clew.core.ports import Store
from clew.core.query import EdgeFilter, Principal
from clew.engine.graph_views.neighbours import KNOWLEDGE_KINDS

_DATED = EdgeFilter(kinds=KNOWLEDGE_KINDS, standings=frozenset(Standing))
_MENTIONING = EdgeFilter(kinds=frozenset({EdgeType.MENTIONS}))


def timeline_of(
    store: Store,
    collection: str,
    node: int | None,
    *,
    start: datetime | None,
    end: datetime | None,
    limit: int,
    principal: Principal,
) -> tuple[TimelineEntry, ...]:
    """Return the first `limit` dated edges and claims of a node, None: edges of the collection.

    Those are told that touch the time from `start` until `end`; an open end reaches any time.
    """
    if node is None:
        edges = store.knowledge_edges(collection, edge_filter=_DATED, principal=principal)
        claims: Sequence[Claim] = ()
    else:
        frontier = np.array([node], np.int64)
        edges = store.expand(collection, frontier, edge_filter=_DATED, principal=principal)
        claims = _claims(store, collection, node, principal=principal)
    entries = [
        *_edge_entries(store, collection, edges, start, end, limit=limit, principal=principal),
        *(entry for claim in claims if (entry := _claim_entry(claim, start, end)) is not None),
    ]
    return tuple(sorted(entries, key=_order)[:limit])


def _edge_entries(
    store: Store,
    collection: str,
    found: EdgeBatch,
    start: datetime | None,
    end: datetime | None,
    *,
    limit: int,
    principal: Principal,
) -> list[TimelineEntry]:
    """Return the first `limit` of the edges; only these are read whole."""
    began = _first_of(found.occurred_at, found.valid_from, found.valid_to)
    kept = ~np.isnat(began) & _touches(found, began, start, end)
    order = np.lexsort((found.edge[kept], began[kept]))
    ids = list(dict.fromkeys(found.edge[kept][order].tolist()))[:limit]
    edges = store.edges(collection, ids, principal=principal)
    ends = sorted({node for edge in edges for node in (edge.source, edge.target)})
    names = {node.id: node.name for node in store.nodes(collection, ends, principal=principal)}
    return [
        TimelineEntry(
            at=_at(edge.period),
            until=_until(edge.period),
            text=_words(edge, names.get(edge.source, "?"), names.get(edge.target, "?")),
            confidence=edge.confidence,
            edge=edge.id,
            chunk=edge.evidence[0].chunk if edge.evidence else None,
        )
        for edge in edges
    ]


def _words(edge: Edge, source: str, target: str) -> str:
    denied = "not " if edge.negated else ""
    return f"{source} → {denied}{edge.relation} → {target}"


def _claims(store: Store, collection: str, node: int, *, principal: Principal) -> list[Claim]:
    """Return the claims about a node in passages that the principal sees."""
    mentioning = store.expand(
        collection, np.array([node], np.int64), edge_filter=_MENTIONING, principal=principal
    ).target.tolist()
    held = store.chunks(collection, sorted(set(mentioning)), principal=principal)
    claims = store.claims(collection, [chunk.id for chunk in held])
    return [claim for claim in claims if node in claim.subjects]


def _claim_entry(
    claim: Claim, start: datetime | None, end: datetime | None
) -> TimelineEntry | None:
    period = claim.period
    if period == Period():
        return None
    at, until = _at(period), _until(period)
    last = until or (at if period.valid_from is None else None)
    if (end is not None and at > end) or (start is not None and last is not None and last < start):
        return None
    return TimelineEntry(at, until, claim.text, claim.confidence, None, claim.id, claim.chunk)


def _at(period: Period) -> datetime:
    moment = period.occurred_at or period.valid_from or period.valid_to
    return datetime.min.replace(tzinfo=UTC) if moment is None else moment


def _until(period: Period) -> datetime | None:
    return period.valid_to if period.valid_from is not None else None


def _first_of(*columns: Times) -> Times:
    """Return the first known time of each row."""
    found = columns[0]
    for column in columns[1:]:
        found = np.where(np.isnat(found), column, found)
    return found


def _touches(
    found: EdgeBatch, began: Times, start: datetime | None, end: datetime | None
) -> Booleans:
    """Return which rows touch the time from `start` until `end`."""
    kept: Booleans = np.ones(len(began), np.bool_)
    if end is not None:
        kept &= began <= _instant(end)
    if start is not None:
        # A point ends where it begins; a period without an end goes on.
        ended = np.where(np.isnat(found.valid_from), began, found.valid_to)
        kept &= np.isnat(ended) | (ended >= _instant(start))
    return kept


def _instant(moment: datetime) -> np.datetime64:
    return np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us")


def _order(entry: TimelineEntry) -> tuple[datetime, int, int]:
    return entry.at, entry.edge or 0, entry.claim or 0
