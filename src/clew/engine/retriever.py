"""The retriever of a collection, wired from settings."""

from __future__ import annotations

from clew.core.ports import Embedder, Retriever, Store
from clew.engine.loading import load
from clew.settings.model import Settings


def make_retriever(store: Store, embedder: Embedder, settings: Settings) -> Retriever:
    """Return what finds evidence in every mode."""
    evidence = load("clew.retrieve.evidence_ranking:EvidenceWeights")
    expansion = load("clew.retrieve.expansion:ExpansionSettings")
    limits = settings.retrieval
    retriever: Retriever = load("clew.retrieve.modes:ModeRetriever")(
        chunks=store,
        graph=store,
        embedder=embedder,
        strong_relations=settings.retrieval.strong_relations,
        expansion=expansion(limits.fan_out, limits.hub_edges, limits.edge_budget),
        evidence=evidence(**settings.evidence.model_dump()),
    )
    return retriever
