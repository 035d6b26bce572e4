"""The extractor of the settings: rules, a language model, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.ports import Extractor
from clew.engine.components import Components
from clew.engine.language_models import concurrent_calls
from clew.engine.loading import load
from clew.engine.model_calls.opening import open_calls
from clew.engine.model_calls.recorded import RecordedCalls
from clew.engine.model_calls.spending import Spending
from clew.settings.model import ExtractionSettings, ExtractorKind, Settings

if TYPE_CHECKING:
    from clew.knowledge.model.extractor import LLMExtractor


def asks_model(settings: Settings) -> bool:
    """Return whether the settings have a language model extract."""
    extraction = settings.extraction
    return extraction.enabled and extraction.extractor is not ExtractorKind.RULES


def run_extractor(components: Components, spending: Spending) -> Extractor:
    """Return the extractor of one run, whose calls are counted in `spending`.

    Raises:
        SettingsError: a language model is wanted and none is configured.
    """
    settings = components.settings
    if not asks_model(settings):
        return components.extractor()
    wanted_by = f"extraction.extractor = {settings.extraction.extractor.value!r}"
    calls = open_calls(components, spending, wanted_by=wanted_by)
    asking = model_extractor(calls, settings)
    if settings.extraction.extractor is ExtractorKind.LLM:
        return asking
    both: Extractor = load("clew.knowledge.model.combined:CombinedExtractor")(
        components.extractor(), asking
    )
    return both


def model_extractor(calls: RecordedCalls, settings: Settings) -> LLMExtractor:
    """Return the extractor that asks a language model."""
    extraction: ExtractionSettings = settings.extraction
    schema = load("clew.knowledge.model.schema:KnowledgeSchema")
    given = {"labels": extraction.labels} if extraction.labels else {}
    extractor: LLMExtractor = load("clew.knowledge.model.extractor:LLMExtractor")(
        calls,
        reflection_passes=extraction.reflection_passes,
        schema=schema(**given, relations=extraction.relations),
        max_tokens=extraction.max_tokens,
        concurrency=concurrent_calls(settings.llm),
    )
    return extractor
