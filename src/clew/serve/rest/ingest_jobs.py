"""Adding documents as jobs that the caller looks at later, cancels, or has tried again."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from fastapi import Request
from fastapi.responses import JSONResponse

from clew.core.documents import Metadata
from clew.core.errors import ClewError, NotFoundError, StoreBusyError
from clew.core.ids import format_id
from clew.core.jobs import IngestReport, Job, JobState
from clew.serve.json_form import to_json
from clew.serve.rest.adding import Tell, work_of
from clew.serve.rest.caller import Caller
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.orders import Order, Upload
from clew.serve.rest.problems import HIDDEN, Problem, problem_of, request_id_of, tell_log
from clew.serve.rest.services import Services, services_of

_GROUPS = "groups"
_RETRY_OF = "retry_of"


def accept(request: Request, order: Order, *, retry_of: Job | None = None) -> JSONResponse:
    """Queue an order and answer 202 with the job and its address.

    Raises:
        Problem: the order cannot be done as asked.
        StoreBusyError: too many wait already.
    """
    services = services_of(request)
    work_of(order, services.library)
    identifier = secrets.randbits(63)
    services.spool.put(identifier, order)
    again: Metadata = {_RETRY_OF: format_id(retry_of.id)} if retry_of else {}
    try:
        job = services.library.jobs.submit(
            order.collection,
            _work(services, order),
            identifier=identifier,
            detail={
                "request_id": order.request_id,
                _GROUPS: None if order.groups is None else sorted(order.groups),
                **again,
            },
            explain=_explain(order),
            on_end=_forget_what_is_done(services),
        )
    except StoreBusyError:
        services.spool.drop(identifier)
        raise
    place = f"/v1/{order.collection}/jobs/{format_id(job.id)}"
    return JSONResponse({"job": to_json(job)}, 202, headers={"Location": place})


def order_of(request: Request, caller: Caller, what: NewDocuments | Upload) -> Order:
    """Return what a request asks for, as whom."""
    return Order(
        collection=caller.collection,
        groups=caller.principal.groups,
        request_id=request_id_of(request),
        what=what,
    )


def try_again(request: Request, job: Job) -> JSONResponse:
    """Queue what a job has not done; what it has done costs nothing.

    Raises:
        Problem: nothing of it is left to do, or it has not ended.
    """
    if job.state in (JobState.QUEUED, JobState.RUNNING):
        raise Problem(409, "The job has not ended; cancel it, or wait.")
    order = services_of(request).spool.get(job.id)
    if order is None:
        raise Problem(409, "Nothing of this job is left to be tried again.")
    response = accept(request, order, retry_of=job)
    services_of(request).spool.drop(job.id)
    return response


def resume_jobs(services: Services) -> None:
    """Queue again what an earlier server was asked for and did not come to an end with."""
    held = services.library.names()
    for identifier in services.spool.jobs():
        order = services.spool.get(identifier)
        if order is None or order.collection not in held:
            services.spool.drop(identifier)
            continue
        try:
            job = services.library.jobs.stored(order.collection, identifier)
        except NotFoundError:
            services.spool.drop(identifier)
            continue
        if job.state in (JobState.QUEUED, JobState.RUNNING):
            services.library.jobs.resume(
                order.collection,
                job,
                _work(services, order),
                explain=_explain(order),
                on_end=_forget_what_is_done(services),
            )


def may_see(caller: Caller, job: Job) -> bool:
    """Return whether a caller may look at a job: one that is kept to groups sees its groups' own."""
    own, groups = caller.principal.groups, job.detail.get(_GROUPS)
    return own is None or (isinstance(groups, list) and own >= frozenset(groups))


def _work(services: Services, order: Order) -> Callable[[Tell], IngestReport]:
    def run(tell: Tell) -> IngestReport:
        with services.writing.turn_of_job():
            return work_of(order, services.library)(tell)  # the collection may have been deleted

    return run


def _explain(order: Order) -> Callable[[object], str]:
    def explain(error: object) -> str:
        if isinstance(error, ClewError):
            tell_log(error, order.request_id)
            return problem_of(error).detail
        return error.detail if isinstance(error, Problem) else HIDDEN

    return explain


def _forget_what_is_done(services: Services) -> Callable[[Job], None]:
    def on_end(job: Job) -> None:
        done = job.state is JobState.SUCCEEDED and not job.detail.get("failed")
        if done or job.state is JobState.CANCELLED:
            services.spool.drop(job.id)

    return on_end
