"""The port of chunk stores: documents, chunks, their vectors and keywords.

Every store call takes a collection, and every read a principal; filters apply before top-k. Store
reads raise `StoreError` on failure and never return a part of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from clew.core.arrays import Booleans, Floats, Hits, Ids, Matrix
from clew.core.batches import ChunkBatch
from clew.core.documents import Chunk, Document, Stage
from clew.core.query import ALL_RIGHTS, NO_FILTER, Filter, Principal


class ChunkStore(Protocol):
    """Documents, chunks, their vectors and keywords.

    A collection that was never written reads as empty, and a write creates it. A chunk's acl is its
    document's; a chunk whose document the store does not hold is visible only with all rights, and
    passes no filter that restricts documents.
    """

    def transaction(self) -> AbstractContextManager[None]:
        """Group writes: all of them are committed at exit, or none if an error leaves it.

        Reads inside see the writes made so far. A transaction within another joins it: what it
        wrote is committed with the outer one, and an error that leaves it undoes its own part.
        """
        ...

    def steady(self) -> AbstractContextManager[None]:
        """Let reads of this thread within it be answered from the state that the first one sees.

        It spares a look for new writes with every read; what is read row by row may be newer.
        """
        ...

    def write_chunks(self, collection: str, batch: ChunkBatch) -> None:
        """Upsert documents, then chunks, then vectors and stages.

        A document replaces the row of its source, whatever that row's id was, and moves no chunk:
        chunks belong to the document that they name. A row of another id that is replaced is an
        older version: it is kept for `History` with its chunks as they stand, provided that the
        new document has a `recorded_at`. A chunk that is new to the store starts at
        `CHUNKED`; one that is known keeps its vector and stage unless the batch gives others.
        `batch.stage` is set on the chunks of `batch.staged` (None: on none), forwards or backwards.
        Vectors and stages of chunks that the store does not hold are ignored, since another process
        may have removed them.

        Raises:
            StoreError: vectors differ in dimensions from those of the collection.
        """
        ...

    def remove_chunks(self, collection: str, chunks: Sequence[int]) -> int:
        """Remove chunks with their vectors and keywords; return how many there were.

        What the graph holds of them goes by `retire` or `erase`; what `History` keeps of them
        goes with their document.
        """
        ...

    def remove_document(self, collection: str, document: int) -> Mapping[str, int]:
        """Remove a document, its chunks and the versions that its source had before.

        Returns how many `documents`, `chunks`, `chunk_vectors`, `past_documents` and `past_chunks`
        went.
        """
        ...

    def documents(
        self,
        collection: str,
        *,
        ids: Sequence[int] | None = None,
        sources: Sequence[str] | None = None,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Document]:
        """Return documents ordered by source (by code point) that satisfy every argument given.

        None is no restriction and an empty sequence matches nothing. `filter.labels` asks for a
        document with a chunk that mentions a node so labelled.
        """
        ...

    def chunks(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Chunk]:
        """Return chunks in the order of `ids`; unknown and invisible ones are left out."""
        ...

    def document_chunks(self, collection: str, document: int) -> list[Chunk]:
        """Return a document's chunks by ordinal, ties by id."""
        ...

    def pending(self, collection: str, before: Stage) -> list[int]:
        """Return documents, by source, with chunks that have not reached the stage.

        Stages are ordered as `Stage` lists them.
        """
        ...

    def stages(self, collection: str, document: int) -> Mapping[int, Stage]:
        """Return the stage of each chunk of a document."""
        ...

    def vectors(self, collection: str, chunks: Ids) -> Matrix:
        """Return rows in the order of `chunks`; zeros where there is no vector yet.

        Shape (len(chunks), dimensions); dimensions may be 0 while the collection has no vector.
        """
        ...

    def search_vector(
        self,
        collection: str,
        vector: Floats,
        *,
        limit: int,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return the chunks of highest cosine among those that pass filter and principal.

        `vector` is a unit vector, as stored ones are; chunks without a vector are left out.

        Raises:
            StoreError: `vector` differs in dimensions from those of the collection.
        """
        ...

    def search_text(
        self,
        collection: str,
        text: str,
        *,
        limit: int,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return the chunks of highest BM25 (k1 1.2, b .75), all scores above 0.

        A chunk's terms are `text.tokens.terms` of its document's title, a newline and its text. The
        question's distinct terms count once each, and statistics are those of the collection,
        whatever the filter and principal (`text.bm25`).
        """
        ...

    def in_scope(
        self,
        collection: str,
        chunks: Ids,
        *,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Booleans:
        """Return which chunks pass filter and principal, in their order; unknown ones do not."""
        ...

    def term_presence(self, collection: str, chunks: Ids, terms: Sequence[str]) -> Booleans:
        """Return which index terms (see `search_text`) each chunk holds, shape (chunks, terms).

        Unknown chunks hold none.
        """
        ...

    def find_phrases(self, collection: str, phrases: Sequence[str]) -> Mapping[str, list[int]]:
        """Return, by phrase, the chunks whose text's tokens contain the phrase's in a row, by id.

        Tokens are the folded words of `text.tokens`, stop words included; titles do not count.
        Phrases that occur nowhere, or hold no word, are left out.
        """
        ...
