"""Every setting of Clew with its default; unknown keys are refused.

Sections hold plain values only: the engine hands them to components as arguments.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from clew.core.causality import CausalGuard
from clew.core.query import FusionMode, FusionStrategy, RetrievalMode
from clew.core.verification import Verification, Verifier

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Cosine = Annotated[float, Field(ge=-1.0, le=1.0)]
Background = Annotated[float, Field(ge=-1.0, lt=1.0)]


class Section(BaseModel):
    """A group of settings: immutable, without unknown keys, defaults checked too."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True
    )


def _web_address(url: str | None) -> str | None:
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("write it as http://HOST:PORT/v1 or https://HOST/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a key does not belong in the address; set api_key")
    return url


class EmbeddingVariant(StrEnum):
    """Vocabulary of the bundled multilingual E5: every language, or English and Portuguese."""

    ORIGINAL = "original"
    ENGLISH_PORTUGUESE = "enpt"


class EmbeddingProvider(StrEnum):
    """Where vectors come from: a bundled model, an OpenAI-compatible endpoint, or a library."""

    BUNDLED = "bundled"
    OPENAI = "openai"
    SENTENCE_TRANSFORMERS = "sentence_transformers"


class BackgroundSettings(Section):
    """Mean cosine of unrelated pairs of an embedding model, by kind of pair."""

    question_passage: Background
    question_node: Background
    name_name: Background


class EmbeddingSettings(Section):
    """The embedding model.

    `variant`, `threads` (None: all cores that the process may use) and `cache_folder` concern the
    bundled model alone; `base_url` (None: OpenAI's), `api_key`, `timeout` and `retries` an endpoint;
    `device` and `allow_download` sentence-transformers; `model`, `dimensions`, `batch_size`, the
    prefixes and `calibration` (None: measured at first use) both of these. Another model than the
    one that made a collection's vectors takes `clew reembed`.
    """

    provider: EmbeddingProvider = EmbeddingProvider.BUNDLED
    variant: EmbeddingVariant = EmbeddingVariant.ORIGINAL
    threads: int | None = Field(default=None, ge=1)
    cache_folder: Path | None = None
    model: str | None = Field(default=None, min_length=1)
    base_url: str | None = None
    api_key: SecretStr | None = None
    dimensions: int | None = Field(default=None, ge=1)
    batch_size: int = Field(default=64, ge=1)
    timeout: float = Field(default=60.0, gt=0)
    retries: int = Field(default=5, ge=0)
    question_prefix: str | None = None
    passage_prefix: str | None = None
    device: str | None = None
    allow_download: bool = False
    calibration: BackgroundSettings | None = None

    @field_validator("cache_folder")
    @classmethod
    def _expand_home(cls, folder: Path | None) -> Path | None:
        return folder.expanduser() if folder else None

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, url: str | None) -> str | None:
        return _web_address(url)

    @model_validator(mode="after")
    def _model_is_named(self) -> EmbeddingSettings:
        if self.provider is not EmbeddingProvider.BUNDLED and self.model is None:
            message = f"provider {self.provider.value!r} needs the name of a model; set model"
            raise ValueError(message)
        return self


class ChunkingPreset(StrEnum):
    """Named sizes of chunks; `PAPER_V1` is the paper's."""

    DEFAULT = "default"
    PAPER_V1 = "paper_v1"


PRESET_SIZES = {ChunkingPreset.DEFAULT: (1350, 100), ChunkingPreset.PAPER_V1: (1000, 100)}


class ChunkingSettings(Section):
    """How documents are cut, in characters; `size` and `overlap` win over the preset's."""

    preset: ChunkingPreset = ChunkingPreset.DEFAULT
    size: int | None = Field(default=None, ge=1)
    overlap: int | None = Field(default=None, ge=0)

    @property
    def limits(self) -> tuple[int, int]:
        """Return size and overlap after the preset has filled in what is not given."""
        size, overlap = PRESET_SIZES[self.preset]
        return (
            size if self.size is None else self.size,
            overlap if self.overlap is None else self.overlap,
        )

    @model_validator(mode="after")
    def _overlap_fits(self) -> ChunkingSettings:
        size, overlap = self.limits
        if overlap >= size:
            message = f"overlap {overlap} must be smaller than size {size}"
            raise ValueError(message)
        return self


