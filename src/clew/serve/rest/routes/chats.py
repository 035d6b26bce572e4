"""Conversations that the store keeps: begin, go on, list, look at, remove."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from sse_starlette.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from clew.core.conversation import Chat
from clew.serve.access.api_key import Right
from clew.serve.json_form import Json, answer_json, to_json
from clew.serve.rest.asking import ask
from clew.serve.rest.caller import Caller, caller_at, key_of
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.models_of_questions import ChatQuestion
from clew.serve.rest.streaming import answer_events, begin_answer

router = APIRouter(prefix="/v1/{collection}/chats", tags=["chats"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]
Identifier = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


@router.get("", summary="List conversations")
def chats(request: Request, collection: Collection) -> JsonObject:
    """Return the key's own conversations, the one that was added to last first."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.chats.list(owner=_owner(request), principal=caller.principal)
    return {"chats": [_summary(chat) for chat in found]}


@router.post(
    "",
    summary="Begin a conversation",
    response_model=JsonObject,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def begin(request: Request, collection: Collection, body: ChatQuestion) -> Response:
    """Answer the first question; `chat` is the id under which the conversation goes on."""
    return await _asked(request, collection, None, body)


@router.post(
    "/{chat}",
    summary="Go on with a conversation",
    response_model=JsonObject,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def go_on(
    request: Request, collection: Collection, chat: Identifier, body: ChatQuestion
) -> Response:
    """Answer a question that may lean on those before it; `question` is the full one."""
    return await _asked(request, collection, chat, body)


@router.get("/{chat}", summary="Look at a conversation")
def show(request: Request, collection: Collection, chat: Identifier) -> JsonObject:
    """Return its turns; those that rest on documents which are gone are withdrawn."""
    caller = caller_at(request, collection, Right.READ)
    found = caller.clew.chats.show(chat, owner=_owner(request), principal=caller.principal)
    return {"chat": _summary(found), "turns": to_json(found.turns)}


@router.delete("/{chat}", summary="Remove a conversation")
def remove(request: Request, collection: Collection, chat: Identifier) -> JsonObject:
    """Remove a conversation for good."""
    caller = caller_at(request, collection, Right.READ)
    caller.clew.chats.remove(chat, owner=_owner(request))
    return {"deleted": chat}


async def _asked(
    request: Request, collection: str, chat: str | None, body: ChatQuestion
) -> Response:
    caller: Caller = await run_in_threadpool(caller_at, request, collection, Right.READ)
    session = await run_in_threadpool(
        caller.clew.chat, chat, owner=_owner(request), principal=caller.principal
    )
    named = {"X-Chat-ID": session.id}
    if body.stream:
        evidence, answering = await begin_answer(request, caller, body, session=session)
        return EventSourceResponse(answer_events(request, evidence, answering), headers=named)
    answer = await run_in_threadpool(ask, request, caller, body, session=session)
    told = answer_json(answer)
    return JSONResponse(
        {"chat": session.id, **(told if isinstance(told, dict) else {})}, headers=named
    )


def _owner(request: Request) -> str:
    """Return whose conversations are meant: the key's own; without keys those of nobody."""
    key = key_of(request)
    return "" if key is None else key.id


def _summary(chat: Chat) -> dict[str, Json]:
    return {
        "id": chat.id,
        "title": chat.title,
        "created_at": to_json(chat.created_at),
        "updated_at": to_json(chat.updated_at),
        "turns": len(chat.turns),
    }
