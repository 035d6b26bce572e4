"""One call of `add`: takes up what earlier runs left, reads sources, and finishes everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from time import perf_counter

from clew.core.decisions import Decisions
from clew.core.jobs import IngestReport, Progress
from clew.core.usage import Budget
from clew.engine.community_building import build_communities
from clew.engine.components import Components
from clew.engine.entities.decided import read_decisions
from clew.engine.extractors import run_extractor
from clew.engine.indexing.gather import gather
from clew.engine.indexing.name_memory import NameMemory
from clew.engine.indexing.pipeline import report_of, run_steps
from clew.engine.indexing.run import WINDOW, Run, resumed
from clew.engine.indexing.supersession import relation_stems
from clew.engine.metadata_schema import stored_schema
from clew.engine.model_calls.opening import spending_of
from clew.engine.model_calls.spending import NO_BUDGET, Spending
from clew.engine.model_check import CHUNKING, EMBEDDER, EXTRACTOR
from clew.engine.store_upkeep import compact_soon
from clew.ingest.chunker import ChunkingPreset
from clew.ingest.fields import CallerFields
from clew.ingest.sources import SourceFailure, SourceItem
from clew.settings.model import ChunkingPreset as PresetName
from clew.settings.model import CommunityBuild


def ingest(
    components: Components,
    items: Iterable[SourceItem | SourceFailure],
    *,
    defaults: CallerFields,
    progress: Callable[[Progress], None] | None,
    clock: Callable[[], datetime],
    window: int = WINDOW,
    budget: Budget = NO_BUDGET,
) -> IngestReport:
    """Write sources and take every pending document of the collection to the end, or as far as
    `budget` reaches.

    Whenever it is killed, all that was committed stays, and the next call goes on from there to
    the same state, given the same sources.
    """
    start = perf_counter()
    size, overlap = components.settings.chunking.limits
    decisions = read_decisions(components.store, components.collection)
    run = ingest_run(
        components,
        clock=clock,
        window=window,
        decisions=decisions,
        progress=progress,
        spending=spending_of(components, budget),
    )
    run.tally.files.update(resumed(run))
    _state_facts(run, chunking=f"{size}/{overlap}")
    gather(
        run,
        items,
        defaults=defaults,
        chunking=ChunkingPreset(size, overlap),
        schema=stored_schema(run.store, run.collection),
    )
    run_steps(run)
    if components.settings.communities.build is CommunityBuild.ADD:
        with run.timed("communities"):
            build_communities(components, afresh=False, progress=progress)
    compact_soon(components.store, components.collection)
    llm = components.llm() if run.spending.used else None
    return report_of(run, perf_counter() - start, model=None if llm is None else llm.name)


def ingest_run(
    components: Components,
    *,
    clock: Callable[[], datetime],
    window: int,
    decisions: Decisions,
    progress: Callable[[Progress], None] | None = None,
    spending: Spending | None = None,
) -> Run:
    """Return a run over the collection as the settings have it."""
    settings = components.settings
    spent = spending_of(components) if spending is None else spending
    return Run(
        store=components.store,
        collection=components.collection,
        embedder=NameMemory(components.embedder()),
        extractor=run_extractor(components, spent),
        responses=components.responses(),
        spending=spent,
        clock=clock,
        report_progress=progress,
        merge_threshold=settings.resolution.threshold,
        single_valued=relation_stems(settings.knowledge.single_valued),
        window=window,
        decisions=decisions,
        titles_in_vectors=settings.chunking.preset is not PresetName.PAPER_V1,
    )


def utc_now() -> datetime:
    """Return the time, as it is recorded."""
    return datetime.now(UTC)


def _state_facts(run: Run, *, chunking: str) -> None:
    """Write which models and which chunking this run uses; note what has changed."""
    facts = {
        EMBEDDER: run.embedder.fingerprint,
        EXTRACTOR: run.extractor.fingerprint,
        CHUNKING: chunking,
    }
    known = run.store.facts(run.collection)
    for name in (EXTRACTOR, CHUNKING):
        if known.get(name, facts[name]) != facts[name]:
            run.tally.note(
                f"{name} was {known[name]} and is {facts[name]} now: documents that are there "
                "already stay as they are until their content changes"
            )
    changed = {name: value for name, value in facts.items() if known.get(name) != value}
    if changed:
        with run.transaction():
            for name, value in changed.items():
                run.store.set_fact(run.collection, name, value)
