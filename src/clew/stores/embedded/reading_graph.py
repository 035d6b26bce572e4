"""Reading nodes, edges, mentions and claims from the truth."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clew.core.ids import node_id
from clew.core.knowledge import Claim, Edge, Mention, Merge, Node, Statement
from clew.core.query import ALL_RIGHTS, Filter, Principal
from clew.stores.aggregate import aggregate_edge, aggregate_node
from clew.stores.embedded import rows
from clew.stores.embedded.codes import LINK_CODE, NODE_TYPES
from clew.stores.embedded.columns import id_list, rows_by_text
from clew.stores.embedded.merging import merged_nodes
from clew.stores.embedded.visibility import (
    labelled_nodes,
    visible_chunks,
    visible_mentions,
    visible_nodes,
)

_OF_IDS = "IN (SELECT value FROM json_each(?))"
_USES = f"""SELECT key, node, count(*) FROM mentions
WHERE collection = ? AND key IN ({{texts}}) AND role <> {LINK_CODE} GROUP BY key, node"""  # noqa: S608
_USES_BY_CHUNK = f"""SELECT key, node, count(*), chunk FROM mentions
WHERE collection = ? AND key IN ({{texts}}) AND role <> {LINK_CODE} GROUP BY key, node, chunk"""  # noqa: S608


def nodes(
    connection: sqlite3.Connection,
    collection: int,
    ids: Sequence[int],
    *,
    filter: Filter,
    principal: Principal,
) -> list[Node]:
    """Return visible nodes in the order of `ids`, named by the mentions that are in scope."""
    if filter.labels:
        labelled = labelled_nodes(connection, collection, ids, filter.labels)
        ids = [node for node in ids if node in labelled]
    communities = _community_paths(connection, collection, ids)
    if principal.groups is not None or filter.restricts_documents():
        seen = visible_mentions(connection, collection, ids, principal, filter)
        aggregates = (
            aggregate_node(node, seen[node], community=communities.get(node))
            for node in ids
            if node in seen
        )
        return [node for node in aggregates if node is not None]
    cursor = connection.execute(
        f"SELECT id, name, kind, label, aliases FROM nodes "  # noqa: S608
        f"WHERE collection = ? AND id {_OF_IDS}",
        (collection, id_list(ids)),
    )
    found = {
        identifier: Node(
            id=identifier,
            name=name,
            kind=NODE_TYPES[kind],
            label=label,
            aliases=tuple(json.loads(aliases)) if aliases != "[]" else (),
            community=communities.get(identifier),
        )
        for identifier, name, kind, label, aliases in cursor
    }
    return [found[node] for node in ids if node in found]


def find_names(
    connection: sqlite3.Connection,
    collection: int,
    keys: Sequence[str],
    *,
    filter: Filter,
    principal: Principal,
) -> Mapping[str, tuple[int, ...]]:
    """Return, by key, the visible nodes that it stands for, most mentioned first."""
    wanted = list(dict.fromkeys(keys))
    uses: dict[str, Counter[int]] = defaultdict(Counter)
    if principal.groups is None and not filter.restricts_documents():
        used = rows_by_text(connection, _USES, collection, wanted)
    else:
        by_chunk = rows_by_text(connection, _USES_BY_CHUNK, collection, wanted)
        stating = {row[3] for row in by_chunk}
        seen = visible_chunks(connection, collection, stating, principal, filter)
        used = [row for row in by_chunk if row[3] in seen]
    for key, node, count, *_ in used:
        uses[key][node] += count
    merging = merged_nodes(connection, collection)
    own = {key: merging.root(node_id(key)) for key in wanted}
    seen_nodes = visible_nodes(connection, collection, own.values(), principal, filter)
    for key, node in own.items():
        if node in seen_nodes:
            uses[key][node] += 0
    if filter.labels:
        found = {node for nodes in uses.values() for node in nodes}
        labelled = labelled_nodes(connection, collection, found, filter.labels)
        kept = {
            key: Counter({node: count for node, count in held.items() if node in labelled})
            for key, held in uses.items()
        }
        return {key: _most_used(kept[key]) for key in wanted if kept.get(key)}
    return {key: _most_used(uses[key]) for key in wanted if key in uses}


def nodes_without_vectors(
    connection: sqlite3.Connection, collection: int, *, limit: int
) -> list[int]:
    """Return the first live nodes, by id, that have no vectors."""
    cursor = connection.execute(
        "SELECT id FROM nodes INDEXED BY nodes_not_embedded "
        "WHERE collection = ? AND embedded = 0 ORDER BY id LIMIT ?",
        (collection, limit),
    )
    return [row[0] for row in cursor]


def edges(
    connection: sqlite3.Connection, collection: int, ids: Sequence[int], *, principal: Principal
) -> list[Edge]:
    """Return live and retired edges in the order of `ids`, with the visible evidence."""
    cursor = connection.execute(
        f"SELECT {rows.EDGE} FROM edges WHERE collection = ? AND id {_OF_IDS}",  # noqa: S608
        (collection, id_list(ids)),
    )
    heads = {row[0]: rows.edge_head(row) for row in cursor}
    statements: dict[int, list[Statement]] = defaultdict(list)
    for row in connection.execute(
        f"SELECT {rows.STATEMENT} FROM statements "  # noqa: S608
        f"WHERE collection = ? AND edge {_OF_IDS}",
        (collection, id_list(heads)),
    ):
        statements[row[0]].append(rows.statement_value(row))
    found = {key: aggregate_edge(head, statements[key]) for key, head in heads.items()}

    ends = {end for head in heads.values() for end in (head.source, head.target)}
    living = visible_nodes(connection, collection, ends, ALL_RIGHTS)
    seen_nodes = visible_nodes(connection, collection, ends, principal)
    stating = {item.chunk for edge in found.values() if edge for item in edge.evidence}
    seen_chunks = visible_chunks(connection, collection, stating, principal)
    return [
        visible
        for edge in (found.get(identifier) for identifier in ids)
        if edge is not None
        and (edge.retired_at is not None or {edge.source, edge.target} <= living)
        for visible in _visible(edge, seen_nodes, seen_chunks, principal)
    ]


def mentions(
    connection: sqlite3.Connection, collection: int, chunks: Sequence[int]
) -> list[Mention]:
    """Return mentions of live nodes, by chunk as given, then span, node, key and role."""
    cursor = connection.execute(
        f"SELECT {rows.MENTION} FROM mentions m "  # noqa: S608
        f"WHERE collection = ? AND chunk {_OF_IDS} AND EXISTS "
        "(SELECT 1 FROM nodes n WHERE n.collection = m.collection AND n.id = m.node)",
        (collection, id_list(set(chunks))),
    )
    grouped: dict[int, list[Mention]] = defaultdict(list)
    for row in cursor:
        grouped[row[0]].append(rows.mention_value(row))
    for held in grouped.values():
        held.sort(
            key=lambda item: (item.span.start, item.span.end, item.node, item.key, item.role.value)
        )
    return [mention for chunk in chunks for mention in grouped.get(chunk, ())]


def claims(connection: sqlite3.Connection, collection: int, chunks: Sequence[int]) -> list[Claim]:
    """Return claims, by chunk as given, then span and id."""
    cursor = connection.execute(
        f"SELECT {rows.CLAIM} FROM claims INDEXED BY claims_chunk "  # noqa: S608
        f"WHERE collection = ? AND chunk {_OF_IDS} ORDER BY span_start, span_end, id",
        (collection, id_list(set(chunks))),
    )
    merging = merged_nodes(connection, collection)
    grouped: dict[int, list[Claim]] = defaultdict(list)
    for row in cursor:
        grouped[row[1]].append(merging.claim(rows.claim_value(row)))
    return [claim for chunk in chunks for claim in grouped.get(chunk, ())]


def merges(connection: sqlite3.Connection, collection: int, *, node: int | None) -> list[Merge]:
    """Return the merge log, ordered by key, node and chunk."""
    merging = merged_nodes(connection, collection)
    if node in merging.roots:
        return []
    condition = "" if node is None else f" AND node {_OF_IDS}"
    cursor = connection.execute(
        f"SELECT {rows.MERGE} FROM merges WHERE collection = ?{condition}",  # noqa: S608
        (collection,) if node is None else (collection, id_list(merging.group(node))),
    )
    return sorted(
        (merging.merge(Merge(*row)) for row in cursor),
        key=lambda merge: (merge.key, merge.node, merge.chunk, -merge.score, merge.reason),
    )


def counts(connection: sqlite3.Connection, collection: int) -> Mapping[str, int]:
    """Return rows by table; nodes, edges and mentions are the live ones."""
    living = "EXISTS (SELECT 1 FROM nodes n WHERE n.collection = t.collection AND n.id = t.{})"
    conditions = {
        "documents": "",
        "chunks": "",
        "nodes": "",
        "edges": f"AND retired_at IS NULL AND {living.format('source')} "
        f"AND {living.format('target')}",
        "claims": "",
        "mentions": f"AND {living.format('node')}",
        "merges": "",
    }
    return {
        table: int(
            connection.execute(
                f"SELECT count(*) FROM {table} t WHERE collection = ? {condition}",  # noqa: S608
                (collection,),
            ).fetchone()[0]
        )
        for table, condition in conditions.items()
    }


def _visible(
    edge: Edge, seen_nodes: set[int], seen_chunks: set[int], principal: Principal
) -> list[Edge]:
    if principal.groups is None:
        return [edge]
    evidence = tuple(item for item in edge.evidence if item.chunk in seen_chunks)
    if not {edge.source, edge.target} <= seen_nodes or (edge.evidence and not evidence):
        return []
    return [replace(edge, evidence=evidence)]


def _most_used(uses: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(uses, key=lambda node: (-uses[node], node)))


def _community_paths(
    connection: sqlite3.Connection, collection: int, nodes: Sequence[int]
) -> dict[int, str]:
    """Return the path of the deepest community of each node, ties by path."""
    cursor = connection.execute(
        f"SELECT node, path FROM memberships "  # noqa: S608
        f"WHERE collection = ? AND node {_OF_IDS} ORDER BY level, path DESC",
        (collection, id_list(nodes)),
    )
    return dict(cursor.fetchall())
