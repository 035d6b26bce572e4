"""Everything that a collection holds, read through the ports, in a form that compares."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.core.knowledge import EdgeType
from clew.core.ports import Store
from clew.core.query import EdgeFilter

_ALL = EdgeFilter(standings=frozenset())


def dump(store: Store, collection: str = "default") -> dict[str, Any]:
    """Return all tables of a collection; vectors are rounded."""
    documents = store.documents(collection)
    chunks = [chunk for held in documents for chunk in store.document_chunks(collection, held.id)]
    ids = sorted(chunk.id for chunk in chunks)
    mentions = store.mentions(collection, ids)
    nodes = sorted({mention.node for mention in mentions})
    every = np.array(sorted([*nodes, *ids]), np.int64)
    batch = store.expand(collection, every)
    knowledge = sorted(
        {
            int(edge)
            for edge, kind in zip(batch.edge, batch.kind, strict=True)
            if list(EdgeType)[kind] is not EdgeType.MENTIONS
        }
    )
    return {
        "documents": documents,
        "chunks": chunks,
        "stages": [
            (chunk, str(stage))
            for held in documents
            for chunk, stage in sorted(store.stages(collection, held.id).items())
        ],
        "vectors": _rounded(store.vectors(collection, np.array(ids, np.int64))),
        "nodes": store.nodes(collection, nodes),
        "node_vectors": _rounded(store.node_vectors(collection, np.array(nodes, np.int64))),
        "node_names": [
            _names_near(store, collection, vector)
            for vector in np.eye(store.vectors(collection, every[:1]).shape[1], dtype=np.float32)[
                :8
            ]
        ],
        "without_vectors": store.nodes_without_vectors(collection, limit=10_000),
        "expanded": sorted(
            zip(
                batch.source.tolist(),
                batch.target.tolist(),
                batch.edge.tolist(),
                np.round(batch.confidence, 5).tolist(),
                strict=True,
            )
        ),
        "edges": store.edges(collection, knowledge),
        "mentions": mentions,
        "claims": store.claims(collection, ids),
        "merges": store.merges(collection),
        "facts": dict(store.facts(collection)),
        "counts": dict(store.counts(collection)),
        "degrees": store.degrees(collection, np.array(nodes, np.int64)).tolist(),
    }


def differences(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Return the tables that differ, each with a first example."""
    return [
        f"{table}: {_example(first[table], second[table])}"
        for table in first
        if first[table] != second[table]
    ]


def _example(first: Any, second: Any) -> str:
    if isinstance(first, list) and isinstance(second, list):
        for one, other in zip(first, second, strict=False):
            if one != other:
                return f"{one} is not {other}"
        return f"{len(first)} rows are not {len(second)}"
    return f"{first} is not {second}"


def _rounded(matrix: Any) -> list[list[float]]:
    return [[round(float(value), 4) + 0.0 for value in row] for row in matrix]


def _names_near(store: Store, collection: str, vector: Any) -> list[tuple[int, float]]:
    hits = store.search_nodes(collection, vector, limit=20, by_name=True)
    return [
        (node, round(score, 4))
        for node, score in zip(hits.ids.tolist(), hits.scores.tolist(), strict=True)
    ]
