"""The hybrid guide's own paths, with its request and response schema."""

from __future__ import annotations

from fastapi import APIRouter, Request

from clew.core.hybrid_response import Value, hybrid_response
from clew.core.query import RetrievalMode
from clew.serve.access.api_key import Right
from clew.serve.rest.asking import tell
from clew.serve.rest.caller import caller_at, require
from clew.serve.rest.models_of_answers import HybridAnswer
from clew.serve.rest.models_of_questions import HybridQuestion
from clew.serve.rest.services import services_of

router = APIRouter(prefix="/rag", tags=["hybrid guide"])


@router.post("/hybrid-query", response_model=HybridAnswer, summary="Hybrid graph-vector RAG")
def hybrid_query(request: Request, body: HybridQuestion) -> dict[str, Value]:
    """Answer by the four stages: seeds, expansion, path scores, context."""
    return _answer(request, body, RetrievalMode.HYBRID)


@router.post("/query", response_model=HybridAnswer, summary="Flat vector RAG")
def flat_query(request: Request, body: HybridQuestion) -> dict[str, Value]:
    """Answer from the passages nearest to the question; nothing of the graph is walked."""
    return _answer(request, body, RetrievalMode.VECTOR_ONLY)


def _answer(request: Request, body: HybridQuestion, mode: RetrievalMode) -> dict[str, Value]:
    settings = services_of(request).settings
    caller = caller_at(request, body.collection or settings.collection, Right.READ)
    if body.write_inferred:
        require(request, Right.WRITE, caller.collection)
    answer = caller.clew.ask(
        body.question,
        mode=mode,
        principal=caller.principal,
        **body.parameters(search_ms=settings.search_ms),
    )
    tell(request, answer)
    return hybrid_response(answer)