class IngestSettings(Section):
    """What one file may cost: seconds by the clock, megabytes that its parser may allocate, and
    megabytes on disk. `follow_links` lets links in a folder lead out of it. `ocr`: pictures and
    pages without a text layer are read by text recognition (extra `ocr`); a file may then take
    `ocr_seconds`."""

    parse_seconds: float = Field(default=120.0, gt=0.0)
    ocr_seconds: float = Field(default=3600.0, gt=0.0)
    parse_megabytes: int = Field(default=2048, ge=256)
    file_megabytes: int = Field(default=256, ge=1)
    follow_links: bool = False
    ocr: bool = False


class ExtractorKind(StrEnum):
    """Who extracts knowledge: rules, a language model, or both."""

    RULES = "rules"
    LLM = "llm"
    BOTH = "both"


class ExtractionSettings(Section):
    """Knowledge extraction. `processes` None means one for each core that the process may use.

    Of a language model: it looks again for what is missing up to `reflection_passes` times,
    `max_tokens` is what one answer may take, `labels` and `relations` are those allowed (empty:
    the usual labels, any relation).
    """

    enabled: bool = True
    processes: int | None = Field(default=None, ge=1)
    extractor: ExtractorKind = ExtractorKind.RULES
    reflection_passes: int = Field(default=1, ge=0, le=5)
    max_tokens: int = Field(default=1536, ge=200, le=100_000)
    labels: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


class ResolutionSettings(Section):
    """Entity resolution: the calibrated cosine from which two names are one."""

    threshold: Share = 0.90


class KnowledgeSettings(Section):
    """Relations of which a thing has one at a time: a newer statement supersedes an older one of
    the same subject with another object."""

    single_valued: tuple[str, ...] = ()


class RetrievalSettings(Section):
    """Defaults of a query; names, values and ranges are the hybrid guide's.

    `fan_out` edges of a node are followed, those nearest to the question among its `hub_edges`
    surest; one question's expansion reads `edge_budget` edges at most.
    """

    mode: RetrievalMode = RetrievalMode.HYBRID
    top_k: int = Field(default=10, ge=1, le=1000)
    fusion_mode: FusionMode = FusionMode.BALANCED
    fusion_alpha: Share | None = None
    fusion_strategy: FusionStrategy = FusionStrategy.RECIPROCAL_RANK
    max_hops: int = Field(default=2, ge=1, le=5)
    seed_k: int = Field(default=5, ge=1, le=20)
    max_nodes: int = Field(default=50, ge=5, le=200)
    vector_expansion: bool = True
    vector_expansion_threshold: Cosine = 0.25
    semantic_path_scoring: bool = True
    path_pruning: bool = False
    pruning_threshold: Cosine = 0.3
    time_limit_ms: int | None = Field(default=None, ge=1, le=600_000)
    deduplicate: bool = True
    fan_out: int = Field(default=64, ge=1)
    hub_edges: int = Field(default=64, ge=1)
    edge_budget: int = Field(default=100_000, ge=1)
    max_tokens: int = Field(default=1024, ge=1, le=100_000)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    strong_relations: tuple[str, ...] = ("OWNS", "CONTROLS", "FOUNDED", "INVESTED_BY")
    causal_guard: CausalGuard = CausalGuard.WARN
    causal_confidence: Share = 0.5


class CommunityBuild(StrEnum):
    """When communities are built: by the first question that needs them and finds them stale, at
    the end of each `add`, or by `build_communities` alone."""

    QUERY = "query"
    ADD = "add"
    MANUAL = "manual"


class CommunitySettings(Section):
    """Communities: when they are built, on how many levels, from which seed."""

    build: CommunityBuild = CommunityBuild.QUERY
    levels: int = Field(default=2, ge=2, le=5)
    seed: int = Field(default=0, ge=0)


