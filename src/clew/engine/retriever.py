"""The retriever of a collection and its reranker, wired from settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from clew.core.errors import SettingsError
from clew.core.ports import LLM, Embedder, Reranker, Retriever, Store, TokenEmbedder
from clew.engine.language_models import yes_no_model
from clew.engine.loading import load
from clew.retrieve.cached import CachedRetriever
from clew.retrieve.graph_aware_cache import GraphAwareCache
from clew.retrieve.recorded_store import RecordedStore
from clew.settings.model import RerankKind, RerankSettings, Settings


def make_retriever(
    store: Store,
    embedder: Embedder,
    settings: Settings,
    *,
    llm: Callable[[], LLM | None] = lambda: None,
) -> Retriever:
    """Return what finds evidence in every mode."""
    limits, model = settings.retrieval, make_reranker(settings.rerank, embedder, llm=llm)
    expansion = load("clew.retrieve.expansion:ExpansionSettings")
    evidence = load("clew.retrieve.evidence_ranking:EvidenceWeights")
    reranking = load("clew.retrieve.rerank:Reranking")
    # What is kept must tell what it read; without a cache nobody asks.
    read = RecordedStore(store) if settings.cache.enabled else store
    retriever: Retriever = load("clew.retrieve.modes:ModeRetriever")(
        chunks=read,
        graph=read,
        embedder=embedder,
        strong_relations=limits.strong_relations,
        expansion=expansion(
            fan_out=limits.fan_out, hub_edges=limits.hub_edges, edge_budget=limits.edge_budget
        ),
        evidence=evidence(**settings.evidence.model_dump()),
        facts=read.facts,
        precedence=load("clew.retrieve.precedence:PrecedenceWeights")(
            half_life_days=settings.evidence.half_life_days, **settings.precedence.model_dump()
        ),
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
    return CachedRetriever(retriever, cache, store=store)


def make_reranker(
    settings: RerankSettings, embedder: Embedder, *, llm: Callable[[], LLM | None] = lambda: None
) -> Reranker | None:
    """Return the reranker that the settings name, None if it is off.

    Raises:
        SettingsError: late interaction is asked for, and the embedder gives no token vectors; or
            kind is `llm`, and there is no language model that tells probabilities.
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
        case RerankKind.LLM:
            reranker = load("clew.models.llm_reranker:LLMReranker")(yes_no_model(llm()))
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
