"""Jobs: what became of documents that were added without waiting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from clew.core.ids import parse_id
from clew.core.jobs import Job
from clew.serve.access.api_key import Right
from clew.serve.json_form import to_json
from clew.serve.rest.caller import Caller, caller_at
from clew.serve.rest.ingest_jobs import may_see
from clew.serve.rest.models_of_answers import JsonObject
from clew.serve.rest.problems import Problem
from clew.serve.rest.services import services_of

router = APIRouter(prefix="/v1/{collection}/jobs", tags=["jobs"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", summary="List jobs")
def jobs(request: Request, collection: Collection) -> JsonObject:
    """Return the jobs that the caller may see, oldest first."""
    caller = caller_at(request, collection, Right.READ)
    return {"jobs": [to_json(job) for job in _visible(request, caller)]}


@router.get("/{job}", summary="Look at a job")
def job(
    request: Request,
    collection: Collection,
    job: Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")],
) -> JsonObject:
    """Return the state of a job: queued, running, succeeded, failed or cancelled."""
    caller, identifier = caller_at(request, collection, Right.READ), parse_id(job)
    for found in _visible(request, caller):
        if found.id == identifier:
            return {"job": to_json(found)}
    raise Problem(404, f"The collection {collection!r} has no job {job}.")


def _visible(request: Request, caller: Caller) -> list[Job]:
    found = services_of(request).library.jobs.all(caller.collection)
    return [each for each in found if may_see(caller, each)]
