"""The ports: what each stage needs of another, as Protocols. Adapters implement them.

Every store call takes a collection, and every read a principal; filters apply before top-k. Store
reads raise `StoreError` on failure and never return a part of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.core.annotation import AnnotatedText
from clew.core.arrays import EdgeBatch, Floats, Hits, Ids, Matrix
from clew.core.batches import ChunkBatch, CommunityBatch, GraphBatch, NodeVectors
from clew.core.calibration import Calibration
from clew.core.causality import CausalFinding, ClassificationResult, Observation
from clew.core.documents import Chunk, Document, ParsedText, Stage
from clew.core.extraction import Extraction
from clew.core.jobs import Job
from clew.core.knowledge import Claim, Community, Edge, Mention, Merge, Node
from clew.core.learning import Outcome, Profile
from clew.core.query import (
    ALL_RIGHTS,
    ANY_EDGE,
    NO_FILTER,
    EdgeFilter,
    Filter,
    Principal,
    Query,
)
from clew.core.reasoning import ReasoningTrace
from clew.core.results import Answer, Retrieval


class Embedder(Protocol):
    """Turns text into unit vectors; questions and passages may be treated differently."""

    @property
    def fingerprint(self) -> str:
        """Name and content hash of the model: equal fingerprints give equal vectors."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions)."""
        ...

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Return unit vectors, shape (len(texts), dimensions)."""
        ...


class TokenEmbedder(Protocol):
    """Gives one unit vector a token, for late interaction."""

    def embed_question_tokens(self, text: str) -> Matrix:
        """Return shape (tokens, dimensions)."""
        ...

    def embed_passage_tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """Return one matrix (tokens, dimensions) a text."""
        ...


class Reranker(Protocol):
    """Scores passages against a question; higher is better, scale is the model's own."""

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        """Return shape (len(passages),)."""
        ...


class LLM(Protocol):
    """A language model behind the OpenAI API or in the process."""

    @property
    def name(self) -> str: ...

    @property
    def context_window(self) -> int: ...

    def complete(self, prompt: str, *, max_tokens: int, temperature: float = 0.0) -> str: ...

    def stream(
        self, prompt: str, *, max_tokens: int, temperature: float = 0.0
    ) -> Iterator[str]: ...

    def complete_json(
        self, prompt: str, *, schema: Mapping[str, object], max_tokens: int
    ) -> Mapping[str, object]:
        """Return an object that satisfies the JSON schema."""
        ...


class Parser(Protocol):
    """Reads one family of file formats."""

    @property
    def suffixes(self) -> frozenset[str]:
        """Lower-case file endings with the dot."""
        ...

    def parse(self, data: bytes, *, name: str) -> ParsedText:
        """Return the text of a file called `name`.

        Raises:
            ParseError: the content cannot be read; says why.
        """
        ...


class Annotator(Protocol):
    """An NLP pipeline: tokens, dependencies, entities and noun phrases."""

    @property
    def fingerprint(self) -> str:
        """Name and version of the pipeline."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages that the pipeline understands."""
        ...

    def annotate(self, texts: Sequence[str]) -> Iterator[AnnotatedText]:
        """Yield one annotation a text, in order."""
        ...


class Extractor(Protocol):
    """Finds names, triples and claims in passages."""

    @property
    def fingerprint(self) -> str:
        """Name and version: a change of it makes earlier extractions stale."""
        ...

    def extract(self, texts: Sequence[str], *, language: str | None) -> Iterator[Extraction]:
        """Yield one extraction a text, in order."""
        ...


class ChunkStore(Protocol):
    """Documents, chunks, their vectors and keywords."""

    def transaction(self) -> AbstractContextManager[None]:
        """Group writes: all of them are committed at exit, or none if an error leaves it."""
        ...

    def write_chunks(self, collection: str, batch: ChunkBatch) -> None: ...

    def remove_chunks(self, collection: str, chunks: Sequence[int]) -> int:
        """Remove chunks from every table and index; return how many there were."""
        ...

    def remove_document(self, collection: str, document: int) -> Mapping[str, int]:
        """Remove a document and its chunks; return row counts by table."""
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
        """Return documents ordered by source; unknown ids and sources are left out."""
        ...

    def chunks(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Chunk]:
        """Return chunks in the order of `ids`; unknown and invisible ones are left out."""
        ...

    def document_chunks(self, collection: str, document: int) -> list[Chunk]:
        """Return a document's chunks by ordinal."""
        ...

    def pending(self, collection: str, before: Stage) -> list[int]:
        """Return documents, by source, with chunks that have not reached the stage."""
        ...

    def stages(self, collection: str, document: int) -> Mapping[int, Stage]:
        """Return the stage of each chunk of a document."""
        ...

    def vectors(self, collection: str, chunks: Ids) -> Matrix:
        """Return rows in the order of `chunks`; zeros where there is no vector yet."""
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
        """Return the chunks of highest cosine among those that pass filter and principal."""
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
        """Return the chunks of highest BM25 (k1 1.2, b .75), all scores above 0."""
        ...

    def find_phrases(self, collection: str, phrases: Sequence[str]) -> Mapping[str, list[int]]:
        """Return, by phrase, the chunks whose tokens contain the phrase's tokens in a row."""
        ...


