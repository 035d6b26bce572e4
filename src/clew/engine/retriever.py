"""The retriever of a collection and its reranker, wired from settings."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import cast

from clew.core.errors import SettingsError
from clew.core.ports import Embedder, Reranker, Retriever, Store, TokenEmbedder
from clew.core.query import Query, RetrievalMode
from clew.engine.loading import load
from clew.retrieve.cached import CachedRetriever
from clew.retrieve.graph_aware_cache import GraphAwareCache
from clew.settings.model import RerankKind, RerankSettings, Settings

_READING_COMMUNITIES = frozenset(
    {RetrievalMode.COMMUNITY, RetrievalMode.GLOBAL, RetrievalMode.ADAPTIVE}
)


def make_retriever(store: Store, embedder: Embedder, settings: Settings) -> Retriever:
    """Return what finds evidence in every mode."""
    limits, model = settings.retrieval, make_reranker(settings.rerank, embedder)
    expansion = load("clew.retrieve.expansion:ExpansionSettings")
    evidence = load("clew.retrieve.evidence_ranking:EvidenceWeights")
    reranking = load("clew.retrieve.rerank:Reranking")
    retriever: Retriever = load("clew.retrieve.modes:ModeRetriever")(
        chunks=store,
        graph=store,
        embedder=embedder,
        strong_relations=limits.strong_relations,
        expansion=expansion(
            fan_out=limits.fan_out, hub_edges=limits.hub_edges, edge_budget=limits.edge_budget
        ),
        evidence=evidence(**settings.evidence.model_dump()),
        reranking=(
            reranking(
                model=model, candidates=settings.rerank.candidates, weight=settings.rerank.weight
            )
            if model
            else None
        ),
    )
    if not settings.cache.enabled:
        return retriever
    cache = GraphAwareCache(settings.cache.max_size, settings.cache.ttl_seconds)
    return CachedRetriever(retriever, cache, revision=partial(_revision, store))


def _revision(store: Store, query: Query) -> Hashable:
    """Return the state in which a query finds its collection.

    The store's own number leaves communities out; a fact of the collection tells when they were
    built.
    """
    revision = store.revision(query.collection)
    if query.mode not in _READING_COMMUNITIES and not query.preset:
        return revision
    return revision, tuple(sorted(store.facts(query.collection).items()))


def make_reranker(settings: RerankSettings, embedder: Embedder) -> Reranker | None:
    """Return the reranker that the settings name, None if it is off.

    Raises:
        SettingsError: late interaction is asked for, and the embedder gives no token vectors.
        ModelError: the model cannot be loaded.
        MissingExtraError: the folder needs sentence-transformers.
    """
    reranker: Reranker
    match settings.kind:
        case RerankKind.OFF:
            return None
        case RerankKind.LATE_INTERACTION:
            if not hasattr(embedder, "embed_passage_tokens"):
                raise SettingsError(
                    f"rerank.kind is 'late_interaction', and the embedder {embedder.fingerprint} "
                    "gives no token vectors; use the bundled E5 or another kind"
                )
            reranker = load("clew.models.late_interaction:LateInteractionReranker")(
                cast("TokenEmbedder", embedder), dimensions=settings.dimensions
            )
        case RerankKind.CROSS_ENCODER:
            onnx = load("clew.models.cross_encoder:onnx_file")(settings.folder)
            kind = (
                "clew.models.cross_encoder:CrossEncoderReranker"
                if onnx or not (settings.folder / "config.json").is_file()  # type: ignore[operator]
                else "clew.models.sentence_transformers_reranker:SentenceTransformersReranker"
            )
            reranker = load(kind)(settings.folder)
        case RerankKind.HTTP:
            reranker = load("clew.models.http_reranker:HttpReranker")(
                settings.url,
                api=settings.api,
                model=settings.model,
                api_key=settings.api_key.get_secret_value() if settings.api_key else None,
                timeout_seconds=settings.timeout_seconds,
                retries=settings.retries,
            )
    return reranker
