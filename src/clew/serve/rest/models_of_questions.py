"""Requests that ask: every parameter of retrieval, with its range."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from clew.core.causality import CausalGuard
from clew.core.ids import parse_id
from clew.core.query import (
    MAX_COMMUNITY_LEVEL,
    MAX_QUESTION_CHARACTERS,
    FusionMode,
    FusionStrategy,
    RetrievalPreset,
)
from clew.engine.questions import QueryParameters

Identifier = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$", description="An id.")]
Words = Annotated[str, Field(min_length=1, max_length=1000)]
_MOST_BITS = 63
KnowledgeKind = Literal["is_a", "causes", "related_to", "contains", "precedes", "attributed_to"]
ModeName = Literal[
    "vector_only",
    "keyword",
    "kg_only",
    "hybrid",
    "dual",
    "community",
    "global",
    "adaptive",
    "vector",
    "graph",
]


def storable(value: Any) -> Any:  # noqa: ANN401 - whatever JSON can write
    """Return a JSON value that a store can compare with.

    Raises:
        ValueError: a text has half characters, or a number is not finite or has over 64 bits.
    """
    if isinstance(value, dict):
        storable(list(value))
        storable(list(value.values()))
    elif isinstance(value, list):
        for each in value:
            storable(each)
    elif isinstance(value, str) and not value.isascii():
        value.encode("utf-8")
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError("a number is not finite")
    elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ValueError("a number is too large")
    return value


class Request(BaseModel):
    """Base of every request body: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


class AskParameters(Request):
    """How to ask; what is left out comes from the server's settings."""

    mode: ModeName | None = None
    top_k: int | None = Field(default=None, ge=1, le=1000)
    documents: list[Identifier] = Field(default=[], max_length=1000)
    sources: list[Words] = Field(default=[], max_length=1000)
    languages: list[Words] = Field(default=[], max_length=100)
    labels: list[Words] = Field(default=[], max_length=1000)
    published_from: AwareDatetime | None = None
    published_to: AwareDatetime | None = None
    where: Annotated[dict[str, Any], AfterValidator(storable)] | None = Field(
        default=None, description="A condition on metadata, such as {'year': {'gte': 2020}}."
    )
    projects: list[Words] = Field(default=[], max_length=1000)
    fusion_mode: FusionMode | None = None
    fusion_alpha: float | None = Field(default=None, ge=0, le=1)
    fusion_strategy: FusionStrategy | None = None
    fusion_weights: tuple[float, float] | None = None
    max_hops: int | None = Field(default=None, ge=1, le=5)
    seed_k: int | None = Field(default=None, ge=1, le=20)
    max_nodes: int | None = Field(default=None, ge=5, le=200)
    vector_expansion: bool | None = None
    vector_expansion_threshold: float | None = Field(default=None, ge=-1, le=1)
    semantic_path_scoring: bool | None = None
    seed_node_ids: list[Identifier] = Field(default=[], max_length=200)
    temporal_at: AwareDatetime | None = None
    known_as_of: AwareDatetime | None = None
    community_level: int | None = Field(default=None, ge=0, le=MAX_COMMUNITY_LEVEL)
    preset: RetrievalPreset | None = None
    path_pruning: bool | None = None
    pruning_threshold: float | None = Field(default=None, ge=-1, le=1)
    time_limit_ms: int | None = Field(default=None, ge=1, le=600_000)
    deduplicate: bool | None = None
    rerank: bool | None = None
    write_inferred: bool | None = None
    max_tokens: int | None = Field(default=None, ge=1, le=100_000)
    temperature: float | None = Field(default=None, ge=0, le=2)
    latency_budget_ms: int | None = Field(default=None, ge=1, le=600_000)
    reference_date: AwareDatetime | None = None
    causal_guard: CausalGuard | None = None
    causal_confidence: float | None = Field(default=None, ge=0, le=1)

    def parameters(self, *, search_ms: int) -> QueryParameters:
        """Return what was given; `search_ms` is the longest time limit."""
        given: dict[str, Any] = {
            name: value
            for name in QueryParameters.__optional_keys__ & type(self).model_fields.keys()
            if (value := getattr(self, name)) not in (None, [])
        }
        return _parameters(given, search_ms)


class Question(AskParameters):
    """A question; what is left out comes from the server's settings."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "How is Acme connected to Beta?"},
                {
                    "question": "Who leads Acme?",
                    "mode": "hybrid",
                    "top_k": 5,
                    "where": {"year": {"gte": 2020}},
                },
            ]
        }
    )

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)


class Feedback(Question):
    """How good the answer to a question was; the question as it was asked, with its parameters."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "Who leads Acme?", "score": 1.0}]}
    )

    score: float = Field(ge=0, le=1, description="0 useless, 1 right.")
    outcome: Identifier | None = Field(
        default=None, description="An earlier feedback, whose place this takes."
    )


class ChatQuestion(Question):
    """A question of a conversation; with `stream` the answer comes as server-sent events."""

    stream: bool = False


class HybridQuestion(Request):
    """The hybrid guide's request; `mode` is the preset of `fusion_alpha`, which wins over it.

    `collection`, `seed_node_ids` and `temporal_at` are taken besides: the guide's Python calls
    have the last two.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "question": "How does Acme Corp's investor network connect to Beta Inc?",
                    "mode": "balanced",
                    "max_hops": 3,
                    "seed_k": 8,
                }
            ]
        }
    )

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)
    mode: FusionMode = FusionMode.BALANCED
    fusion_alpha: float | None = Field(default=None, ge=0, le=1)
    max_hops: int = Field(default=2, ge=1, le=5)
    seed_k: int = Field(default=5, ge=1, le=20)
    max_nodes: int = Field(default=50, ge=5, le=200)
    write_inferred: bool = False
    vector_expansion: bool = True
    semantic_path_scoring: bool = True
    label_filter: list[Words] = Field(default=[], max_length=1000)
    max_tokens: int = Field(default=1024, ge=1, le=100_000)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed_node_ids: list[Identifier] = Field(default=[], max_length=200)
    temporal_at: AwareDatetime | None = None
    collection: Words | None = None

    def parameters(self, *, search_ms: int) -> QueryParameters:
        """Return the parameters under Clew's names."""
        given: dict[str, Any] = self.model_dump(
            exclude={"question", "mode", "label_filter", "collection"}
        )
        given |= {"labels": self.label_filter, "fusion_mode": self.mode}
        return _parameters(given, search_ms)


def _parameters(given: dict[str, Any], search_ms: int) -> QueryParameters:
    if "seed_node_ids" in given:
        given["seed_node_ids"] = [parse_id(each) for each in given["seed_node_ids"]]
    given["time_limit_ms"] = min(given.get("time_limit_ms") or search_ms, search_ms)
    parameters: QueryParameters = given  # type: ignore[assignment]
    return parameters
