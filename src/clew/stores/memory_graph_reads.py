"""Reading knowledge from memory: the reference of `GraphStore`'s reads, written to be read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import EdgeBatch, Floats, Hits, Ids, Matrix
from clew.core.ids import edge_id, node_id
from clew.core.knowledge import (
    EDGE_TYPE_CODES,
    NO_PERIOD,
    Claim,
    Community,
    Edge,
    EdgeType,
    Mention,
    Merge,
    Node,
    Period,
    Standing,
)
from clew.core.listing import ListedNode, NodeList, NodeSelection, listed
from clew.core.query import NO_FILTER, EdgeFilter, Filter, Principal
from clew.stores.aggregate import aggregate_node, establishes, hub_threshold
from clew.stores.community_scope import SummaryVectors
from clew.stores.memory_chunks import nearest, rows_in_order
from clew.stores.memory_rows import NodeVectorRow
from clew.stores.memory_view import View
from clew.stores.times import in_utc, instant
from clew.stores.whole_graph import each_once, without_mentions


@dataclass(frozen=True, slots=True)
class _Step:
    """An edge as seen from one of its ends."""

    target: int
    edge: int
    kind: EdgeType
    forward: bool
    confidence: float
    standing: Standing
    period: Period


def nodes(view: View, ids: Sequence[int], *, filter: Filter, principal: Principal) -> list[Node]:
    """Return visible nodes in the order of `ids`, named by the mentions that are in scope."""
    if principal.groups is None and filter.is_empty():
        return [view.nodes[node] for node in ids if node in view.nodes]
    found = (
        aggregate_node(
            node,
            _mentions_in_scope(view, node, filter, principal),
            community=view.community_paths.get(node),
        )
        for node in ids
    )
    return [node for node in found if node is not None]


def list_nodes(
    view: View, *, wanted: NodeSelection, limit: int, offset: int, principal: Principal
) -> NodeList:
    """Return the visible nodes that are wanted, page by page."""
    found = (
        ListedNode(
            node,
            len(
                {
                    mention.chunk
                    for mention in view.mentions_by_node[node.id]
                    if view.sees_chunk(principal, mention.chunk)
                }
            ),
        )
        for node in nodes(view, list(view.nodes), filter=NO_FILTER, principal=principal)
    )
    return listed(found, wanted, limit=limit, offset=offset)


def find_names(
    view: View, keys: Sequence[str], *, filter: Filter, principal: Principal
) -> Mapping[str, tuple[int, ...]]:
    """Return, by key, the visible nodes that it stands for, most mentioned first."""
    wanted = set(keys)
    uses: dict[str, Counter[int]] = defaultdict(Counter)
    for node in view.nodes:
        for mention in _mentions_in_scope(view, node, filter, principal):
            if mention.key in wanted:
                uses[mention.key][node] += 1
    merging = view.rows.merging
    for key in wanted:
        own = merging.root(node_id(key))
        if _mentions_in_scope(view, own, filter, principal):
            uses[key][own] += 0
    return {key: _most_used(uses[key]) for key in dict.fromkeys(keys) if key in uses}


def nodes_without_vectors(view: View, *, limit: int) -> list[int]:
    """Return the first live nodes, by id, that have no vectors."""
    return sorted(view.nodes.keys() - view.rows.node_vectors.keys())[:limit]


def search_nodes(
    view: View,
    vector: Floats,
    *,
    limit: int,
    column: Callable[[NodeVectorRow], Floats],
    filter: Filter,
    principal: Principal,
) -> Hits:
    """Return the nodes in scope that are nearest by one column of their vectors."""
    return nearest(
        {node: column(row) for node, row in view.rows.node_vectors.items()},
        vector,
        limit=limit,
        in_scope=lambda node: (
            node in view.nodes and view.node_in_scope(view.nodes[node], filter, principal)
        ),
    )


def match_names(view: View, vectors: Matrix, *, least: float) -> list[Hits]:
    """Return, for each row, the live nodes whose name vector has at least that cosine."""
    table = {node: row.name for node, row in view.rows.node_vectors.items()}
    found = [
        nearest(table, vector, limit=len(table), in_scope=view.nodes.__contains__)
        for vector in vectors
    ]
    return [
        Hits(hits.ids[hits.scores >= least], hits.scores[hits.scores >= least]) for hits in found
    ]


def node_vectors(view: View, ids: Ids) -> Matrix:
    """Return search vectors in the order of `ids`, zeros where there is none."""
    table = {node: row.search for node, row in view.rows.node_vectors.items() if node in view.nodes}
    return rows_in_order(table, ids)


def expand(
    view: View,
    frontier: Ids,
    *,
    at: datetime | None,
    edge_filter: EdgeFilter,
    limit: int | None,
    filter: Filter,
    principal: Principal,
) -> EdgeBatch:
    """Return the live, visible edges of a frontier that pass the filters."""
    rows: list[tuple[int, _Step]] = []
    for node in frontier.tolist():
        passing = [
            step
            for step in _steps(view, node, filter, principal)
            if _passes(step, edge_filter) and _in_force(step.period, at)
        ]
        passing.sort(key=lambda step: (-np.float32(step.confidence), step.edge))
        rows += [(node, step) for step in passing[:limit]]
    return EdgeBatch(
        source=np.array([node for node, _ in rows], np.int64),
        target=np.array([step.target for _, step in rows], np.int64),
        edge=np.array([step.edge for _, step in rows], np.int64),
        kind=np.array([EDGE_TYPE_CODES[step.kind] for _, step in rows], np.int8),
        forward=np.array([step.forward for _, step in rows], np.bool_),
        confidence=np.array([step.confidence for _, step in rows], np.float32),
        occurred_at=_instants([step.period.occurred_at for _, step in rows]),
        valid_from=_instants([step.period.valid_from for _, step in rows]),
        valid_to=_instants([step.period.valid_to for _, step in rows]),
    )


def knowledge_edges(
    view: View, *, at: datetime | None, edge_filter: EdgeFilter, principal: Principal
) -> EdgeBatch:
    """Return every live, visible knowledge edge once, forward, ordered by edge id."""
    found = expand(
        view,
        np.array(sorted(view.nodes), np.int64),
        at=at,
        edge_filter=without_mentions(edge_filter),
        limit=None,
        filter=NO_FILTER,
        principal=principal,
    )
    return each_once(found)


def degrees(view: View, ids: Ids) -> NDArray[np.int64]:
    """Return the number of live knowledge edges of each node."""
    return np.array([len(view.incident.get(node, ())) for node in ids.tolist()], np.int64)


def hub_degree(view: View) -> int:
    """Return the degree from which a node belongs to the top tenth."""
    return hub_threshold([len(view.incident.get(node, ())) for node in view.nodes])


def mention_counts(view: View, ids: Ids) -> NDArray[np.int64]:
    """Return in how many chunks each live node is mentioned."""
    counts = [
        len({mention.chunk for mention in view.mentions_by_node[node]}) if node in view.nodes else 0
        for node in ids.tolist()
    ]
    return np.array(counts, np.int64)


def edges(view: View, ids: Sequence[int], *, principal: Principal) -> list[Edge]:
    """Return live and retired edges in the order of `ids`, with the visible evidence."""
    known = (view.edges[edge] for edge in ids if edge in view.edges)
    return [
        replace(
            edge,
            evidence=tuple(
                found for found in edge.evidence if view.sees_chunk(principal, found.chunk)
            ),
        )
        for edge in known
        if (edge.retired_at is not None or edge.id in view.live_edges)
        and view.sees_edge(principal, edge)
    ]


def mentions(view: View, chunks: Sequence[int]) -> list[Mention]:
    """Return mentions of live nodes, by chunk as given, then span, node, key and role."""
    return [
        mention
        for chunk in chunks
        for mention in sorted(view.mentions_by_chunk.get(chunk, ()), key=_mention_order)
    ]


def claims(view: View, chunks: Sequence[int]) -> list[Claim]:
    """Return claims, by chunk as given, then span and id."""
    held: dict[int, list[Claim]] = defaultdict(list)
    for row in view.rows.claims.values():
        held[row.claim.chunk].append(view.rows.merging.claim(row.claim))
    return [
        claim
        for chunk in chunks
        for claim in sorted(
            held.get(chunk, ()), key=lambda claim: (claim.span.start, claim.span.end, claim.id)
        )
    ]


def merges(view: View, *, node: int | None) -> list[Merge]:
    """Return the merge log, ordered by key, node and chunk."""
    merging = view.rows.merging
    found = (merging.merge(row.merge) for row in view.rows.merges.values())
    return sorted(
        (merge for merge in found if node is None or merge.node == node),
        key=lambda merge: (merge.key, merge.node, merge.chunk, -merge.score, merge.reason),
    )


def communities(
    view: View, *, ids: Sequence[int] | None = None, level: int | None
) -> list[Community]:
    """Return communities by level, path and id, whoever may see them."""
    held = view.rows.communities
    wanted = held if ids is None else {one for one in ids if one in held}
    found = (held[one] for one in wanted if level is None or held[one].level == level)
    return sorted(found, key=lambda community: (community.level, community.path, community.id))


def summaries(view: View, *, level: int | None) -> SummaryVectors:
    """Return the communities that have a vector, with it, whoever may see them."""
    vectors = view.rows.community_vectors
    found = [one for one in communities(view, level=level) if one.id in vectors]
    ids = np.array([one.id for one in found], np.int64)
    return SummaryVectors(ids, [one.acl for one in found], rows_in_order(vectors, ids))


def _mentions_in_scope(
    view: View, node: int, filter: Filter, principal: Principal
) -> list[Mention]:
    """Return the mentions that keep a node alive, that the principal sees, and whose documents pass
    the filter; none if the node's label does not."""
    known = view.nodes.get(node)
    if known is None or not view.label_in_scope(known, filter):
        return []
    return [
        mention
        for mention in view.mentions_by_node[node]
        if establishes(mention) and view.document_in_scope(mention.chunk, filter, principal)
    ]


