"""What reading sources with a language model would cost, before anything is sent or written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clew.core.documents import Chunk, Document, Stage
from clew.core.errors import IngestError
from clew.core.estimate import Estimate
from clew.core.jobs import FileOutcome, FileReport
from clew.core.usage import TokenUsage
from clew.engine.components import Components
from clew.engine.extractors import asks_model, model_extractor
from clew.engine.indexing.gather import document_of
from clew.engine.metadata_schema import stored_schema
from clew.engine.model_calls.opening import open_calls, prices_of, spending_of
from clew.ingest.chunker import ChunkingPreset
from clew.ingest.documents import build_chunks
from clew.ingest.fields import CallerFields
from clew.ingest.sources import SourceFailure, SourceItem
from clew.knowledge.titles import page_subject
from clew.text.token_count import estimated_tokens

if TYPE_CHECKING:
    from clew.knowledge.model.extractor import LLMExtractor

_LISTED_SHARE = 1.0
"""Tokens of the list that a second look is shown for one of its text, at a guess."""
_ANSWER_SHARE = 1.5
"""Tokens of an answer for one of its text, at a guess; no answer is longer than `max_tokens`."""


def estimate(
    components: Components,
    items: Iterable[SourceItem | SourceFailure],
    *,
    defaults: CallerFields,
) -> Estimate:
    """Return what `add` of these sources would ask of the model; sources are read and cut.

    What is unchanged, extracted already or answered before costs nothing; what earlier runs left
    unfinished is counted. Summaries of communities are not: they follow from what is found.

    Raises:
        SettingsError: no language model is configured.
    """
    settings = components.settings
    wanted_by = "an estimate"
    calls = open_calls(components, spending_of(components), wanted_by=wanted_by)
    extractor = model_extractor(calls, settings)
    size, overlap = settings.chunking.limits
    store, collection = components.store, components.collection
    schema = stored_schema(store, collection)
    counting = _Counting(components, extractor, model=calls.model)
    seen: set[int] = set()
    for item in items:
        loaded = item.read() if isinstance(item, SourceItem) else item
        if isinstance(loaded, SourceFailure):
            counting.files.append(FileReport(loaded.source, loaded.outcome, reason=loaded.message))
            continue
        try:
            document = document_of(loaded, defaults, schema, recorded_at=None)
        except IngestError as error:
            counting.files.append(FileReport(loaded.source, FileOutcome.FAILED, reason=str(error)))
            continue
        seen.add(document.id)
        counting.count(document, build_chunks(document, ChunkingPreset(size, overlap)))
    for pending in store.pending(collection, Stage.EXTRACTED):
        if pending not in seen:
            (document,) = store.documents(collection, ids=[pending])
            counting.count(document, store.document_chunks(collection, pending))
    return counting.estimate()


class _Counting:
    """Adds up chunk by chunk."""

    def __init__(self, components: Components, extractor: LLMExtractor, *, model: str) -> None:
        self.files: list[FileReport] = []
        self._components = components
        self._extractor = extractor
        self._model = model
        self._passes = components.settings.extraction.reflection_passes
        self._chunks = self._reused = self._longest = 0
        self._likely = TokenUsage()

    def count(self, document: Document, chunks: list[Chunk]) -> None:
        """Count the chunks of a document that are not extracted yet."""
        store, collection = self._components.store, self._components.collection
        known = store.documents(collection, sources=[document.source])
        stages = store.stages(collection, known[0].id) if known else {}
        same = bool(known) and (known[0].title, known[0].language) == (
            document.title,
            document.language,
        )
        done = {
            chunk
            for chunk, stage in stages.items()
            if same and stage in (Stage.EXTRACTED, Stage.LINKED)
        }
        for chunk in chunks:
            if chunk.id not in done and chunk.text.strip():
                self._count_chunk(document, chunk)

    def estimate(self) -> Estimate:
        """Return the sums."""
        likely = self._likely
        most = TokenUsage(likely.calls, likely.prompt_tokens, self._longest)
        prices = prices_of(self._components.settings.llm)
        return Estimate(
            model=self._model,
            used=asks_model(self._components.settings),
            chunks=self._chunks,
            reused=self._reused,
            likely=likely,
            at_most=most,
            likely_cost=prices.cost(likely),
            most_cost=prices.cost(most),
            currency=prices.currency if prices.known else "",
            problems=tuple(self.files),
        )

    def _count_chunk(self, document: Document, chunk: Chunk) -> None:
        self._chunks += 1
        title, language = page_subject(document), document.language
        request = self._extractor.requests(chunk.text, title=title, language=language)
        again = self._extractor.second_look(chunk.text, title=title, language=language)
        responses = self._components.responses()
        kept = responses.get(self._components.collection, request.key(self._model)) is not None
        self._reused += kept
        asked = 1 + self._passes - kept
        text = estimated_tokens(chunk.text)
        looking = estimated_tokens(again.prompt) + int(_LISTED_SHARE * text)
        prompt = (not kept) * estimated_tokens(request.prompt) + self._passes * looking
        answer = min(request.max_tokens, int(_ANSWER_SHARE * text) + 50)
        self._likely += TokenUsage(asked, prompt, asked * answer, asked)
        self._longest += asked * request.max_tokens