class GraphStore(Protocol):
    """Nodes, edges and what they rest on. Chunks take part as nodes by MENTIONS edges."""

    def write_graph(self, collection: str, batch: GraphBatch) -> None: ...

    def write_node_vectors(self, collection: str, vectors: NodeVectors) -> None: ...

    def write_communities(self, collection: str, batch: CommunityBatch) -> None:
        """Replace all communities of the collection."""
        ...

    def erase(self, collection: str, origin: int) -> Mapping[str, int]:
        """Remove all that came from a source, and nodes and edges that rested on it alone."""
        ...

    def retire(self, collection: str, chunks: Sequence[int], at: datetime) -> None:
        """Drop mentions and claims of vanished chunks; edges left without evidence are retired."""
        ...

    def nodes(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Node]:
        """Return nodes in the order of `ids`; unknown and invisible ones are left out."""
        ...

    def find_names(
        self, collection: str, keys: Sequence[str], *, principal: Principal = ALL_RIGHTS
    ) -> Mapping[str, tuple[int, ...]]:
        """Return the nodes that a normalised name stands for, most mentioned first."""
        ...

    def nodes_without_vectors(self, collection: str, *, limit: int) -> list[int]: ...

    def search_nodes(
        self,
        collection: str,
        vector: Floats,
        *,
        limit: int,
        by_name: bool = False,
        filter: Filter = NO_FILTER,
        principal: Principal = ALL_RIGHTS,
    ) -> Hits:
        """Return nodes by cosine to their search vector, or to their name vector."""
        ...

    def node_vectors(self, collection: str, nodes: Ids) -> Matrix:
        """Return search vectors in the order of `nodes`; zeros where there is none."""
        ...

    def expand(
        self,
        collection: str,
        nodes: Ids,
        *,
        at: datetime | None = None,
        edge_filter: EdgeFilter = ANY_EDGE,
        limit: int | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> EdgeBatch:
        """Return the edges of a whole frontier, both directions, retired ones left out.

        `at` keeps edges whose period contains it and points not after it. `limit` caps the edges
        of each frontier node, best confidence first; a chunk's MENTIONS edges count too.
        """
        ...

    def degrees(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return the number of knowledge edges (MENTIONS left out) of each node."""
        ...

    def hub_degree(self, collection: str) -> int:
        """Return the smallest degree of the top tenth of nodes, at least 1."""
        ...

    def mention_counts(self, collection: str, nodes: Ids) -> NDArray[np.int64]:
        """Return in how many chunks each node is mentioned."""
        ...

    def edges(
        self, collection: str, ids: Sequence[int], *, principal: Principal = ALL_RIGHTS
    ) -> list[Edge]:
        """Return edges with the evidence that the principal may see; without any, left out."""
        ...

    def mentions(self, collection: str, chunks: Sequence[int]) -> list[Mention]: ...

    def claims(self, collection: str, chunks: Sequence[int]) -> list[Claim]: ...

    def merges(self, collection: str, *, node: int | None = None) -> list[Merge]: ...

    def communities(
        self,
        collection: str,
        *,
        level: int | None = None,
        principal: Principal = ALL_RIGHTS,
    ) -> list[Community]: ...


class Log(Protocol):
    """Outcomes, profiles and jobs."""

    def record_outcome(self, collection: str, outcome: Outcome) -> None: ...

    def outcomes(self, collection: str, *, since: datetime | None = None) -> list[Outcome]: ...

    def save_profile(self, collection: str, profile: Profile) -> None: ...

    def profiles(self, collection: str) -> list[Profile]: ...

    def save_job(self, collection: str, job: Job) -> None: ...

    def jobs(self, collection: str) -> list[Job]: ...


class Catalogue(Protocol):
    """The collections of a store and the facts that belong to each (model fingerprint ...)."""

    def collections(self) -> list[str]: ...

    def drop(self, collection: str) -> None:
        """Remove a collection with all that is in it."""
        ...

    def facts(self, collection: str) -> Mapping[str, str]: ...

    def set_fact(self, collection: str, name: str, value: str) -> None: ...

    def counts(self, collection: str) -> Mapping[str, int]:
        """Return rows by table: documents, chunks, nodes, edges, claims, mentions, merges."""
        ...

    def compact(self) -> None:
        """Fold fresh writes into the indexes, where the store keeps any apart."""
        ...

    def close(self) -> None: ...


class Store(ChunkStore, GraphStore, Log, Catalogue, Protocol):
    """A back end that implements every store port."""


class Retriever(Protocol):
    """Finds evidence for a question in one of the retrieval modes."""

    def retrieve(self, query: Query) -> Retrieval: ...


class Answerer(Protocol):
    """Writes a cited answer from retrieved evidence."""

    def answer(self, retrieval: Retrieval) -> Answer: ...


class Reasoner(Protocol):
    """Reasons over the graph step by step."""

    def reason(self, query: Query) -> ReasoningTrace: ...


class QueryClassifier(Protocol):
    """Recognises causal questions."""

    def classify(self, question: str) -> ClassificationResult: ...


class Cell(Protocol):
    """An expert for some types of causal question."""

    def investigate(
        self,
        query: Query,
        *,
        classification: ClassificationResult,
        observations: Sequence[Observation],
    ) -> list[CausalFinding]: ...


class Judge(Protocol):
    """Scores an answer by a named metric, 0..1."""

    def score(
        self,
        *,
        metric: str,
        question: str,
        answer: str,
        expected: str,
        contexts: Sequence[str],
    ) -> float: ...
