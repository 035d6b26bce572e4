"""An answer as server-sent events: the evidence first, then its sentences, then the whole."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from sse_starlette.event import ServerSentEvent
from starlette.concurrency import run_in_threadpool

from clew.core.errors import ClewError
from clew.core.results import Answer, Retrieval
from clew.engine.chat.session import ChatSession
from clew.serve.access.api_key import Right
from clew.serve.json_form import Json, retrieval_json, to_json
from clew.serve.rest.asking import ask
from clew.serve.rest.caller import Caller, caller_at
from clew.serve.rest.models_of_questions import Question
from clew.serve.rest.problems import problem_body, problem_of, request_id_of, tell_log

_PIECE = re.compile(r".+?(?:\[\d+\](?:\s+|$)|\n+|$)", re.DOTALL)
_MARKER = re.compile(r"\[(\d+)\]")


def pieces_of(text: str) -> list[str]:
    """Return an answer's text cut after each citation and line; joined, they are the text."""
    return _PIECE.findall(text)


async def stream_answer(
    request: Request, collection: str, body: Question
) -> AsyncIterator[ServerSentEvent]:
    """Return the events of an answer, once its evidence is there.

    Raises:
        ClewError: the question cannot be asked, or the evidence cannot be read.
    """
    caller = await run_in_threadpool(caller_at, request, collection, Right.READ)
    evidence, answering = await begin_answer(request, caller, body)
    return answer_events(request, evidence, answering)


async def begin_answer(
    request: Request, caller: Caller, body: Question, *, session: ChatSession | None = None
) -> tuple[Retrieval, asyncio.Task[Answer]]:
    """Return the evidence for a question, and the task that writes the answer.

    Raises:
        ClewError: the question cannot be asked, or the evidence cannot be read.
    """
    loop = asyncio.get_running_loop()
    evidence: asyncio.Future[Retrieval] = loop.create_future()

    def found(retrieval: Retrieval) -> None:
        loop.call_soon_threadsafe(evidence.set_result, retrieval)

    answering = asyncio.create_task(
        run_in_threadpool(ask, request, caller, body, session=session, on_evidence=found)
    )
    # Whoever hangs up does not learn of an error; without a reader asyncio would warn of it.
    answering.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    either: set[asyncio.Future[Any]] = {answering, evidence}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if not evidence.done():
        # The evidence is told before the answer is written: without it, asking has failed.
        await answering
    return await evidence, answering


async def answer_events(
    request: Request, evidence: Retrieval, answering: asyncio.Task[Answer]
) -> AsyncIterator[ServerSentEvent]:
    """Send the evidence, the finished answer sentence by sentence, and the whole."""
    yield _event("evidence", retrieval_json(evidence))
    try:
        answer = await answering
    except ClewError as error:
        tell_log(error, request_id_of(request))
        problem = problem_of(error)
        body = problem_body(problem.status, problem.detail, request_id=request_id_of(request))
        yield _event("error", to_json(body))
        return
    for piece in pieces_of(answer.text):
        yield _event(
            "sentence",
            {"text": piece, "citations": [int(marker) for marker in _MARKER.findall(piece)]},
        )
    yield _event(
        "done",
        {
            "answer": answer.text,
            "answered": answer.answered,
            "confidence": answer.confidence,
            "sources": to_json(answer.sources),
            "reasoning_path": to_json(answer.reasoning_path),
            "timings": to_json(answer.timings),
        },
    )


def _event(name: str, data: Json) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data, ensure_ascii=False, allow_nan=False), event=name)
