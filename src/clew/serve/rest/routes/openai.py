"""The OpenAI API with a collection as the model, so that existing chat pages and clients work."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from sse_starlette.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from clew.serve.access.api_key import Right
from clew.serve.json_form import Json
from clew.serve.rest.asking import ask
from clew.serve.rest.caller import caller_at, key_of
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.openai.chat_request import ChatRequest
from clew.serve.rest.openai.chat_stream import chat_events
from clew.serve.rest.openai.completion import completion, new_heading
from clew.serve.rest.openai.conversation import question_of, session_of
from clew.serve.rest.openai.errors import OPENAI_ERRORS
from clew.serve.rest.services import services_of
from clew.serve.rest.streaming import begin_answer

router = APIRouter(prefix="/v1", tags=["OpenAI"], responses=OPENAI_ERRORS)
_BOTH: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}


@router.post(
    "/chat/completions",
    summary="Chat with a collection",
    response_model=JsonObject,
    responses=_BOTH,
)
async def chat_completions(request: Request, body: ChatRequest) -> Response:
    """Answer the last message from the collection that `model` names.

    It may lean on the messages before it: a follow-up is made a full question.
    Sources stand in the message's `annotations`; with `stream` the pieces come as events. Evidence
    that cannot be read is an error, and nothing is answered.
    """
    caller = await run_in_threadpool(caller_at, request, body.model, Right.READ)
    session = session_of(body, caller)
    question, heading = question_of(body), new_heading(body.model, created=int(time.time()))
    if body.stream:
        _, answering = await begin_answer(request, caller, question, session=session)
        return EventSourceResponse(chat_events(request, heading, body, answering))
    answer = await run_in_threadpool(ask, request, caller, question, session=session)
    return JSONResponse(completion(heading, body, answer))


@router.get("/models", summary="List collections as models")
def models(request: Request) -> JsonObject:
    """Return the collections that the key may read, each as a model."""
    key, library = key_of(request), services_of(request).library
    readable = [name for name in library.names() if key is None or key.may(Right.READ, name)]
    return {"object": "list", "data": [_model(request, name) for name in readable]}


@router.get("/models/{model}", summary="Look at a collection as a model")
def model(
    request: Request, model: Annotated[str, Path(min_length=1, max_length=200)]
) -> JsonObject:
    """Return one collection as a model."""
    return dict(_model(request, caller_at(request, model, Right.READ).collection))


def _model(request: Request, name: str) -> dict[str, Json]:
    created = services_of(request).library.created_at(name)
    return {
        "id": name,
        "object": "model",
        "created": int(created.timestamp()) if created else 0,
        "owned_by": "clew",
    }
