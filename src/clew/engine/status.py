"""Counts and health of a collection."""

from __future__ import annotations

from collections import Counter

from clew.core.documents import Stage
from clew.core.jobs import CollectionStatus
from clew.core.model_calls import Responses
from clew.core.ports import Store
from clew.engine.community_building import are_stale
from clew.engine.model_check import EMBEDDER
from clew.engine.store_upkeep import store_health


def collection_status(store: Store, collection: str, *, responses: Responses) -> CollectionStatus:
    """Return the status of a collection; one that was never written is empty."""
    counts = store.counts(collection)
    health = store_health(store, collection)
    return CollectionStatus(
        collection=collection,
        documents=counts["documents"],
        chunks=counts["chunks"],
        nodes=counts["nodes"],
        edges=counts["edges"],
        claims=counts["claims"],
        pending=_pending(store, collection),
        model=store.facts(collection).get(EMBEDDER),
        generation=health.generation,
        overlay_rows=health.overlay_rows,
        disk_bytes=health.disk_bytes,
        degree_hub=store.hub_degree(collection) if counts["nodes"] else 0,
        communities=len(store.communities(collection)),
        communities_stale=are_stale(store, collection),
        ledger=tuple(responses.ledger(collection)),
    )


def _pending(store: Store, collection: str) -> dict[str, int]:
    """Return how many chunks stand at each stage before the last, in order of stages."""
    reached = Counter(
        stage
        for document in store.pending(collection, Stage.LINKED)
        for stage in store.stages(collection, document).values()
    )
    return {
        stage.value: reached[stage]
        for stage in Stage
        if stage is not Stage.LINKED and reached[stage]
    }
