"""Documents and chunks in memory: the reference of `ChunkStore`, written to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from clew.core.arrays import Booleans, Floats, Hits, Ids, Matrix, empty_hits, top_hits
from clew.core.batches import ChunkBatch, Vectors
from clew.core.documents import Chunk, Document, Stage
from clew.core.errors import StoreError
from clew.core.query import Filter, Principal
from clew.stores.filters import passes_document, passes_labels
from clew.stores.memory_history import drop_versions, keep_version
from clew.stores.memory_rows import Rows
from clew.stores.memory_view import View
from clew.text.bm25 import bm25_scores, corpus_statistics, query_terms
from clew.text.phrases import joined_tokens, phrase_tokens

_STAGE_ORDER = {stage: place for place, stage in enumerate(Stage)}


def write_chunks(rows: Rows, batch: ChunkBatch) -> None:
    """Upsert documents, chunks, vectors and stages, in this order."""
    staying = {chunk.id for chunk in batch.chunks}
    for document in batch.documents:
        keep_version(rows, document, staying=staying)
        _drop_version(rows, document.source)
        rows.documents[document.id] = document
    for chunk in batch.chunks:
        known = rows.chunks.get(chunk.id)
        if known is None or known.document != chunk.document:
            holder = rows.documents.get(chunk.document)
            rows.chunk_times[chunk.id] = None if holder is None else holder.recorded_at
        rows.chunks[chunk.id] = chunk
        rows.stages.setdefault(chunk.id, Stage.CHUNKED)
    if batch.vectors is not None and len(batch.vectors.ids):
        write_chunk_vectors(rows, batch.vectors)
    if batch.stage is not None:
        for chunk_id in batch.staged:
            if chunk_id in rows.chunks:
                rows.stages[chunk_id] = batch.stage


def write_chunk_vectors(rows: Rows, vectors: Vectors) -> None:
    """Set the vectors of known chunks."""
    require_dimensions(rows.chunk_vectors.values(), vectors.matrix, "the collection")
    for chunk_id, vector in zip(vectors.ids.tolist(), vectors.matrix, strict=True):
        if chunk_id in rows.chunks:
            rows.chunk_vectors[chunk_id] = np.array(vector, np.float32)


def remove_chunks(rows: Rows, chunks: Sequence[int]) -> int:
    """Remove chunks; return how many there were."""
    known = set(chunks) & rows.chunks.keys()
    for chunk in known:
        del rows.chunks[chunk]
        del rows.stages[chunk]
        del rows.chunk_times[chunk]
        rows.chunk_vectors.pop(chunk, None)
    return len(known)


def remove_document(rows: Rows, document: int) -> Mapping[str, int]:
    """Remove a document, its chunks and its earlier versions; return row counts."""
    held = [chunk.id for chunk in rows.chunks.values() if chunk.document == document]
    vectors = sum(chunk in rows.chunk_vectors for chunk in held)
    known = rows.documents.pop(document, None)
    return {
        "documents": int(known is not None),
        "chunks": remove_chunks(rows, held),
        "chunk_vectors": vectors,
        **drop_versions(rows, None if known is None else known.source),
    }


def documents(
    view: View,
    *,
    ids: Sequence[int] | None,
    sources: Sequence[str] | None,
    filter: Filter,
    principal: Principal,
) -> list[Document]:
    """Return documents that satisfy every argument, by source."""
    found = [
        document
        for document in view.rows.documents.values()
        if (ids is None or document.id in ids)
        and (sources is None or document.source in sources)
        and principal.may_see(document.acl)
        and passes_document(filter, document)
        and (not filter.labels or passes_labels(filter, _document_labels(view, document.id)))
    ]
    return sorted(found, key=lambda document: document.source)


def chunks(view: View, ids: Sequence[int], *, principal: Principal) -> list[Chunk]:
    """Return visible chunks in the order of `ids`."""
    known = (view.rows.chunks[chunk] for chunk in ids if chunk in view.rows.chunks)
    return [chunk for chunk in known if view.sees_chunk(principal, chunk.id)]


def document_chunks(rows: Rows, document: int) -> list[Chunk]:
    """Return a document's chunks by ordinal, ties by id."""
    held = (chunk for chunk in rows.chunks.values() if chunk.document == document)
    return sorted(held, key=lambda chunk: (chunk.ordinal, chunk.id))


def pending(rows: Rows, before: Stage) -> list[int]:
    """Return documents, by source, with chunks that have not reached a stage."""
    behind = {
        rows.chunks[chunk].document
        for chunk, stage in rows.stages.items()
        if _STAGE_ORDER[stage] < _STAGE_ORDER[before]
    }
    held = [document for document in rows.documents.values() if document.id in behind]
    return [document.id for document in sorted(held, key=lambda document: document.source)]


