"""Ask a collection: an answer, the evidence alone, or both as they come."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from sse_starlette.sse import EventSourceResponse

from clew.serve.access.api_key import Right
from clew.serve.json_form import Json, answer_json, retrieval_json
from clew.serve.rest.asking import ask, search
from clew.serve.rest.caller import caller_at
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_questions import Question
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
