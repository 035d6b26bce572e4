"""Adding documents: at once, or as a job that the caller looks at later."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from fastapi.responses import JSONResponse

from clew.core.errors import ClewError
from clew.core.ids import format_id
from clew.core.jobs import IngestReport, Job, Progress
from clew.serve.json_form import to_json
from clew.serve.rest.caller import Caller
from clew.serve.rest.problems import problem_of, request_id_of, tell_log
from clew.serve.rest.services import services_of

Tell = Callable[[Progress], None]
_GROUPS = "groups"
_UNFORESEEN = "The server could not do this; its log says why under the request id."


def accept(
    request: Request, caller: Caller, work: Callable[[Tell | None], IngestReport]
) -> JSONResponse:
    """Queue an ingest and answer 202 with the job and its address."""
    services, identifier = services_of(request), request_id_of(request)
    groups = caller.principal.groups

    def run(tell: Tell) -> IngestReport:
        with services.writing.turn_of_job():
            services.library.collection(caller.collection)  # it may have been deleted meanwhile
            return work(tell)

    def explain(error: object) -> str:
        if isinstance(error, ClewError):
            tell_log(error, identifier)
            return problem_of(error).detail
        return _UNFORESEEN

    job = services.library.jobs.submit(
        caller.collection,
        run,
        detail={"request_id": identifier, _GROUPS: None if groups is None else sorted(groups)},
        explain=explain,
    )
    place = f"/v1/{caller.collection}/jobs/{format_id(job.id)}"
    return JSONResponse({"job": to_json(job)}, 202, headers={"Location": place})


def may_see(caller: Caller, job: Job) -> bool:
    """Return whether a caller may look at a job: one that is kept to groups sees its groups' own."""
    own, groups = caller.principal.groups, job.detail.get(_GROUPS)
    return own is None or (isinstance(groups, list) and own >= frozenset(groups))