def stages(rows: Rows, document: int) -> Mapping[int, Stage]:
    """Return the stage of each chunk of a document."""
    return {chunk.id: rows.stages[chunk.id] for chunk in document_chunks(rows, document)}


def vectors(rows: Rows, chunk_ids: Ids) -> Matrix:
    """Return vectors in the order of `chunk_ids`, zeros where there is none."""
    return rows_in_order(rows.chunk_vectors, chunk_ids)


def search_vector(
    view: View, vector: Floats, *, limit: int, filter: Filter, principal: Principal
) -> Hits:
    """Return the chunks in scope of highest cosine."""
    return nearest(
        view.rows.chunk_vectors,
        vector,
        limit=limit,
        in_scope=lambda chunk: view.chunk_in_scope(chunk, filter, principal),
    )


def search_text(view: View, text: str, *, limit: int, filter: Filter, principal: Principal) -> Hits:
    """Return the chunks in scope of highest BM25."""
    query = query_terms(text)
    corpus = corpus_statistics(query, view.bags.values())
    scope = [chunk for chunk in view.bags if view.chunk_in_scope(chunk, filter, principal)]
    scores = bm25_scores(query, [view.bags[chunk] for chunk in scope], corpus)
    found = scores > 0
    return best_hits(np.array(scope, np.int64)[found], scores[found], limit)


def term_presence(view: View, chunks: Ids, terms: Sequence[str]) -> Booleans:
    """Return which index terms each chunk holds, shape (chunks, terms)."""
    bags = [view.bags.get(chunk) for chunk in chunks.tolist()]
    held = [[bag is not None and term in bag.counts for term in terms] for bag in bags]
    return np.array(held, np.bool_).reshape(len(chunks), len(terms))


def in_scope(view: View, chunk_ids: Ids, *, filter: Filter, principal: Principal) -> Booleans:
    """Return which chunks pass filter and principal."""
    held = view.rows.chunks
    return np.array(
        [
            chunk in held and view.chunk_in_scope(chunk, filter, principal)
            for chunk in chunk_ids.tolist()
        ],
        np.bool_,
    )


def find_phrases(view: View, phrases: Sequence[str]) -> Mapping[str, list[int]]:
    """Return, by phrase, the chunks whose text holds its tokens in a row."""
    found: dict[str, list[int]] = {}
    for phrase in phrases:
        tokens = phrase_tokens(phrase)
        if not tokens:
            continue
        needle = joined_tokens(tokens)
        holders = sorted(chunk for chunk, row in view.token_rows.items() if needle in row)
        if holders:
            found[phrase] = holders
    return found


def nearest(
    table: Mapping[int, Floats],
    vector: Floats,
    *,
    limit: int,
    in_scope: Callable[[int], bool],
) -> Hits:
    """Return the rows of a table of unit vectors in scope that are nearest to a unit vector.

    Raises:
        StoreError: `vector` has other dimensions than the rows.
    """
    if not table:
        return empty_hits()
    require_dimensions(table.values(), vector[np.newaxis], "the collection")
    ids = np.array([identifier for identifier in table if in_scope(identifier)], np.int64)
    if not len(ids):
        return empty_hits()
    matrix = np.stack([table[identifier] for identifier in ids.tolist()])
    return best_hits(ids, matrix @ np.asarray(vector, np.float32), limit)


def best_hits(ids: Ids, scores: Floats, limit: int) -> Hits:
    """Return the `limit` best, none for a limit of 0."""
    return top_hits(ids, scores, limit) if limit > 0 else empty_hits()


def rows_in_order(table: Mapping[int, Floats], ids: Ids) -> Matrix:
    """Return the rows of a table of vectors in the order of `ids`, zeros where there is none."""
    dimensions = next((len(row) for row in table.values()), 0)
    matrix = np.zeros((len(ids), dimensions), np.float32)
    for place, identifier in enumerate(ids.tolist()):
        if identifier in table:
            matrix[place] = table[identifier]
    return matrix


def require_dimensions(known: Iterable[Floats], offered: Matrix, place: str) -> None:
    """Check that vectors fit those that a table holds.

    Raises:
        StoreError: they do not.
    """
    held = next((len(row) for row in known), offered.shape[1])
    if offered.shape[1] != held:
        raise StoreError(
            f"a vector has {offered.shape[1]} dimensions, those of {place} have {held}; "
            "use the model that the collection was made with"
        )


def _drop_version(rows: Rows, source: str) -> None:
    older = [document.id for document in rows.documents.values() if document.source == source]
    for document in older:
        del rows.documents[document]


def _document_labels(view: View, document: int) -> frozenset[str]:
    held = (chunk.id for chunk in view.rows.chunks.values() if chunk.document == document)
    return frozenset().union(*(view.labels_of(chunk) for chunk in held))
