"""Which rows of a view a filter and a principal leave, as flags by view row.

Every function returns None where nothing is excluded, so that unrestricted reads cost nothing.
Flags have one more place at the end, False, for row -1. A view keeps what was computed for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, Ids
from clew.core.errors import StoreError
from clew.core.query import NO_FILTER, Filter, Principal
from clew.stores.embedded.columns import rows_of
from clew.stores.embedded.view import View
from clew.stores.filters import passes_document

Mask = TypeVar("Mask")

_KEPT_SCOPES = 64


def chunk_scope(view: View, filter: Filter, principal: Principal) -> Booleans | None:
    """Return the chunks that pass the whole filter and that the principal may see."""
    return _kept(view, ("chunks", filter, principal), lambda: _chunk_scope(view, filter, principal))


def node_scope(view: View, filter: Filter, principal: Principal) -> Booleans | None:
    """Return the nodes with a label asked for and a chunk in scope that keeps them alive."""
    return _kept(view, ("nodes", filter, principal), lambda: _node_scope(view, filter, principal))


def edge_scope(
    view: View, filter: Filter, principal: Principal
) -> tuple[Booleans, Booleans] | None:
    """Return the edge rows, of the snapshot and of the overlay, that the principal may see and
    that, under a filter, a chunk in scope states."""
    if principal.groups is None and filter.is_empty():
        return None
    return _kept(view, ("edges", filter, principal), lambda: _edge_scope(view, filter, principal))


def search_flags(
    dead: Booleans, flags: Booleans | None, rows: NDArray[np.int32] | None = None
) -> Booleans | None:
    """Return which snapshot rows a search may return: in scope and unchanged.

    `rows` names the snapshot rows to be answered for (None: all, in order).
    """
    if flags is None and not dead.any():
        return None
    alive = ~dead if flags is None else flags[: len(dead)] & ~dead
    return alive if rows is None else np.append(alive, False)[rows]


def _chunk_scope(view: View, filter: Filter, principal: Principal) -> Booleans | None:
    flags = _document_scope(view, filter, principal)
    if not filter.labels:
        return flags
    labelled = _labelled_chunks(view, filter.labels)
    return labelled if flags is None else labelled & flags


def _document_scope(view: View, filter: Filter, principal: Principal) -> Booleans | None:
    """Return the chunks whose document passes, labels left aside."""
    if principal.groups is None and not filter.restricts_documents():
        return None
    bare = replace(filter, labels=frozenset())
    return _kept(
        view, ("documents", bare, principal), lambda: _allowed_chunks(view, bare, principal)
    )


def _allowed_chunks(view: View, filter: Filter, principal: Principal) -> Booleans:
    allowed = np.array(
        sorted(
            identifier
            for identifier, document in view.documents.items()
            if principal.may_see(document.acl) and passes_document(filter, document)
        ),
        np.int64,
    )
    snapshot = view.snapshot
    old = np.append(rows_of(allowed, snapshot.document_ids) >= 0, False)
    flags = old[snapshot.chunk_document_rows] & ~view.dead_chunks
    fresh = rows_of(allowed, view.overlay.chunks["document"]) >= 0
    return np.concatenate([flags, fresh, [False]])


def _labelled_chunks(view: View, labels: frozenset[str]) -> Booleans:
    node_flags = _labelled_nodes(view, labels)
    snapshot, overlay = view.snapshot, view.overlay
    flags = np.zeros(len(snapshot.chunk_ids) + len(view.fresh_chunk_ids) + 1, np.bool_)
    keep = node_flags[view.node_redirect[snapshot.mention_rows["node"]]]
    keep &= _alive_mentions(view)
    flags[view.chunk_redirect[snapshot.mention_rows["chunk"][keep]]] = True
    keep = node_flags[view.node_rows(overlay.mentions["node"])]
    flags[view.chunk_rows(overlay.mentions["chunk"][keep])] = True
    flags[-1] = False
    return flags


def _labelled_nodes(view: View, labels: frozenset[str]) -> Booleans:
    codes = view.snapshot.labels.codes
    wanted = np.zeros(len(codes) + 1, np.bool_)
    wanted[[codes[label] for label in labels if label in codes]] = True
    flags = wanted[view.node_labels]
    flags[: len(view.dead_nodes)] &= ~view.dead_nodes
    flags[-1] = False
    return flags


def _node_scope(view: View, filter: Filter, principal: Principal) -> Booleans | None:
    labelled = _labelled_nodes(view, filter.labels) if filter.labels else None
    chunk_flags = _document_scope(view, filter, principal)
    if chunk_flags is None:
        return labelled
    snapshot, overlay = view.snapshot, view.overlay
    flags = np.zeros(len(snapshot.node_ids) + len(view.fresh_node_ids) + 1, np.bool_)
    keep = chunk_flags[view.chunk_redirect[snapshot.mention_rows["chunk"]]]
    keep &= _alive_mentions(view) & (snapshot.mentions["establishing"] != 0)
    flags[view.node_redirect[snapshot.mention_rows["node"][keep]]] = True
    keep = chunk_flags[view.chunk_rows(overlay.mentions["chunk"])]
    keep &= overlay.mentions["establishing"] != 0
    flags[view.node_rows(overlay.mentions["node"][keep])] = True
    flags[-1] = False
    return flags if labelled is None else flags & labelled


def _edge_scope(view: View, filter: Filter, principal: Principal) -> tuple[Booleans, Booleans]:
    snapshot, overlay = view.snapshot, view.overlay
    chunks = chunk_scope(view, filter, principal)
    if chunks is None:
        raise StoreError("a scope without groups and filter excludes no edge; ask for none")
    nodes = node_scope(view, NO_FILTER, principal)
    if nodes is None:
        nodes = _every_node(view)
    bare = filter.is_empty()
    old_chunks, old_nodes = chunks[view.chunk_redirect], nodes[view.node_redirect]
    old = _supported(
        len(snapshot.edges),
        snapshot.evidence_rows["edge"],
        old_chunks[snapshot.evidence_rows["chunk"]],
        without_evidence=bare,
    )
    old &= old_nodes[snapshot.edge_rows["source"]] & old_nodes[snapshot.edge_rows["target"]]
    old_mentions = old_chunks[snapshot.mention_rows["chunk"]]
    old_mentions &= old_nodes[snapshot.mention_rows["node"]]

    edges, evidence, mentions = overlay.edges, overlay.evidence, overlay.mentions
    fresh = _supported(
        len(edges),
        rows_of(_contiguous(edges["id"]), evidence["edge"]),
        chunks[view.chunk_rows(evidence["chunk"])],
        without_evidence=bare,
    )
    fresh &= nodes[view.node_rows(edges["source"])] & nodes[view.node_rows(edges["target"])]
    fresh_mentions = chunks[view.chunk_rows(mentions["chunk"])]
    fresh_mentions &= nodes[view.node_rows(mentions["node"])]
    return np.concatenate([old, old_mentions]), np.concatenate([fresh, fresh_mentions])


def _supported(
    edges: int, rows: NDArray[Any], visible: Booleans, *, without_evidence: bool
) -> Booleans:
    """Return which edges have visible evidence; those that have none at all as told. `rows` is the
    edge of each piece of evidence."""
    supported = np.full(edges, without_evidence, np.bool_)
    supported[rows] = False
    supported[rows[visible]] = True
    return supported


def _every_node(view: View) -> Booleans:
    """Return flags of all live nodes."""
    flags = np.ones(len(view.node_labels), np.bool_)
    flags[: len(view.dead_nodes)] = ~view.dead_nodes
    flags[-1] = False
    return flags


def _alive_mentions(view: View) -> Booleans:
    dead = view.old_mentions.dead
    return np.ones(len(view.snapshot.mentions), np.bool_) if dead is None else ~dead


def _contiguous(column: NDArray[Any]) -> Ids:
    return np.ascontiguousarray(column)


def _kept(view: View, key: tuple[object, ...], compute: Callable[[], Mask]) -> Mask:
    if key not in view.scopes:
        if len(view.scopes) >= _KEPT_SCOPES:
            view.scopes.clear()
        computed = compute()
        view.scopes[key] = computed
        return computed
    found: Mask = view.scopes[key]
    return found
