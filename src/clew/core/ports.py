"""The ports: what each stage needs of another, as Protocols. Adapters implement them.

Those of stores stand in `core.store_ports` and are named here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from clew.core.annotation import AnnotatedText
from clew.core.arrays import Floats, Matrix
from clew.core.bulk_ports import BulkChunks, BulkGraph
from clew.core.calibration import Calibration
from clew.core.causality import CausalFinding, ClassificationResult, Observation
from clew.core.documents import ParsedText
from clew.core.extraction import Extraction
from clew.core.query import Query
from clew.core.reasoning import ReasoningTrace
from clew.core.results import Answer, Retrieval
from clew.core.store_ports import Catalogue, ChunkStore, GraphStore, History, Log, Store

__all__ = [
    "LLM",
    "Annotator",
    "Answerer",
    "BulkChunks",
    "BulkGraph",
    "Catalogue",
    "Cell",
    "ChunkStore",
    "Embedder",
    "Extractor",
    "GraphStore",
    "History",
    "Judge",
    "Log",
    "Parser",
    "QueryClassifier",
    "Reasoner",
    "Reranker",
    "Retriever",
    "Store",
    "TokenEmbedder",
    "YesNoModel",
]

Context = TypeVar("Context")
Made = TypeVar("Made")


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


class YesNoModel(Protocol):
    """A language model that tells how likely it says yes; those that cannot lack the method."""

    @property
    def name(self) -> str: ...

    @property
    def context_window(self) -> int: ...

    def yes_probability(self, prompt: str) -> float | None:
        """Return P(yes) / (P(yes) + P(no)) of its first word; None where that is not told."""
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

    def transform(
        self,
        texts: Sequence[str],
        contexts: Sequence[Context],
        function: Callable[[AnnotatedText, Context], Made],
    ) -> Iterator[Made]:
        """Yield `function(annotation, context)` a text, in order, where the annotation is made.

        Worker processes then send back results in place of annotations, which are larger;
        `function` must be one at the top of a module, and all that it takes and gives picklable.
        """
        ...


class Extractor(Protocol):
    """Finds names, triples and claims in passages."""

    @property
    def fingerprint(self) -> str:
        """Name and version: a change of it makes earlier extractions stale."""
        ...

    def extract(
        self,
        texts: Sequence[str],
        *,
        language: str | None,
        titles: Sequence[str | None] = (),
    ) -> Iterator[Extraction]:
        """Yield one extraction a text, in order.

        `titles` names the subject of each text's page (None: no subject), so that pronouns can be
        resolved; it is empty or as long as `texts`.
        """
        ...


class Retriever(Protocol):
    """Finds evidence for a question in one of the retrieval modes."""

    def retrieve(self, query: Query) -> Retrieval: ...


class Answerer(Protocol):
    """Writes a cited answer from retrieved evidence."""

    def answer(
        self, retrieval: Retrieval, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Return the answer; `on_text` is given its text, in pieces as it is written."""
        ...


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
