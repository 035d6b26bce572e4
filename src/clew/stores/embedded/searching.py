"""Searches over a view: snapshot and overlay each give their best, the best of both are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Booleans, EdgeBatch, Floats, Hits, Ids, Matrix, empty_hits, top_hits
from clew.core.query import NO_FILTER, EdgeFilter, Filter, Principal
from clew.stores.embedded.adjacency import Adjacency, leaving, ranked, tables_asked_for
from clew.stores.embedded.columns import rows_of
from clew.stores.embedded.masks import chunk_scope, edge_scope, node_scope, search_flags
from clew.stores.embedded.token_streams import is_term, phrase_rows, scores
from clew.stores.embedded.vectors import VectorIndex, joined_hits
from clew.stores.embedded.view import View
from clew.stores.embedded.writing_chunks import require_same
from clew.stores.whole_graph import each_once, without_mentions
from clew.text.bm25 import CorpusStatistics, query_terms
from clew.text.phrases import phrase_tokens


def search_chunks(
    view: View, vector: Floats, *, limit: int, filter: Filter, principal: Principal
) -> Hits:
    """Return the chunks in scope of highest cosine."""
    flags = chunk_scope(view, filter, principal)
    return _nearest(
        (view.old_vectors, view.fresh_vectors),
        vector,
        limit=limit,
        old_allowed=search_flags(view.dead_chunks, flags, view.snapshot.vector_rows),
        fresh_allowed=_fresh_flags(
            flags, len(view.dead_chunks), view.fresh_chunk_ids, view.overlay.vectors.ids
        ),
        place="the collection",
    )


def search_nodes(
    view: View, vector: Floats, *, limit: int, filter: Filter, principal: Principal
) -> Hits:
    """Return the nodes in scope whose search vectors are nearest."""
    indexes = view.old_node_searches, view.fresh_node_searches
    return _nearest_nodes(view, indexes, vector, limit, node_scope(view, filter, principal))


def search_names(
    view: View, vector: Floats, *, limit: int, filter: Filter, principal: Principal
) -> Hits:
    """Return the nodes in scope whose name vectors are nearest."""
    indexes = view.old_node_names, view.fresh_node_names
    return _nearest_nodes(view, indexes, vector, limit, node_scope(view, filter, principal))


def match_names(view: View, vectors: Matrix, *, least: float) -> list[Hits]:
    """Return, for each row, the live nodes whose name vector has at least that cosine."""
    old, fresh = view.old_node_names, view.fresh_node_names
    dimensions = max(old.dimensions, fresh.dimensions)
    if not dimensions or not len(vectors):
        return [empty_hits() for _ in vectors]
    require_same(vectors.shape[1], dimensions, "the collection's nodes")
    alive = search_flags(view.dead_nodes, None, view.snapshot.node_vector_rows)
    pairs = zip(
        old.above(vectors, least, allowed=alive),
        fresh.above(vectors, least, allowed=None),
        strict=True,
    )
    return [joined_hits([*pair]) for pair in pairs]


def search_text(view: View, text: str, *, limit: int, filter: Filter, principal: Principal) -> Hits:
    """Return the chunks in scope of highest BM25, by the statistics of the whole collection."""
    query = query_terms(text)
    if not query or limit <= 0:
        return empty_hits()
    flags = chunk_scope(view, filter, principal)
    fresh_words = np.array([view.overlay.text.number(term) for term in query], np.int64)
    corpus = _statistics(view, query, fresh_words)

    old = view.snapshot.keywords.search(
        query,
        corpus=corpus,
        limit=limit,
        allowed=search_flags(view.dead_chunks, flags),
        chunk_ids=view.snapshot.chunk_ids,
    )
    fresh = np.arange(len(view.fresh_chunk_ids))
    if flags is not None:
        fresh = fresh[flags[len(view.dead_chunks) : -1]]
    found = scores(view.fresh_stream, fresh, query=query, words=fresh_words, corpus=corpus)
    positive = found > 0
    return _best([old, Hits(view.fresh_chunk_ids[fresh[positive]], found[positive])], limit)


def in_scope(view: View, chunks: Ids, *, filter: Filter, principal: Principal) -> Booleans:
    """Return which chunks pass filter and principal; unknown ones do not."""
    rows = view.chunk_rows(np.asarray(chunks, np.int64))
    flags = chunk_scope(view, filter, principal)
    return np.asarray(rows >= 0 if flags is None else flags[rows], np.bool_)


def term_presence(view: View, chunks: Ids, terms: Sequence[str]) -> Booleans:
    """Return which index terms each chunk holds, shape (chunks, terms)."""
    found = np.zeros((len(chunks), len(terms)), np.bool_)
    rows = view.chunk_rows(np.asarray(chunks, np.int64))
    old_rows = len(view.dead_chunks)
    keywords = view.snapshot.keywords
    fresh_words = np.array([view.overlay.text.number(term) for term in terms], np.int64)
    old, fresh = np.flatnonzero((rows >= 0) & (rows < old_rows)), np.flatnonzero(rows >= old_rows)
    if len(old):
        found[old] = view.snapshot.stream.counts(rows[old], keywords.numbers(terms)) > 0
    if len(fresh):
        found[fresh] = view.fresh_stream.counts(rows[fresh] - old_rows, fresh_words) > 0
    # A stop word stands in the stream too, where phrases need it, and is no index term.
    return found & np.array([is_term(term) for term in terms], np.bool_)


def find_phrases(view: View, phrases: Sequence[str]) -> Mapping[str, list[int]]:
    """Return, by phrase, the chunks whose text holds its tokens in a row."""
    tokens = {phrase: phrase_tokens(phrase) for phrase in phrases}
    numbered = {
        phrase: [view.overlay.text.number(word) for word in words]
        for phrase, words in tokens.items()
    }
    fresh = phrase_rows(view.fresh_stream, numbered)
    found: dict[str, list[int]] = {}
    for phrase, words in tokens.items():
        if not words:
            continue
        rows = view.snapshot.keywords.phrase_holders(words)
        old = view.snapshot.chunk_ids[rows[~view.dead_chunks[rows]]]
        new = view.fresh_chunk_ids[fresh[phrase]] if phrase in fresh else old[:0]
        holders = np.sort(np.concatenate([old, new]))
        if len(holders):
            found[phrase] = holders.tolist()
    return found


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
    frontier = np.asarray(frontier, np.int64)
    parts = [
        leaving(adjacency, frontier, at=at, edge_filter=edge_filter, limit=limit, visible=visible)
        for adjacency, visible in _tables(view, edge_filter, edge_scope(view, filter, principal))
    ]
    return ranked(parts, frontier, limit)


def _tables(
    view: View, edge_filter: EdgeFilter, scope: tuple[Booleans, Booleans] | None
) -> list[tuple[Adjacency, Booleans | None]]:
    """Return the tables that a filter asks for, at least one, with the rows in scope of each.

    `scope` holds flags of edges and then mentions, for the snapshot and for the overlay.
    """
    edges, mentions = tables_asked_for(edge_filter)
    found: list[tuple[Adjacency, Booleans | None]] = []
    if edges or not mentions:
        count = len(view.snapshot.edges)
        found.append((view.old_edges, None if scope is None else scope[0][:count]))
        if len(view.overlay.edges):
            count = len(view.overlay.edges)
            found.append((view.fresh_edges, None if scope is None else scope[1][:count]))
    if mentions:
        count = len(view.snapshot.edges)
        found.append((view.old_mentions, None if scope is None else scope[0][count:]))
        if len(view.overlay.mentions):
            count = len(view.overlay.edges)
            found.append((view.fresh_mentions, None if scope is None else scope[1][count:]))
    return found


def knowledge_edges(
    view: View, *, at: datetime | None, edge_filter: EdgeFilter, principal: Principal
) -> EdgeBatch:
    """Return every live, visible knowledge edge once, forward, ordered by edge id."""
    alive = np.concatenate([view.snapshot.node_ids[~view.dead_nodes], view.fresh_node_ids])
    found = expand(
        view,
        alive,
        at=at,
        edge_filter=without_mentions(edge_filter),
        limit=None,
        filter=NO_FILTER,
        principal=principal,
    )
    return each_once(found)


def vectors_of(old: VectorIndex, fresh: VectorIndex, changed: Ids, ids: Ids) -> Matrix:
    """Return vectors in the order of `ids`, zeros where there is none.

    `changed` names the ids of which the snapshot's index no longer counts.
    """
    rows = rows_of(old.ids, ids)
    known = rows >= 0
    if not len(changed):
        if known.all() and len(ids):
            return np.asarray(old.matrix[rows], np.float32)
    else:
        known &= rows_of(changed, ids) < 0
    found = np.zeros((len(ids), max(old.dimensions, fresh.dimensions)), np.float32)
    if known.any():
        found[known] = old.matrix[rows[known]]
    rows = rows_of(fresh.ids, ids)
    known = rows >= 0
    if known.any():
        found[known] = fresh.matrix[rows[known]]
    return found


def _nearest_nodes(
    view: View,
    indexes: tuple[VectorIndex, VectorIndex],
    vector: Floats,
    limit: int,
    flags: Booleans | None,
) -> Hits:
    return _nearest(
        indexes,
        vector,
        limit=limit,
        old_allowed=search_flags(view.dead_nodes, flags, view.snapshot.node_vector_rows),
        fresh_allowed=_fresh_flags(
            flags, len(view.dead_nodes), view.fresh_node_ids, indexes[1].ids
        ),
        place="the collection's nodes",
    )


def _nearest(
    indexes: tuple[VectorIndex, VectorIndex],
    vector: Floats,
    *,
    limit: int,
    old_allowed: Booleans | None,
    fresh_allowed: Booleans | None,
    place: str,
) -> Hits:
    dimensions = max(index.dimensions for index in indexes)
    if not dimensions:
        return empty_hits()
    require_same(len(vector), dimensions, place)
    old, fresh = indexes
    return _best(
        [
            old.search(vector, limit=limit, allowed=old_allowed),
            fresh.search(vector, limit=limit, allowed=fresh_allowed),
        ],
        limit,
    )


def _best(parts: list[Hits], limit: int) -> Hits:
    filled = [part for part in parts if len(part.ids)]
    if not filled or limit <= 0:
        return empty_hits()
    if len(filled) == 1:
        return top_hits(filled[0].ids, filled[0].scores, limit)
    ids = np.concatenate([part.ids for part in filled])
    return top_hits(ids, np.concatenate([part.scores for part in filled]), limit)


def _fresh_flags(
    flags: Booleans | None, old_rows: int, fresh_ids: Ids, wanted: Ids
) -> Booleans | None:
    """Return which of the overlay's `wanted` ids are in scope."""
    if flags is None:
        return None
    return np.append(flags[old_rows:-1], False)[rows_of(fresh_ids, wanted)]


def _statistics(
    view: View, query: Sequence[str], fresh_words: NDArray[np.int64]
) -> CorpusStatistics:
    """Return the statistics of the living chunks of snapshot and overlay."""
    stream, fresh, dead = view.snapshot.stream, view.fresh_stream, view.dead_chunk_rows
    held = (fresh.counts(np.arange(len(fresh.rows)), fresh_words) > 0).sum(axis=0)
    total = stream.total_length() + fresh.total_length()
    if len(stream.rows):
        keywords = view.snapshot.keywords
        held = held + [keywords.holding(term) for term in query]
        if len(dead):
            held = held - (stream.counts(dead, keywords.numbers(query)) > 0).sum(axis=0)
            total -= stream.total_length(dead)
    return CorpusStatistics(
        passages=len(stream.rows) - len(dead) + len(fresh.rows),
        total_length=total,
        holding=dict(zip(query, held.tolist(), strict=True)),
    )
