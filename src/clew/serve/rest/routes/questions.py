"""Ask a collection: an answer, the evidence alone, or both as they come."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Path, Request
from sse_starlette.sse import EventSourceResponse
from starlette.responses import Response

from clew.core.ids import format_id, parse_id
from clew.engine.trace.writing import FORMATS
from clew.serve.access.api_key import Right
from clew.serve.json_form import Json, answer_json, retrieval_json, to_json
from clew.serve.rest.asking import ask, search
from clew.serve.rest.caller import caller_at
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_questions import Feedback, Question
from clew.serve.rest.streaming import stream_answer

router = APIRouter(prefix="/v1/{collection}", tags=["questions"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]


@router.post("/query", summary="Answer a question", response_model=JsonObject)
def query(request: Request, collection: Collection, body: Question) -> Json:
    """Return a cited answer with its sources, paths and provenance, or say that there is none."""
    return answer_json(ask(request, caller_at(request, collection, Right.READ), body))


@router.post("/search", summary="Find passages", response_model=JsonObject)
def find(request: Request, collection: Collection, body: Question) -> Json:
    """Return ranked passages with paths and provenance; no answer is written."""
    return retrieval_json(search(request, caller_at(request, collection, Right.READ), body))


@router.post(
    "/stream",
    summary="Answer a question as it comes",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def stream(request: Request, collection: Collection, body: Question) -> EventSourceResponse:
    """Send server-sent events: `evidence`, then each `sentence` of the answer, then `done`.

    Where the evidence cannot be read the response is a problem, and no stream begins.
    """
    return EventSourceResponse(await stream_answer(request, collection, body))


@router.post("/feedback", summary="Say how good an answer was", response_model=JsonObject)
def feedback(request: Request, collection: Collection, body: Feedback) -> Json:
    """Keep the score with what each source contributes; `outcome` is its id.

    The evidence is searched for again, so that nothing has to be kept of what is asked.
    """
    caller = caller_at(request, collection, Right.READ)
    found = search(request, caller, body)
    earlier = None if body.outcome is None else parse_id(body.outcome)
    kept = caller.clew.feedback(found, body.score, outcome=earlier)
    return {
        "outcome": format_id(kept.id),
        "query_type": kept.query_type,
        "mode": kept.mode.value,
        "contributions": to_json(kept.contributions),
    }


class TraceFormat(StrEnum):
    """How a trace is written."""

    JSON = "json"
    GRAPHML = "graphml"
    HTML = "html"


_TRACES = {
    TraceFormat.JSON: "application/json",
    TraceFormat.GRAPHML: "application/graphml+xml",
    TraceFormat.HTML: "text/html; charset=utf-8",
}


@router.post(
    "/trace",
    summary="Show how an answer came about",
    response_class=Response,
    responses={200: {"content": {kind: {} for kind in _TRACES.values()}}},
)
def trace(
    request: Request,
    collection: Collection,
    body: Question,
    format: TraceFormat = TraceFormat.JSON,
) -> Response:
    """Answer a question and return its trace: seeds, paths, passages, the answer, times.

    The page stands alone; it is sent as a file, and no script runs in it.
    """
    caller = caller_at(request, collection, Right.READ)
    made = caller.clew.trace(ask(request, caller, body))
    text = FORMATS[f".{format.value}"](made)
    return Response(
        text.encode("utf-8", "replace"),
        media_type=_TRACES[format],
        headers={
            "Content-Disposition": f'attachment; filename="trace.{format.value}"',
            "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
            "X-Content-Type-Options": "nosniff",
        },
    )