def _most_used(uses: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(uses, key=lambda node: (-uses[node], node)))


def _steps(view: View, node: int, filter: Filter, principal: Principal) -> Iterator[_Step]:
    """Yield the visible edges in scope of a node or chunk, as seen from it."""
    for edge in view.incident.get(node, ()):
        if view.edge_in_scope(edge, filter, principal):
            forward = edge.source == node
            yield _Step(
                target=edge.target if forward else edge.source,
                edge=edge.id,
                kind=edge.kind,
                forward=forward,
                confidence=edge.confidence,
                standing=edge.standing,
                period=edge.period,
            )
    if view.chunk_in_scope(node, filter, principal):
        best = _best_confidences(view.mentions_by_chunk.get(node, ()), _mentioned_node)
        for mentioned, confidence in best.items():
            if view.sees_node(principal, mentioned):
                yield _mention_step(node, mentioned, confidence, forward=True)
    if view.sees_node(principal, node):
        best = _best_confidences(view.mentions_by_node[node], _mentioning_chunk)
        for chunk, confidence in best.items():
            if view.chunk_in_scope(chunk, filter, principal):
                yield _mention_step(chunk, node, confidence, forward=False)


def _mention_step(chunk: int, node: int, confidence: float, *, forward: bool) -> _Step:
    return _Step(
        target=node if forward else chunk,
        edge=edge_id(chunk, node, EdgeType.MENTIONS.value, ""),
        kind=EdgeType.MENTIONS,
        forward=forward,
        confidence=confidence,
        standing=Standing.REPORTED,
        period=NO_PERIOD,
    )


