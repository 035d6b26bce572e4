"""Jobs: what became of documents that were added without waiting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool

from clew.core.ids import parse_id
from clew.core.jobs import Job, JobState
from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from clew.serve.rest.caller import Caller, caller_at
from clew.serve.rest.ingest_jobs import may_see, try_again
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import services_of

router = APIRouter(prefix="/v1/{collection}/jobs", tags=["jobs"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]
Identifier = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
_ALIVE = (JobState.QUEUED, JobState.RUNNING)
_LOOK_SECONDS = 0.25


@router.get("", summary="List jobs")
def jobs(request: Request, collection: Collection) -> JsonObject:
    """Return the jobs that the caller may see, oldest first."""
    caller = caller_at(request, collection, Right.READ)
    return {"jobs": [to_json(job) for job in _visible(request, caller)]}


@router.get("/{job}", summary="Look at a job")
def job(request: Request, collection: Collection, job: Identifier) -> JsonObject:
    """Return the state of a job: queued, running, succeeded, failed or cancelled."""
    return {"job": to_json(_one(request, caller_at(request, collection, Right.READ), job))}


@router.get(
    "/{job}/events",
    summary="Follow a job",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def follow(request: Request, collection: Collection, job: Identifier) -> EventSourceResponse:
    """Send the job as an event `progress` whenever it has changed, and as `end` once it is over."""
    caller = await run_in_threadpool(caller_at, request, collection, Right.READ)
    first = await run_in_threadpool(_one, request, caller, job)
    return EventSourceResponse(_events(request, caller, job, first))


@router.post("/{job}/cancel", summary="Cancel a job")
def cancel(request: Request, collection: Collection, job: Identifier) -> JsonObject:
    """Take it out of the queue, or end it at its next step; what it has committed is kept."""
    caller = caller_at(request, collection, Right.WRITE)
    found = _one(request, caller, job)
    if found.state not in _ALIVE:
        raise Problem(409, f"The job has ended: {found.state.value}.")
    return {"job": to_json(services_of(request).library.jobs.cancel(collection, found.id))}


@router.post(
    "/{job}/retry", status_code=202, summary="Try again what failed", response_model=JsonObject
)
def retry(request: Request, collection: Collection, job: Identifier) -> JSONResponse:
    """Queue what a job has not done as a new one; what it has done costs nothing."""
    caller = caller_at(request, collection, Right.WRITE)
    return try_again(request, _one(request, caller, job))


async def _events(
    request: Request, caller: Caller, identifier: str, first: Job
) -> AsyncIterator[ServerSentEvent]:
    told, found = None, first
    while True:
        if found != told:
            told = found
            name = "progress" if found.state in _ALIVE else "end"
            text = json.dumps({"job": to_json(found)}, ensure_ascii=False)
            yield ServerSentEvent(text, event=name)
        if found.state not in _ALIVE:
            return
        await asyncio.sleep(_LOOK_SECONDS)
        found = await run_in_threadpool(_one, request, caller, identifier)


def _one(request: Request, caller: Caller, identifier: str) -> Job:
    wanted = parse_id(identifier)
    for found in _visible(request, caller):
        if found.id == wanted:
            return found
    raise Problem(404, f"The collection {caller.collection!r} has no job {identifier}.")


def _visible(request: Request, caller: Caller) -> list[Job]:
    found = services_of(request).library.jobs.all(caller.collection)
    return [each for each in found if may_see(caller, each)]
