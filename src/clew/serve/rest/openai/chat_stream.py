"""A chat completion as server-sent events, ended by `[DONE]`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi import Request
from sse_starlette.event import ServerSentEvent

from clew.core.errors import ClewError
from clew.core.results import Answer
from clew.serve.json_form import Json
from clew.serve.rest.openai.chat_request import ChatRequest
from clew.serve.rest.openai.completion import Heading, chunk, citations_of, particulars, usage
from clew.serve.rest.openai.errors import openai_error
from clew.serve.rest.problems import problem_of, request_id_of, tell_log
from clew.serve.rest.streaming import pieces_of

_END = "[DONE]"


async def chat_events(
    request: Request, heading: Heading, body: ChatRequest, answering: asyncio.Task[Answer]
) -> AsyncIterator[ServerSentEvent]:
    """Send the role, the answer piece by piece, and its annotations with the last chunk.

    Pieces are of the finished answer: a draft would have no citations, and parts of it might be
    taken back.
    """
    yield _event(chunk(heading, {"role": "assistant", "content": ""}))
    try:
        answer = await answering
    except ClewError as error:
        tell_log(error, request_id_of(request))
        problem = problem_of(error)
        yield _event(openai_error(problem.status, problem.detail))
        yield ServerSentEvent(_END)
        return
    for piece in pieces_of(answer.text):
        yield _event(chunk(heading, {"content": piece}))
    cited: dict[str, Json] = {"annotations": citations_of(answer, collection=heading.model)}
    yield _event({**chunk(heading, cited, finish_reason="stop"), "clew": particulars(answer)})
    if body.wants_usage:
        counted = {**heading.record("chat.completion.chunk"), "choices": []}
        yield _event({**counted, "usage": usage(body, answer)})
    yield ServerSentEvent(_END)


def _event(data: object) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data, ensure_ascii=False, allow_nan=False))
