"""Whether two stores answer every read alike: exactly, but for scores within a tolerance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import EdgeBatch, Floats, Hits, Matrix
from clew.core.documents import Stage
from clew.core.knowledge import EdgeType, Standing
from clew.core.listing import NodeSelection
from clew.core.ports import Store
from clew.core.query import (
    ALL_RIGHTS,
    ANY_EDGE,
    NO_FILTER,
    AnyOf,
    Comparison,
    Condition,
    EdgeFilter,
    Filter,
    Not,
    Principal,
)
from clew.testing.store_samples import GUEST, NEW_YEAR, NOBODY, axis, id_array, random_units
from clew.text.names import name_key

Answers: TypeAlias = Iterator[tuple[str, object]]
"""Name and value of each read."""

PRINCIPALS = (ALL_RIGHTS, GUEST, NOBODY)
EVERYTHING = 1_000_000
VECTOR_TOLERANCE = 1e-4
KEYWORD_TOLERANCE = 0.02
"""Relative: a store may keep the lengths of passages in a byte."""


@dataclass(slots=True)
class Universe:
    """Everything that was ever written, so that what is gone is asked for too."""

    sources: tuple[str, ...]
    nodes: tuple[int, ...]
    phrases: tuple[str, ...]
    documents: set[int] = field(default_factory=set)
    chunks: set[int] = field(default_factory=set)
    edges: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class KeywordHits:
    """Hits whose scores are BM25."""

    hits: Hits


def require_agreement(expected: Store, actual: Store, collection: str, universe: Universe) -> None:
    """Compare every read of a collection.

    Raises:
        AssertionError: one differs; the message names it.
    """
    pairs = zip(
        _answers(expected, collection, universe),
        _answers(actual, collection, universe),
        strict=True,
    )
    for (name, first), (_, second) in pairs:
        require_alike(name, first, second)


def require_alike(name: str, expected: object, actual: object) -> None:
    """Compare two answers: scores and vectors within a tolerance, all else exactly.

    Raises:
        AssertionError: they differ.
    """
    if isinstance(expected, KeywordHits) and isinstance(actual, KeywordHits):
        _require_close_hits(name, expected.hits, actual.hits, relative=KEYWORD_TOLERANCE)
    elif isinstance(expected, Hits) and isinstance(actual, Hits):
        _require_close_hits(name, expected, actual, absolute=VECTOR_TOLERANCE)
    elif isinstance(expected, EdgeBatch) and isinstance(actual, EdgeBatch):
        for column in fields(EdgeBatch):
            wanted: NDArray[np.generic] = getattr(expected, column.name)
            found: NDArray[np.generic] = getattr(actual, column.name)
            np.testing.assert_array_equal(found, wanted, f"{name}: {column.name}")
    elif isinstance(expected, np.ndarray) and isinstance(actual, np.ndarray):
        _require_close_rows(name, expected, actual)
    elif expected != actual:
        raise AssertionError(f"{name}: expected {expected!r}, got {actual!r}")


def _answers(store: Store, collection: str, universe: Universe) -> Answers:
    chunks, nodes = sorted(universe.chunks), id_array(*universe.nodes)
    documents = sorted(universe.documents)
    yield "counts", dict(store.counts(collection))
    yield "facts", dict(store.facts(collection))
    yield "merged", dict(store.merged(collection))
    for document in documents:
        yield f"chunks of {document}", store.document_chunks(collection, document)
        yield f"stages of {document}", dict(store.stages(collection, document))
    for stage in Stage:
        yield f"pending before {stage}", store.pending(collection, stage)
    yield "find_phrases", dict(store.find_phrases(collection, universe.phrases))
    yield "nodes_without_vectors", store.nodes_without_vectors(collection, limit=4)
    yield "hub_degree", store.hub_degree(collection)
    yield "degrees", store.degrees(collection, nodes)
    yield "mention_counts", store.mention_counts(collection, nodes)
    yield "mentions", store.mentions(collection, chunks)
    yield "claims", store.claims(collection, chunks)
    yield "merges", store.merges(collection)
    yield "vectors", store.vectors(collection, id_array(*chunks))
    yield "node_vectors", store.node_vectors(collection, nodes)
    for principal in PRINCIPALS:
        yield from _visible_answers(store, collection, universe, principal)
        scopes = _scopes(universe)
        for place, scope in enumerate(scopes if principal is ALL_RIGHTS else scopes[:2]):
            name = f"as {principal.groups} in scope {place}: "
            for answer, value in _scoped_answers(store, collection, scope, principal):
                yield name + answer, value
            for answer, value in _scoped_graph(store, collection, universe, scope, principal):
                yield name + answer, value


def _visible_answers(
    store: Store, collection: str, universe: Universe, principal: Principal
) -> Answers:
    name = f"as {principal.groups}: "
    keys = [name_key(phrase) for phrase in universe.phrases]
    chunks, nodes, edges = sorted(universe.chunks), universe.nodes, sorted(universe.edges)
    yield name + "chunks", store.chunks(collection, chunks, principal=principal)
    yield name + "nodes", store.nodes(collection, nodes, principal=principal)
    listed = store.list_nodes(collection, wanted=NodeSelection(), limit=9, principal=principal)
    yield name + "list_nodes", listed
    yield name + "find_names", dict(store.find_names(collection, keys, principal=principal))
    held = store.edges(collection, edges, principal=principal)
    yield name + "edges", held
    # Retired edges may be known to `edge_labels` or not.
    live = id_array(*(edge.id for edge in held if edge.retired_at is None), 99)
    labels = store.edge_labels(collection, live, principal=principal)
    yield (
        name + "edge_labels",
        (labels.known.tolist(), labels.relations, labels.chunks.tolist()),
    )
    yield (
        name + "node_names",
        dict(store.node_names(collection, id_array(*nodes), principal=principal)),
    )
    yield name + "communities", store.communities(collection, principal=principal)
    yield (
        name + "search_communities",
        store.search_communities(collection, axis(0), limit=3, principal=principal),
    )
    frontier = id_array(*nodes, *chunks)
    for place, (edge_filter, days, limit) in enumerate(_EXPANSIONS):
        yield (
            f"{name}knowledge_edges {place}",
            store.knowledge_edges(
                collection,
                at=None if days is None else NEW_YEAR + timedelta(days=days),
                edge_filter=edge_filter,
                principal=principal,
            ),
        )
        yield (
            f"{name}expansion {place}",
            store.expand(
                collection,
                frontier,
                at=None if days is None else NEW_YEAR + timedelta(days=days),
                edge_filter=edge_filter,
                limit=limit,
                principal=principal,
            ),
        )


def _scoped_answers(store: Store, collection: str, scope: Filter, principal: Principal) -> Answers:
    yield "documents", store.documents(collection, filter=scope, principal=principal)
    held = [
        chunk.id
        for document in store.documents(collection)
        for chunk in store.document_chunks(collection, document.id)
    ]
    ids = np.array([*held, 99], np.int64)
    yield "in_scope", store.in_scope(collection, ids, filter=scope, principal=principal).tolist()
    words = ("ocean", "york", "the", "1984", "unheard")
    yield "term_presence", store.term_presence(collection, ids, words).tolist()
    for limit in (EVERYTHING, 2):
        yield (
            f"search_text to {limit}",
            KeywordHits(
                store.search_text(
                    collection,
                    "ocean new york 1984 tide ocean",
                    limit=limit,
                    filter=scope,
                    principal=principal,
                )
            ),
        )
        yield (
            f"search_vector to {limit}",
            store.search_vector(
                collection, _QUESTION, limit=limit, filter=scope, principal=principal
            ),
        )
        for by_name in (False, True):
            yield (
                f"search_nodes to {limit}, by name {by_name}",
                store.search_nodes(
                    collection,
                    _QUESTION,
                    limit=limit,
                    by_name=by_name,
                    filter=scope,
                    principal=principal,
                ),
            )
    for row, hits in enumerate(
        store.match_names(collection, np.stack(random_units(3, seed=1)), least=0.1)
    ):
        yield f"match_names of row {row}", hits


def _scoped_graph(
    store: Store, collection: str, universe: Universe, scope: Filter, principal: Principal
) -> Answers:
    keys = [name_key(phrase) for phrase in universe.phrases]
    yield "nodes", store.nodes(collection, universe.nodes, filter=scope, principal=principal)
    yield (
        "find_names",
        dict(store.find_names(collection, keys, filter=scope, principal=principal)),
    )
    frontier = id_array(*universe.nodes, *sorted(universe.chunks))
    for limit in (None, 2):
        yield (
            f"expansion to {limit}",
            store.expand(collection, frontier, limit=limit, filter=scope, principal=principal),
        )


_QUESTION: Floats = random_units(1, seed=0)[0]

_EXPANSIONS: tuple[tuple[EdgeFilter, int | None, int | None], ...] = (
    (ANY_EDGE, None, None),
    (ANY_EDGE, None, 2),
    (EdgeFilter(standings=frozenset(Standing)), 0, None),
    (EdgeFilter(frozenset({EdgeType.CAUSES, EdgeType.MENTIONS}), minimum_confidence=0.7), 400, 3),
    (EdgeFilter(frozenset(EdgeType) - {EdgeType.MENTIONS}, frozenset(Standing)), -1, 1),
)


def _scopes(universe: Universe) -> tuple[Filter, ...]:
    return (
        NO_FILTER,
        Filter(labels=frozenset({"Person"})),
        Filter(sources=frozenset(universe.sources[:1]), labels=frozenset({"Person", "City"})),
        Filter(languages=frozenset({"en"}), published_from=NEW_YEAR),
        Filter(documents=frozenset(sorted(universe.documents)[::2]), published_to=NEW_YEAR),
        Filter(
            metadata=AnyOf(
                (
                    Condition("n", Comparison.AT_LEAST, 1),
                    Condition("n", Comparison.IN, ("x", True)),
                    Not(Condition("tags", Comparison.CONTAINS, "x")),
                )
            )
        ),
    )


def _require_close_hits(
    name: str, expected: Hits, actual: Hits, *, relative: float = 0.0, absolute: float = 0.0
) -> None:
    """Compare ranked lists: equal lengths, close scores at each rank, and where nothing was cut
    off, the same ids with close scores."""
    if len(expected.ids) != len(actual.ids):
        raise AssertionError(f"{name}: expected {expected!r}, got {actual!r}")
    np.testing.assert_allclose(
        actual.scores, expected.scores, rtol=relative, atol=absolute, err_msg=name
    )
    if f"to {EVERYTHING}" not in name:
        return
    wanted = dict(zip(expected.ids.tolist(), expected.scores.tolist(), strict=True))
    found = dict(zip(actual.ids.tolist(), actual.scores.tolist(), strict=True))
    if wanted.keys() != found.keys():
        raise AssertionError(f"{name}: expected {wanted!r}, got {found!r}")
    for identifier, score in wanted.items():
        if abs(score - found[identifier]) > absolute + relative * abs(score):
            raise AssertionError(f"{name}: expected {wanted!r}, got {found!r}")


def _require_close_rows(name: str, expected: Matrix, actual: Matrix) -> None:
    """Compare arrays; matrices of zeros agree whatever their width, which no vector has set yet."""
    if len(expected) == len(actual) and not expected.any() and not actual.any():
        return
    np.testing.assert_allclose(actual, expected, atol=VECTOR_TOLERANCE, err_msg=name)
