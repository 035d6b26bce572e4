"""From a retrieval or an answer to its trace; names of documents are read from the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from clew.core.documents import Chunk, Document
from clew.core.knowledge import EdgeType
from clew.core.ports import Store
from clew.core.query import Query
from clew.core.results import Answer, PathStep, Result, Retrieval
from clew.engine.trace.trace import Trace, TraceEdge, TraceNode, TracePassage, TracePath

_PARAMETERS = (
    "top_k fusion_mode fusion_strategy max_hops seed_k max_nodes vector_expansion "
    "vector_expansion_threshold semantic_path_scoring temporal_at latency_budget_ms"
).split()


def build_trace(store: Store, found: Retrieval | Answer) -> Trace:
    """Return the trace; what the query's principal may no longer see is left nameless.

    Raises:
        StoreError: the store cannot be read.
    """
    answer = found if isinstance(found, Answer) else None
    retrieval = found.retrieval if isinstance(found, Answer) else found
    query = retrieval.query
    edges = _edges(retrieval)
    passing = _passages_on_paths(retrieval)
    nodes = _nodes(retrieval, passing)
    return Trace(
        question=query.text,
        mode=query.mode.value,
        collection=query.collection,
        routing=retrieval.routing,
        parameters=_parameters(query),
        seeds=retrieval.seed_fusion_stats,
        nodes=nodes,
        edges=edges,
        paths=tuple(
            TracePath(
                path.description,
                path.relevance_score,
                path.matching_terms,
                tuple(step.edge for step in path.steps),
            )
            for path in retrieval.paths
        ),
        passages=_passages(store, retrieval, answer, passing, {node.id for node in nodes}),
        timings=dict(answer.timings if answer else retrieval.timings),
        partial=retrieval.partial,
        notes=retrieval.notes,
        answer=answer.text if answer else None,
        answered=answer.answered if answer else None,
        confidence=answer.confidence if answer else None,
    )


def _parameters(query: Query) -> dict[str, str]:
    values = {name: getattr(query, name) for name in _PARAMETERS} | {"alpha": query.alpha}
    return {name: str(value) for name, value in values.items() if value is not None}


def _steps(retrieval: Retrieval) -> Iterable[tuple[int, PathStep]]:
    return (
        (number, step)
        for number, path in enumerate(retrieval.paths, start=1)
        for step in path.steps
    )


def _passages_on_paths(retrieval: Retrieval) -> set[int]:
    """Return the chunks that paths pass through: a MENTIONS edge leads from a chunk to a node."""
    return {
        step.source if step.forward else step.target
        for _, step in _steps(retrieval)
        if step.kind is EdgeType.MENTIONS
    }


def _edges(retrieval: Retrieval) -> tuple[TraceEdge, ...]:
    steps: dict[int, PathStep] = {}
    numbers: dict[int, list[int]] = defaultdict(list)
    for number, step in _steps(retrieval):
        steps.setdefault(step.edge, step)
        if number not in numbers[step.edge]:
            numbers[step.edge].append(number)
    return tuple(
        TraceEdge(
            id=step.edge,
            source=step.source if step.forward else step.target,
            target=step.target if step.forward else step.source,
            kind=step.kind.value,
            relation=step.relation,
            confidence=step.confidence,
            chunk=step.chunk,
            paths=tuple(numbers[step.edge]),
        )
        for step in steps.values()
    )


def _nodes(retrieval: Retrieval, passages: set[int]) -> tuple[TraceNode, ...]:
    found = {
        item.node: TraceNode(
            id=item.node,
            name=item.name,
            hop=item.hop_distance,
            seed_rank=item.seed_rank,
            similarity=item.vector_score,
            degree=item.graph_degree,
            hub=item.hub,
            signals=item.signals,
        )
        for item in retrieval.provenance
    }
    for _, step in _steps(retrieval):
        for node, name in ((step.source, step.source_name), (step.target, step.target_name)):
            if node not in found and node not in passages:
                found[node] = TraceNode(node, name, None, None, None, None, False, ())
    return tuple(found.values())


def _passages(
    store: Store,
    retrieval: Retrieval,
    answer: Answer | None,
    on_paths: set[int],
    nodes: set[int],
) -> tuple[TracePassage, ...]:
    """Return the ranked passages, then those that only a path passes through."""
    query = retrieval.query
    ranked = {result.id: (rank, result) for rank, result in enumerate(retrieval.results, start=1)}
    others = store.chunks(
        query.collection, sorted(on_paths - ranked.keys()), principal=query.principal
    )
    owners = {result.document for _, result in ranked.values()} | {
        chunk.document for chunk in others
    }
    documents = {
        document.id: document
        for document in store.documents(
            query.collection, ids=sorted(owners), principal=query.principal
        )
    }
    markers: dict[int, list[int]] = defaultdict(list)
    for source in answer.sources if answer else ():
        if source.marker not in markers[source.chunk_id]:
            markers[source.chunk_id].append(source.marker)
    items: list[tuple[int | None, Result | Chunk]] = [
        *ranked.values(),
        *((None, chunk) for chunk in others),
    ]
    return tuple(
        _passage(item, rank, documents, tuple(markers[item.id]), nodes) for rank, item in items
    )


def _passage(
    item: Result | Chunk,
    rank: int | None,
    documents: dict[int, Document],
    markers: tuple[int, ...],
    nodes: set[int],
) -> TracePassage:
    document = documents.get(item.document)
    result = item if isinstance(item, Result) else None
    return TracePassage(
        id=item.id,
        rank=rank,
        document=item.document,
        title=document.title if document else "",
        source=document.source if document else "",
        text=item.content if isinstance(item, Result) else item.text,
        score=result.score if result else None,
        similarity=result.similarity if result else None,
        signals=result.signals if result else (),
        markers=markers,
        nodes=tuple(node for node in result.nodes if node in nodes) if result else (),
    )
