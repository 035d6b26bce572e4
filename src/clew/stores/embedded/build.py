"""Building a snapshot from the truth, file by file, in rows rather than objects."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.core.arrays import Ids
from clew.stores.embedded.adjacency import HalfEdges, half_edges, half_mentions
from clew.stores.embedded.array_files import save_array, system_errors, write_header
from clew.stores.embedded.build_text import write_texts
from clew.stores.embedded.columns import (
    Labels,
    batches,
    distinct,
    read_chunks,
    read_edges,
    read_evidence,
    read_mentions,
    read_nodes,
    rows_of,
)
from clew.stores.embedded.manifest import seal_directory
from clew.stores.embedded.snapshot import (
    EDGE_ROWS,
    EVIDENCE_ROWS,
    MENTION_ROWS,
    Snapshot,
    open_snapshot,
)
from clew.stores.embedded.vectors import INVERTED_LISTS_FROM, list_count
from clew.stores.embedded.wording import (
    Texts,
    best_chunks,
    read_name_uses,
    read_node_names,
    read_relations,
)

_OUTGROWN = 2
"""Centroids are trained again when the rows have grown by this factor."""


def build_snapshot(
    connection: sqlite3.Connection,
    *,
    collection: int,
    directory: Path,
    generation: int,
    seq: int,
    previous: Snapshot,
    changed_texts: Ids,
    lists_from: int = INVERTED_LISTS_FROM,
) -> Snapshot | None:
    """Build `directory` from what `connection` sees, complete or not at all; return it opened.

    Args:
        connection: in a read transaction, so that all tables are of one moment.
        previous: an older generation, whose words and centroids are used again.
        changed_texts: sorted ids of chunks whose words may differ from those in `previous`.
        lists_from: rows from which a matrix gets inverted lists.
    """
    temporary = directory.with_name(directory.name + ".writing")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        chunk_ids = _write_chunks(connection, collection, temporary)
        node_ids, edge_ids = _write_graph(connection, collection, temporary, chunk_ids)
        _write_wording(connection, collection, temporary, edge_ids)
        _write_chunk_vectors(connection, collection, temporary, chunk_ids, previous, lists_from)
        _write_node_vectors(connection, collection, temporary, node_ids, previous, lists_from)
        write_texts(
            connection,
            collection=collection,
            directory=temporary,
            chunk_ids=chunk_ids,
            previous=previous,
            changed=changed_texts,
        )
        seal_directory(
            temporary, generation=generation, seq=seq, rows=len(chunk_ids) + len(node_ids)
        )
        shutil.rmtree(directory, ignore_errors=True)
        temporary.replace(directory)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return open_snapshot(directory)


def _write_chunks(connection: sqlite3.Connection, collection: int, directory: Path) -> Ids:
    chunks = read_chunks(connection, collection)
    documents = distinct(chunks["document"])
    rows = rows_of(documents, chunks["document"])
    _save(directory, "chunks", chunks)
    _save(directory, "documents", documents)
    _save(directory, "chunk_documents", rows.astype(np.int32))
    return np.ascontiguousarray(chunks["id"])


def _write_graph(
    connection: sqlite3.Connection, collection: int, directory: Path, chunk_ids: Ids
) -> tuple[Ids, Ids]:
    labels = Labels()
    nodes = read_nodes(connection, collection, labels)
    node_ids: Ids = np.ascontiguousarray(nodes["id"])
    (directory / "labels.json").write_text(json.dumps(labels.names), encoding="utf-8")
    _save(directory, "nodes", nodes)

    edges = read_edges(connection, collection)
    ends = np.empty(len(edges), EDGE_ROWS)
    ends["source"] = rows_of(node_ids, edges["source"])
    ends["target"] = rows_of(node_ids, edges["target"])
    degrees = np.bincount(ends["source"], minlength=len(node_ids))
    others = ends["target"][ends["source"] != ends["target"]]
    degrees += np.bincount(others, minlength=len(node_ids))
    _save(directory, "edges", edges)
    _save(directory, "edge_rows", ends)
    _save(directory, "degrees", degrees.astype(np.int32))

    edge_ids = np.ascontiguousarray(edges["id"])
    evidence = read_evidence(connection, collection, edge_ids, every=True)
    _save(directory, "edge_chunks", best_chunks(edge_ids, evidence))
    evidence_rows = np.empty(len(evidence), EVIDENCE_ROWS)
    evidence_rows["edge"] = rows_of(edge_ids, evidence["edge"])
    evidence_rows["chunk"] = rows_of(chunk_ids, evidence["chunk"])
    _save(directory, "evidence_rows", evidence_rows)
    del evidence, evidence_rows

    mentions = read_mentions(connection, collection)
    mention_rows = np.empty(len(mentions), MENTION_ROWS)
    mention_rows["chunk"] = rows_of(chunk_ids, mentions["chunk"])
    mention_rows["node"] = rows_of(node_ids, mentions["node"])
    _save(directory, "mentions", mentions)
    _save(directory, "mention_rows", mention_rows)

    _write_half(directory, "half", half_edges(edges))
    _write_half(directory, "mention_half", half_mentions(mentions))
    return node_ids, edge_ids


def _write_wording(
    connection: sqlite3.Connection, collection: int, directory: Path, edge_ids: Ids
) -> None:
    names = Texts.of(name for _, name in read_node_names(connection, collection))
    _save(directory, "node_text_offsets", names.offsets)
    _save(directory, "node_text_bytes", names.data)
    relations = read_relations(connection, collection, edge_ids, every=True)
    codes = {relation: code for code, relation in enumerate(dict.fromkeys(relations))}
    _save(directory, "edge_relations", np.array([codes[one] for one in relations], np.int32))
    (directory / "relations.json").write_text(json.dumps(list(codes)), encoding="utf-8")
    _save(directory, "name_uses", read_name_uses(connection, collection))


def _write_half(directory: Path, name: str, half: HalfEdges) -> None:
    _save(directory, f"{name}_ends", half.ends)
    _save(directory, f"{name}_offsets", half.offsets)
    _save(directory, f"{name}_targets", half.target)
    _save(directory, f"{name}_steps", half.step)
    _save(directory, f"{name}_confidences", half.confidence)


def _write_chunk_vectors(
    connection: sqlite3.Connection,
    collection: int,
    directory: Path,
    chunk_ids: Ids,
    previous: Snapshot,
    lists_from: int,
) -> None:
    ids = _vector_ids(connection, "chunk_vectors", collection)
    _save(directory, "vector_ids", ids)
    _save(directory, "vector_rows", rows_of(chunk_ids, ids).astype(np.int32))
    _write_matrix(connection, collection, directory, "chunk_vectors", "vector", "vectors", len(ids))
    _write_lists(directory, "vectors", previous, lists_from)


def _write_node_vectors(
    connection: sqlite3.Connection,
    collection: int,
    directory: Path,
    node_ids: Ids,
    previous: Snapshot,
    lists_from: int,
) -> None:
    ids = _vector_ids(connection, "node_vectors", collection)
    _save(directory, "node_vector_ids", ids)
    _save(directory, "node_vector_rows", rows_of(node_ids, ids).astype(np.int32))
    for column, name in (("name", "node_names"), ("search", "node_searches")):
        _write_matrix(connection, collection, directory, "node_vectors", column, name, len(ids))
        _write_lists(directory, name, previous, lists_from)


def _vector_ids(connection: sqlite3.Connection, table: str, collection: int) -> Ids:
    cursor = connection.execute(
        f"SELECT id FROM {table} WHERE collection = ? ORDER BY id",  # noqa: S608
        (collection,),
    )
    return np.fromiter((row[0] for row in cursor), np.int64)


def _write_matrix(
    connection: sqlite3.Connection,
    collection: int,
    directory: Path,
    table: str,
    column: str,
    name: str,
    rows: int,
) -> None:
    path = directory / f"{name}.npy"
    cursor = connection.execute(
        f"SELECT {column} FROM {table} WHERE collection = ? ORDER BY id",  # noqa: S608
        (collection,),
    )
    # Written in a row, not through a map: a full disk is then an error, and not the end of the
    # process by a signal.
    with path.open("wb") as file:
        dimensions: int | None = None
        for found in _blocks(cursor):
            if dimensions is None:
                dimensions = found.shape[1]
                write_header(file, np.empty((0, dimensions), np.float32), rows=rows)
            file.write(found.tobytes())
        if dimensions is None:
            write_header(file, np.empty((0, 0), np.float32), rows=0)


def _blocks(cursor: sqlite3.Cursor) -> Iterator[NDArray[np.float32]]:
    for rows in batches(cursor):
        joined = b"".join([row[0] for row in rows])
        yield np.frombuffer(joined, np.float32).reshape(len(rows), -1)


def _write_lists(directory: Path, name: str, previous: Snapshot, lists_from: int) -> None:
    matrix = np.load(directory / f"{name}.npy", mmap_mode="r")
    if len(matrix) < lists_from:
        return
    # Loading FAISS is slow, and small collections do without it.
    from clew.stores.embedded.inverted_lists import write_inverted_lists

    known = previous.centroids(name)
    fitting = (
        known is not None
        and known.shape[1] == matrix.shape[1]
        and list_count(len(matrix)) < _OUTGROWN**0.5 * len(known)
    )
    with system_errors(directory):
        centroids = write_inverted_lists(
            directory / f"{name}.lists", matrix, centroids=known if fitting else None
        )
    _save(directory, f"{name}.centroids", centroids)


def _save(directory: Path, name: str, array: NDArray[Any]) -> None:
    save_array(directory / f"{name}.npy", array)
