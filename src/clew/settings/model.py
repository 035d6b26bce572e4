"""Every setting of Clew with its default; unknown keys are refused.

Sections hold plain values only: the engine hands them to components as arguments.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from clew.core.query import FusionMode, FusionStrategy, RetrievalMode

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Cosine = Annotated[float, Field(ge=-1.0, le=1.0)]


class Section(BaseModel):
    """A group of settings: immutable, without unknown keys, defaults checked too."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True
    )


class EmbeddingVariant(StrEnum):
    """Vocabulary of the bundled multilingual E5: every language, or English and Portuguese."""

    ORIGINAL = "original"
    ENGLISH_PORTUGUESE = "enpt"


class EmbeddingSettings(Section):
    """The embedding model. `threads` None means all cores that the process may use."""

    variant: EmbeddingVariant = EmbeddingVariant.ORIGINAL
    threads: int | None = Field(default=None, ge=1)
    cache_folder: Path | None = None

    @field_validator("cache_folder")
    @classmethod
    def _expand_home(cls, folder: Path | None) -> Path | None:
        return folder.expanduser() if folder else None


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


class ExtractionSettings(Section):
    """Knowledge extraction. `processes` None means one for each core that the process may use."""

    enabled: bool = True
    processes: int | None = Field(default=None, ge=1)


class ResolutionSettings(Section):
    """Entity resolution: the calibrated cosine from which two names are one."""

    threshold: Share = 0.90


class RetrievalSettings(Section):
    """Defaults of a query; names, values and ranges are the hybrid guide's."""

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
    strong_relations: tuple[str, ...] = ("OWNS", "CONTROLS", "FOUNDED", "INVESTED_BY")


class AnswerSettings(Section):
    """The extractive answer: its length, and the support below which Clew abstains."""

    max_sentences: int = Field(default=4, ge=1, le=20)
    support_threshold: Share = 0.35


class WebSettings(Section):
    """What fetching a page may cost and where it may lead. `seconds` is for the whole fetch; the
    environment's proxies are not used, `proxy` (http://host:port) is."""

    allow_private_addresses: bool = False
    max_bytes: int = Field(default=20 * 2**20, ge=1)
    seconds: float = Field(default=30.0, gt=0, le=3600)
    max_redirects: int = Field(default=5, ge=0, le=20)
    proxy: SecretStr | None = None


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
    retrieval: RetrievalSettings = RetrievalSettings()
    answer: AnswerSettings = AnswerSettings()
    web: WebSettings = WebSettings()

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