class EvidenceSettings(Section):
    """Evidence-based ranking of mode `dual`: weights of its parts, and the half-life of recency."""

    similarity: float = Field(default=0.4, ge=0)
    recency: float = Field(default=0.2, ge=0)
    authority: float = Field(default=0.2, ge=0)
    confidence: float = Field(default=0.2, ge=0)
    half_life_days: float = Field(default=365.0, gt=0)

    @model_validator(mode="after")
    def _one_weight_counts(self) -> EvidenceSettings:
        if not any((self.similarity, self.recency, self.authority, self.confidence)):
            message = "similarity, recency, authority and confidence are all 0; give one a weight"
            raise ValueError(message)
        return self


class PrecedenceSettings(Section):
    """What authority and recency of a document weigh in the ranking of every mode but `dual`, and
    whether amendments go before what they amend; see docs/retrieval.md."""

    authority: float = Field(default=0.05, ge=0, le=1)
    recency: float = Field(default=0.05, ge=0, le=1)
    supersession: bool = True


class RerankKind(StrEnum):
    """What reorders the results of a search; see docs/retrieval.md."""

    OFF = "off"
    LATE_INTERACTION = "late_interaction"
    CROSS_ENCODER = "cross_encoder"
    HTTP = "http"
    LLM = "llm"


class RerankApiShape(StrEnum):
    """The shape that a `/rerank` endpoint speaks."""

    COHERE = "cohere"
    TEI = "tei"


class RerankSettings(Section):
    """The reranker: `candidates` results are read by it, and `weight` 1 means its order alone.

    `folder` is that of a cross-encoder (ONNX or sentence-transformers); `url`, `api`, `model`,
    `api_key`, `timeout_seconds` and `retries` are of an endpoint; `dimensions` of late interaction.
    """

    kind: RerankKind = RerankKind.OFF
    candidates: int = Field(default=30, ge=1, le=1000)
    weight: Share = 1.0
    folder: Path | None = None
    url: str | None = None
    api: RerankApiShape = RerankApiShape.COHERE
    model: str | None = None
    api_key: SecretStr | None = None
    timeout_seconds: float = Field(default=30.0, gt=0)
    retries: int = Field(default=3, ge=0, le=10)
    dimensions: int = Field(default=128, ge=1)

    @field_validator("folder")
    @classmethod
    def _expand_home(cls, folder: Path | None) -> Path | None:
        return folder.expanduser() if folder else None

    @model_validator(mode="after")
    def _place_is_given(self) -> RerankSettings:
        if self.kind is RerankKind.CROSS_ENCODER and self.folder is None:
            message = "kind 'cross_encoder' needs folder, that of the model"
            raise ValueError(message)
        if self.kind is RerankKind.HTTP and not self.url:
            message = "kind 'http' needs url, that of the endpoint"
            raise ValueError(message)
        return self


class AnswerSettings(Section):
    """The extractive answer's length, the support below which Clew abstains, what becomes of a
    language model's sentences that no passage supports, and who says whether one is: `verifier`
    `model` asks the model for yes or no, which counts from the probability `yes_needed` on.
    `contradictions` False looks for no sources that contradict what is cited."""

    max_sentences: int = Field(default=4, ge=1, le=20)
    support_threshold: Share = 0.35
    verify: Verification = Verification.MARK
    verifier: Verifier = Verifier.ALIGNMENT
    yes_needed: Share = 0.5
    contradictions: bool = True