def _best_confidences(
    mentions: Sequence[Mention], other_end: Callable[[Mention], int]
) -> dict[int, float]:
    best: dict[int, float] = {}
    for mention in mentions:
        end = other_end(mention)
        best[end] = max(mention.confidence, best.get(end, mention.confidence))
    return best


def _mentioned_node(mention: Mention) -> int:
    return mention.node


def _mentioning_chunk(mention: Mention) -> int:
    return mention.chunk


def _passes(step: _Step, edge_filter: EdgeFilter) -> bool:
    return (
        (edge_filter.kinds is None or step.kind in edge_filter.kinds)
        and step.standing in edge_filter.standings
        and bool(np.float32(step.confidence) >= np.float32(edge_filter.minimum_confidence))
    )


def _in_force(period: Period, at: datetime | None) -> bool:
    if at is None:
        return True
    moment = in_utc(at)
    return (
        (period.occurred_at is None or in_utc(period.occurred_at) <= moment)
        and (period.valid_from is None or in_utc(period.valid_from) <= moment)
        and (period.valid_to is None or moment < in_utc(period.valid_to))
    )


def _instants(moments: Sequence[datetime | None]) -> NDArray[np.datetime64]:
    return np.array([instant(moment) for moment in moments], "datetime64[us]")


def _mention_order(mention: Mention) -> tuple[int, int, int, str, str]:
    return (mention.span.start, mention.span.end, mention.node, mention.key, mention.role.value)
