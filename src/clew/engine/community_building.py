"""Building the communities of a collection, and knowing whether they are up to date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import perf_counter

from clew.core.jobs import CommunityReport, Progress
from clew.core.ports import Store
from clew.core.query import Query, RetrievalMode
from clew.engine.components import Components
from clew.engine.loading import load
from clew.settings.model import CommunityBuild, CommunitySettings

COMMUNITIES = "communities"
"""The fact that tells which revision of a collection its communities were built from, and how."""

USING_COMMUNITIES = (RetrievalMode.COMMUNITY, RetrievalMode.GLOBAL)


def are_stale(store: Store, collection: str, settings: CommunitySettings | None = None) -> bool:
    """Return whether the collection, or the settings if given, changed since communities were built.

    Where none were ever built there is nothing that could be stale.
    """
    known = store.facts(collection).get(COMMUNITIES)
    if known is None:
        return False
    if settings is None:
        return known.partition(":")[0] != str(store.revision(collection))
    return known != _state(store, collection, settings)


def need_building(components: Components, query: Query) -> bool:
    """Return whether a query needs communities that are stale, or were never built, and the
    settings let a question build them."""
    settings = components.settings.communities
    if query.mode not in USING_COMMUNITIES or settings.build is CommunityBuild.MANUAL:
        return False
    store, collection = components.store, components.collection
    known = store.facts(collection).get(COMMUNITIES)
    return known != _state(store, collection, settings) and store.revision(collection) > 0


def notes_on(components: Components, query: Query) -> tuple[str, ...]:
    """Return what a reader must know of the communities that a query used."""
    if query.mode not in USING_COMMUNITIES:
        return ()
    store, collection = components.store, components.collection
    build = "build them with build_communities() or `clew communities build`"
    if COMMUNITIES not in store.facts(collection):
        return (f"the collection has no communities yet; {build}",)
    if are_stale(store, collection):
        return (f"documents have changed since the communities were built; {build}",)
    return ()


def build_communities(
    components: Components,
    *,
    afresh: bool,
    progress: Callable[[Progress], None] | None = None,
) -> CommunityReport:
    """Find and summarise communities, and write what differs from those that are stored.

    Nothing is done where they are up to date, unless `afresh`.
    """
    start = perf_counter()
    store, collection = components.store, components.collection
    settings = components.settings.communities
    state = _state(store, collection, settings)
    if not afresh and store.facts(collection).get(COMMUNITIES) == state:
        return CommunityReport(_by_level(store, collection), seconds=perf_counter() - start)
    before = {one.id for one in store.communities(collection)}
    extractor = load("clew.knowledge.communities.graphrag:GraphRAGExtractor")(
        graph=store,
        chunks=store,
        embedder=components.embedder(),
        levels=settings.levels,
        seed=settings.seed,
        progress=_ticks(progress),
    )
    extracted = extractor.extract_communities(collection, afresh=afresh)
    with store.transaction():
        store.write_communities(collection, extracted.batch)
        store.set_fact(collection, COMMUNITIES, state)
    return CommunityReport(
        communities=_by_level(store, collection),
        summarised=extracted.summarised,
        embedded=extracted.embedded,
        removed=len(before - {one.id for one in extracted.communities}),
        modularity=extracted.modularity,
        seconds=perf_counter() - start,
    )


def _state(store: Store, collection: str, settings: CommunitySettings) -> str:
    """Return the fact of communities that are built now: revision, levels and seed.

    It is taken before the graph is read: what another process writes meanwhile makes it stale.
    """
    return f"{store.revision(collection)}:{settings.levels}:{settings.seed}"


def _by_level(store: Store, collection: str) -> tuple[int, ...]:
    counts = Counter(one.level for one in store.communities(collection))
    return tuple(counts[level] for level in range(max(counts, default=-1) + 1))


def _ticks(progress: Callable[[Progress], None] | None) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(Progress("communities", done, total))