class LLMSettings(Section):
    """The language model: a GGUF file (`path`), or an endpoint that speaks the OpenAI API.

    Without `path`, `model` and `base_url` there is none, and answers are quotations. `base_url`
    None is OpenAI's own; `model` None is the first that the endpoint lists. `context_window` None
    is what the endpoint tells, else 4,096, and 8,192 for a file; `timeout` is in seconds for a
    whole call; `concurrency` None is 4, and 1 for a file; `threads` is of a file, `api_key` and the
    limits a minute are of an endpoint. `price_prompt` and `price_answer` are money for a million
    tokens, in `currency`.
    """

    path: Path | None = None
    model: str | None = Field(default=None, min_length=1)
    base_url: str | None = None
    api_key: SecretStr | None = None
    context_window: int | None = Field(default=None, ge=256)
    timeout: float = Field(default=300.0, gt=0)
    retries: int = Field(default=5, ge=0)
    json_retries: int = Field(default=2, ge=0)
    concurrency: int | None = Field(default=None, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    threads: int | None = Field(default=None, ge=1)
    price_prompt: float | None = Field(default=None, ge=0)
    price_answer: float | None = Field(default=None, ge=0)
    currency: str = Field(default="USD", min_length=1, max_length=8)

    @property
    def is_configured(self) -> bool:
        """Return whether a model is named."""
        return any(place is not None for place in (self.path, self.model, self.base_url))

    @field_validator("path")
    @classmethod
    def _expand_home(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else None

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, url: str | None) -> str | None:
        return _web_address(url)

    @model_validator(mode="after")
    def _one_place(self) -> LLMSettings:
        if self.path is not None and (self.model is not None or self.base_url is not None):
            message = "path is a model's file; leave out model and base_url, or path"
            raise ValueError(message)
        return self


class WebSettings(Section):
    """What fetching a page may cost and where it may lead. `seconds` is for the whole fetch; the
    environment's proxies are not used, `proxy` (http://host:port) is."""

    allow_private_addresses: bool = False
    max_bytes: int = Field(default=20 * 2**20, ge=1)
    seconds: float = Field(default=30.0, gt=0, le=3600)
    max_redirects: int = Field(default=5, ge=0, le=20)
    proxy: SecretStr | None = None


class CacheSettings(Section):
    """The cache of retrievals: how many it keeps, and for how long."""

    enabled: bool = True
    max_size: int = Field(default=10_000, ge=1)
    ttl_seconds: float = Field(default=3600.0, gt=0.0)


class ServeSettings(Section):
    """The server: where it listens, and what one request may cost.

    `keys_file` None: beside the store, `NAME.keys.json`. Sizes are bytes of a request's body.
    `requests_per_minute` is for each key, and for each address that has none (0: no limit).
    `search_ms` limits the graph traversal of a question that gives no limit or a longer one.
    `collection` is the one that the hybrid guide's own paths ask unless a request names another.
    """

    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8765, ge=0, le=65_535)
    keys_file: Path | None = None
    collection: str = Field(default="default", min_length=1)
    max_body_bytes: int = Field(default=4 * 2**20, ge=1024)
    max_upload_bytes: int = Field(default=64 * 2**20, ge=1024)
    requests_per_minute: int = Field(default=600, ge=0)
    search_ms: int = Field(default=30_000, ge=1, le=600_000)
    upload_types: tuple[str, ...] = tuple(
        "txt md html htm pdf docx pptx xlsx xls ods csv tsv json jsonl xml epub eml".split()
    )


class Settings(BaseSettings):
    """All settings. `clew.settings.load` reads them from file, environment and arguments."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
        env_prefix="CLEW_",
        env_nested_delimiter="__",
    )

    embedding: EmbeddingSettings = EmbeddingSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    ingest: IngestSettings = IngestSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    resolution: ResolutionSettings = ResolutionSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    communities: CommunitySettings = CommunitySettings()
    evidence: EvidenceSettings = EvidenceSettings()
    precedence: PrecedenceSettings = PrecedenceSettings()
    rerank: RerankSettings = RerankSettings()
    cache: CacheSettings = CacheSettings()
    answer: AnswerSettings = AnswerSettings()
    llm: LLMSettings = LLMSettings()
    web: WebSettings = WebSettings()
    serve: ServeSettings = ServeSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - names are pydantic-settings' own
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take arguments alone: `load` merges the sources, to know where a wrong value stands."""
        return (init_settings,)

    def redacted(self) -> dict[str, Any]:
        """Return all settings as JSON-ready values; secrets read `**********`."""
        return self.model_dump(mode="json")
