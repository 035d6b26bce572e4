"""What retrieval and answering return: ranked passages, paths, provenance and cited answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.core.causality import CausalRefusal
from clew.core.contradictions import Contradiction
from clew.core.documents import Span
from clew.core.knowledge import Community, EdgeType, Node
from clew.core.query import Query
from clew.core.routing import Routing
from clew.core.temporal import NO_CONSTRAINT, TemporalConstraint
from clew.core.verification import SentenceVerdict

Timings: TypeAlias = Mapping[str, float]
"""Milliseconds by stage."""


@dataclass(frozen=True, slots=True)
class Result:
    """A ranked passage. `score` orders one response only; `similarity` is the raw cosine and
    `calibrated` the same on the scale where unrelated text is 0 and identity 1 (None where the
    mode computes none). `signals` names what found it (vector, keyword, graph ...), `path` is the
    best path whose evidence stands in it, and `score_parts` what its score is made of, by name,
    where the mode says.
    """

    id: int
    document: int
    content: str
    score: float
    similarity: float | None = None
    calibrated: float | None = None
    signals: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    path: Path | None = None
    score_parts: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A result after reranking, with the reranker's own score."""

    result: Result
    score: float


@dataclass(frozen=True, slots=True)
class RankedCommunity:
    """A community whose summary bears on the question.

    `score` is on the scale of the response's `Result.score`, so that the two tuples are one list
    to whoever sorts them together; `similarity` and `calibrated` are those of the summary.
    """

    community: Community
    score: float
    similarity: float | None = None
    calibrated: float | None = None


@dataclass(frozen=True, slots=True)
class PathStep:
    """One edge of a path, walked from `source` to `target`; `forward` False means against it."""

    source: int
    target: int
    source_name: str
    target_name: str
    edge: int
    kind: EdgeType
    relation: str
    forward: bool
    confidence: float
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """A way through the graph, scored against the question (hybrid guide, stage 3).

    `score` is matching terms plus edge bonuses; `relevance_score` is the same averaged over the
    path and scaled to 0..1, so that long paths are not favoured.
    """

    steps: tuple[PathStep, ...]
    score: float = 0.0
    relevance_score: float = 0.0
    matching_terms: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Return the path in words: `Acme -> INVESTED_BY -> VC Fund A`."""
        if not self.steps:
            return ""
        words = [self.steps[0].source_name]
        for step in self.steps:
            arrow = f"→ {step.relation} →" if step.forward else f"← {step.relation} ←"
            words += [arrow, step.target_name]
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Why a node is in the context (hybrid guide, stage 4).

    `fused_score` is the weighted RRF times (k + 1), None for what is not a seed; `hop_distance`
    counts from the nearest seed; `hub` is the top 10% by degree of the collection.
    """

    node: int
    name: str
    vector_score: float
    graph_degree: int
    hub: bool
    hop_distance: int
    seed_rank: int | None = None
    fused_score: float | None = None
    signals: tuple[str, ...] = ()

    @property
    def annotation(self) -> str:
        """Return the annotation exactly as the hybrid guide writes it."""
        place = f"[seed#{self.seed_rank}]" if self.seed_rank else f"[hop={self.hop_distance}]"
        hub = ", hub" if self.hub else ""
        return f"{place} {self.name} (vec={self.vector_score:.2f}, deg={self.graph_degree}{hub})"


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The nodes of the context and the edges among them, read from these nodes' own adjacency.

    Edges stand as steps, each once, best confidence first.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[PathStep, ...] = ()


NO_SUBGRAPH = Subgraph()


@dataclass(frozen=True, slots=True)
class SeedFusionStats:
    """How many seeds each signal gave, and how many were kept after fusion."""

    vector_seeds: int = 0
    degree_seeds: int = 0
    keyword_seeds: int = 0
    entity_seeds: int = 0
    given_seeds: int = 0
    fused_seeds: int = 0


NO_SEEDS = SeedFusionStats()


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A passage left out because it repeats the better ranked `kept`; `similarity` is the share of
    word runs that they have in common (1: the same text)."""

    id: int
    kept: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The evidence for a question: ranked passages, the subgraph and how it was reached.

    `partial` names what a budget or deadline cut short; empty when nothing was. `suppressed` lists
    passages that repeat one of the results, and `pruning_stats` counts paths where they were pruned.
    `communities` holds the summaries that the modes `community` and `global` found, best first.
    `routing` says which mode ran and why, where the query asked for mode `adaptive`; `query` is then the one that ran.
    `temporal` is the time that the question asks about, `refused` the CAUSES edges that failed the
    causal guard.
    """

    query: Query
    results: tuple[Result, ...]
    paths: tuple[Path, ...] = ()
    provenance: tuple[Provenance, ...] = ()
    subgraph: Subgraph = NO_SUBGRAPH
    seed_fusion_stats: SeedFusionStats = NO_SEEDS
    timings: Timings = field(default_factory=dict[str, float])
    pruning_stats: Mapping[str, int] = field(default_factory=dict[str, int])
    suppressed: tuple[Suppressed, ...] = ()
    partial: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    communities: tuple[RankedCommunity, ...] = ()
    routing: Routing | None = None
    temporal: TemporalConstraint = NO_CONSTRAINT
    refused: tuple[CausalRefusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement stands; `marker` is the number in the answer's text: [1]."""

    marker: int
    doc_id: int
    chunk_id: int
    title: str
    source: str
    snippet: str
    span: Span
    confidence: float
    page: int | None = None
    node_id: int | None = None
    edge_path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalResponse:
    """The guide's response format: an answer with its sources (part 4, attribution-on)."""

    answer: str
    sources: tuple[Source, ...]
    confidence: float
    reasoning_path: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer. `answered` is False where the collection does not support one; `sources`
    then hold the nearest evidence. `confidence` lies in 0..1; `reasoning_path` is the best path
    in words, one step a line. `model` names the language model that wrote it, None where it is
    quoted; `verdicts` are then those on its sentences, with the ones that were left out.
    `contradictions` are sources that say otherwise than what is cited.
    """

    question: str
    text: str
    answered: bool
    sources: tuple[Source, ...]
    confidence: float
    reasoning_path: tuple[str, ...]
    retrieval: Retrieval
    timings: Timings
    model: str | None = None
    verdicts: tuple[SentenceVerdict, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the scored paths of the retrieval, best first."""
        return self.retrieval.paths

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """Return why each node of the context is there."""
        return self.retrieval.provenance

    def response(self) -> RetrievalResponse:
        """Return the guide's `RetrievalResponse`."""
        return RetrievalResponse(
            self.text, self.sources, self.confidence, self.reasoning_path or None
        )
